// SPDX-License-Identifier: Apache-2.0
// The gallery of atoms, with details of the one under the pointer or with keyboard focus.

const atoms = report.atoms;
const shownAtFirst = 128;
const leadingShown = 5;
const established = 0.5;

const atomEntries = new Int16Array(bytesOf(atoms.values).buffer);
const atomLimit = 32767;
const totalEnergy = atoms.energy ? atoms.energy.reduce((sum, value) => sum + value, 0) : 0;

// The entries of the atom at this place in the report; its largest entry is atomLimit. Complex ones are real and
// imaginary parts in turn.
function entriesOf(place) {
  const numbers = report.model.dimension * (complex ? 2 : 1);
  return atomEntries.subarray(place * numbers, (place + 1) * numbers);
}

function drawAtom(canvas, place) {
  const ways = complex ? [drawPhases, drawPhaseBars] : [drawSigned, drawBars];
  ways[shape ? 0 : 1](canvas, entriesOf(place), atomLimit, shape);
}

// The names of the features with the largest entries, and signs where entries are real.
function leadingFeatures(place) {
  const entries = entriesOf(place);
  const size = complex ? (i) => Math.hypot(entries[2 * i], entries[2 * i + 1]) : (i) => Math.abs(entries[i]);
  const sign = (i) => complex ? '' : entries[i] > 0 ? '+' : '\u2212';
  return Array.from(report.model.features.keys()).filter((i) => size(i) > 0).sort((i, j) => size(j) - size(i))
    .slice(0, leadingShown).map((i) => sign(i) + report.model.features[i]).join(', ');
}

// The known facts about an atom, as pairs of term and value.
function atomFacts(place) {
  const known = [];
  if (report.model.features) known.push(['Largest features', leadingFeatures(place)]);
  if (atoms.energy) {
    known.push(['Share of energy', totalEnergy > 0 ? percent(atoms.energy[place] / totalEnergy) : absent]);
    known.push(['Rms coefficient', short(Math.sqrt(atoms.energy[place]))]);
    if (atoms.usage) known.push(['Samples using it', percent(atoms.usage[place])]);
    known.push(['Kurtosis', short(atoms.kurtosis[place])]);
  }
  if (atoms.confidence) known.push(['Confidence', short(atoms.confidence[place])]);
  if (atoms.stability) {
    known.push(['Stability', short(atoms.stability[place])], ['Runs with it', percent(atoms.found[place])]);
  }
  if (atoms.resampled_stability) {
    known.push(['Resampled stability', short(atoms.resampled_stability[place])]);
    known.push(['Resampled runs with it', percent(atoms.resampled_found[place])]);
  }
  known.push(['Row in model', count(atoms.order[place])]);
  return known;
}

function nameOf(place) {
  return atoms.energy ? `Atom ${place + 1} by energy` : `Atom ${place + 1}`;
}

// Fewer atoms get larger tiles.
function tileWidth() {
  const [few, some] = shape ? [64, 144] : [32, 128];
  const [large, middle, small] = shape ? [72, 54, 42] : [148, 116, 92];
  return atoms.shown <= few ? large : atoms.shown <= some ? middle : small;
}

// The sort orders: label, and key in descending order.
function sortings() {
  const byPlace = (place) => -place;
  const ways = [[atoms.energy ? 'energy' : 'order of the model', byPlace]];
  if (atoms.usage) ways.push(['use', (place) => atoms.usage[place]]);
  if (atoms.kurtosis) ways.push(['kurtosis', (place) => atoms.kurtosis[place] ?? 0]);
  if (atoms.confidence) ways.push(['confidence', (place) => atoms.confidence[place]]);
  if (atoms.stability) ways.push(['stability', (place) => atoms.stability[place]]);
  if (atoms.resampled_stability) ways.push(['resampled stability', (place) => atoms.resampled_stability[place]]);
  return ways;
}

// The card with a large picture of one atom.
class AtomDetails {
  constructor() {
    this.canvas = shape ? pictureCanvas(shape) : el('canvas', {class: 'bars', 'aria-hidden': 'true'});
    this.title = el('h3');
    this.list = el('dl');
    this.card = el('div', {class: 'details'}, el('div', {class: 'frame'}, this.canvas),
      el('div', {}, this.title, this.list));
    this.place = 0;
    lazily(this.canvas, () => drawAtom(this.canvas, this.place));
  }

  show(place) {
    this.place = place;
    this.title.textContent = nameOf(place);
    this.list.replaceChildren(...atomFacts(place).flatMap(([term, value]) => {
      return [el('dt', {}, term), el('dd', {}, value)];
    }));
    refresh(this.canvas);
  }
}

