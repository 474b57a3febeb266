// SPDX-License-Identifier: Apache-2.0
// Some samples, reconstructed from their k largest coefficients, by the model and by PCA.

// The reconstructions by one method: bytes(item, level) and errors[item][level].
function sideOf(packed, levels) {
  const values = bytesOf(packed.values);
  const {dimension} = report.model;
  return {
    errors: packed.errors,
    bytes: (item, level) => {
      const first = (item * levels + level) * dimension;
      return values.subarray(first, first + dimension);
    },
    meanError: (level) => {
      const known = packed.errors.map((errors) => errors[level]).filter(isNumber);
      return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
    },
  };
}

// A canvas with a name and an error; draw(canvas) is called lazily.
function panel(name, label, draw) {
  const canvas = shape ? pictureCanvas(shape) : el('canvas', {class: 'trace', 'aria-hidden': 'true'});
  const error = el('span', {class: 'error'});
  lazily(canvas, () => draw(canvas));
  const parts = shape ? [el('figcaption', {}, label), canvas, error] : [el('figcaption', {}, label, error), canvas];
  return {canvas, error, figure: el('figure', {class: name}, ...parts)};
}

class Items {
  constructor(items) {
    this.levels = items.levels;
    this.rows = items.rows;
    this.originals = bytesOf(items.originals);
    this.model = sideOf(items.model, this.levels.length);
    this.pca = sideOf(items.pca, this.levels.length);
    this.zeros = items.low.map((low, item) => Math.min(255, Math.max(0, -255 * low / (items.high[item] - low || 1))));
    this.level = this.firstLevel();
    this.cards = this.rows.map((row, item) => this.makeCard(row, item));
  }

  // The level at which the model keeps 99 % of the energy: an error of a tenth.
  firstLevel() {
    const level = this.levels.findIndex((_, i) => this.model.meanError(i) <= 0.1);
    return level < 0 ? this.levels.length - 1 : level;
  }

  original(item) {
    const {dimension} = report.model;
    return this.originals.subarray(item * dimension, (item + 1) * dimension);
  }

  makeCard(row, item) {
    const drawMade = (side, name) => (canvas) => {
      if (shape) {
        drawPicture(canvas, side.bytes(item, this.level), shape);
      } else {
        drawOver(canvas, this.original(item), side.bytes(item, this.level), this.zeros[item], color(name));
      }
    };
    const ours = panel('accent', 'this model', drawMade(this.model, 'accent'));
    const theirs = panel('other', 'PCA', drawMade(this.pca, 'other'));
    const panels = [ours, theirs];
    if (shape) panels.unshift(panel('muted', 'original', (canvas) => drawPicture(canvas, this.original(item), shape)));
    const card = el('li', {class: 'card'}, el('h3', {}, `Sample ${count(row)}`),
      el('div', {class: 'panels'}, ...panels.map(({figure}) => figure)));
    return {card, ours, theirs, item};
  }

  setLevel(level) {
    this.level = level;
    for (const {ours, theirs, item} of this.cards) {
      for (const [part, side] of [[ours, this.model], [theirs, this.pca]]) {
        part.error.textContent = percent(side.errors[item][level]);
        refresh(part.canvas);
      }
    }
  }
}

// A method's mean error as a number and a bar.
function meter(name, label) {
  const value = el('span', {class: 'value'});
  const fill = el('span', {class: 'fill'});
  const track = el('span', {class: 'track', 'aria-hidden': 'true'}, fill);
  const row = el('div', {class: `meter ${name}`}, el('span', {class: 'label'}, label), track, value);
  return {
    row,
    set: (error) => {
      value.textContent = percent(error);
      fill.style.width = `${100 * Math.min(1, error ?? 0)}%`;
    },
  };
}

function itemsControl(items) {
  const {levels} = items;
  const last = levels.length - 1;
  const slider = el('input', {type: 'range', id: 'kept', min: 0, max: last, step: 1});
  const kept = el('output', {for: 'kept', class: 'kept'});
  const ours = meter('accent', 'this model');
  const theirs = meter('other', 'PCA');
  const update = () => {
    const level = Number(slider.value);
    const errors = [items.model.meanError(level), items.pca.meanError(level)];
    items.setLevel(level);
    ours.set(errors[0]);
    theirs.set(errors[1]);
    kept.textContent = `${count(levels[level])} of ${count(levels[last])}`;
    slider.setAttribute('aria-valuetext', `${levels[level]} of ${plural(levels[last], 'coefficient')}; mean error of ` +
      `this model ${percent(errors[0])}, of PCA ${percent(errors[1])}`);
  };
  slider.value = items.level;
  slider.addEventListener('input', update);
  update();
  return el('div', {class: 'control'},
    el('div', {class: 'slide'}, el('label', {for: 'kept'}, 'Coefficients kept per sample'), kept, slider),
    el('div', {class: 'meters'}, ours.row, theirs.row));
}

function showItems() {
  const section = sectionOf('reconstruction');
  if (!report.items) {
    const none = report.curve ? 'The page was made without reconstructions (--items 0).'
      : 'Every sample equals the model’s mean, so there is nothing to reconstruct.';
    section.append(explain(report.data ? none : needsData));
    return;
  }
  const items = new Items(report.items);
  const moduli = complex ? ' Moduli are shown.' : '';
  const how = `${shape ? '' : ' Grey bars are the sample, the line is its reconstruction.'}${moduli}`;
  const note = el('p', {class: 'note'},
    `${plural(items.rows.length, 'sample')}, drawn at random, reconstructed from their largest coefficients. The error is `,
    el('span', {class: 'nowrap'}, '‖x − x̂‖ / ‖x − m‖'), ` with the model’s mean m.${how}`);
  const cards = items.cards.map(({card}) => card);
  section.append(note, itemsControl(items), el('ul', {class: `cards ${shape ? 'pictures' : 'vectors'}`}, ...cards));
}