// A list box. One tile is in the tab order; arrow keys move between tiles.
class Gallery {
  constructor(details) {
    this.details = details;
    this.tiles = Array.from({length: atoms.shown}, (_, place) => this.makeTile(place));
    this.order = this.tiles.map((_, place) => place);
    this.limit = Math.min(atoms.shown, shownAtFirst);
    this.selected = 0;
    this.box = el('div', {
      class: `gallery ${shape ? 'pictures' : 'vectors'}`,
      role: 'listbox',
      'aria-label': 'Atoms',
      'aria-orientation': 'horizontal',
    });
    this.box.style.setProperty('--tile', `${tileWidth()}px`);
    this.box.addEventListener('keydown', (event) => this.onKey(event));
    this.box.addEventListener('focusin', (event) => this.select(this.placeOf(event.target)));
    this.box.addEventListener('click', (event) => this.focus(this.placeOf(event.target)));
    this.box.addEventListener('pointerover', (event) => this.onPointer(event));
    this.box.addEventListener('pointerleave', () => this.details.show(this.selected));
    this.arrange();
    this.select(0);
  }

  makeTile(place) {
    const facts = atomFacts(place).map(([term, value]) => `${term.toLowerCase()} ${value}`).join(', ');
    const doubtful = atoms.confidence && atoms.confidence[place] < established;
    const canvas = shape ? pictureCanvas(shape) : el('canvas', {'aria-hidden': 'true'});
    const tile = el('div', {
      role: 'option', tabindex: '-1', 'aria-selected': 'false', 'aria-label': `${nameOf(place)}: ${facts}`,
      class: doubtful ? 'doubtful' : null,
    }, canvas);
    lazily(canvas, () => drawAtom(canvas, place));
    return tile;
  }

  placeOf(target) {
    return this.tiles.indexOf(target.closest('[role=option]'));
  }

  arrange() {
    const visible = this.order.slice(0, this.limit);
    this.box.replaceChildren(...visible.map((place) => this.tiles[place]));
    if (!visible.includes(this.selected)) this.select(visible[0]);
  }

  sortBy(key) {
    this.order = this.tiles.map((_, place) => place).sort((a, b) => key(b) - key(a) || a - b);
    this.arrange();
    this.select(this.order[0]);
  }

  showAll() {
    this.limit = atoms.shown;
    this.arrange();
  }

  select(place) {
    if (place < 0) return;
    const before = this.tiles[this.selected];
    before.setAttribute('aria-selected', 'false');
    before.tabIndex = -1;
    this.tiles[place].setAttribute('aria-selected', 'true');
    this.tiles[place].tabIndex = 0;
    this.selected = place;
    this.details.show(place);
  }

  focus(place) {
    if (place >= 0) this.tiles[place].focus();
  }

  onPointer(event) {
    const place = this.placeOf(event.target);
    if (place >= 0) this.details.show(place);
  }

  columns() {
    return getComputedStyle(this.box).gridTemplateColumns.split(' ').length;
  }

  onKey(event) {
    const last = this.limit - 1;
    const at = this.order.indexOf(this.selected);
    const targets = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + this.columns(),
      ArrowUp: at - this.columns(),
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (target >= 0 && target <= last) this.focus(this.order[target]);
  }
}

function gallerySorter(gallery) {
  const ways = sortings();
  if (ways.length === 1) return [];
  const select = el('select', {id: 'sort'}, ...ways.map(([label], i) => el('option', {value: i}, label)));
  select.addEventListener('change', () => gallery.sortBy(ways[Number(select.value)][1]));
  return [el('label', {for: 'sort'}, 'Sort by'), select];
}

function galleryNote() {
  const cut = atoms.shown < report.model.atoms
    ? ` Only the first ${count(atoms.shown)} of ${count(report.model.atoms)} are included in this page.` : '';
  const order = atoms.energy
    ? 'Most energy first: energy is the mean square of an atom’s coefficient.'
    : 'In the order of the model, which orthodict sorts by energy. The page was made without data (--data), so there ' +
      'are no figures.';
  const doubt = atoms.confidence && atoms.confidence.some((value) => value < established)
    ? ' Atoms with a dashed frame are not established.' : '';
  return `${order}${cut}${doubt} Point at an atom or use the arrow keys.`;
}

function showGallery() {
  const section = sectionOf('atoms');
  const details = new AtomDetails();
  const gallery = new Gallery(details);
  const tools = el('div', {class: 'tools'}, ...gallerySorter(gallery));
  const mosaic = el('div', {class: 'mosaic'}, gallery.box);
  if (gallery.limit < atoms.shown) {
    const button = el('button', {type: 'button'}, `Show all ${count(atoms.shown)} atoms`);
    button.addEventListener('click', () => {
      gallery.showAll();
      button.remove();
      gallery.focus(gallery.selected);
    });
    mosaic.append(button);
  }
  section.append(el('p', {class: 'note'}, galleryNote()), el('div', {class: 'toolbar'}, tools, complex ? phaseLegend() : signLegend(shape)),
    el('div', {class: 'browser'}, mosaic, details.card));
}
