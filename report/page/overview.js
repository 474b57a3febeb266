// SPDX-License-Identifier: Apache-2.0
// What was learned, from which data, how, and with what outcome.

const {options: asked, summary} = report.metadata;
const {shape, complex} = report.model;

const terminations = {
  converged: ['good', 'converged'],
  max_iterations: ['warn', 'out of iterations'],
  time_limit: ['warn', 'out of time'],
  stopped: ['warn', 'stopped'],
  not_established: ['warn', 'no atom established'],
  no_structure: ['warn', 'no atom established'],  // name in models from version 0.1
};

function methodText() {
  if (typeof asked.method !== 'string') return absent;
  return typeof asked.stretch === 'string' ? `${asked.method}:${asked.stretch}` : asked.method;
}

function lede() {
  const {atoms, dimension} = report.model;
  const what = shape ? `${shapeText(shape)} pixels` : plural(dimension, complex ? 'complex feature' : 'feature');
  const parts = [`${plural(atoms, 'atom')} of ${what}`];
  if (isNumber(summary.samples)) parts.push(`learned from ${plural(summary.samples, 'sample')}`);
  if (typeof asked.method === 'string') parts.push(`by method ${methodText()}`);
  return `${parts.join(', ')}.`;
}

// A term, its value, and an optional note.
function fact(term, value, note, tone) {
  const texts = [el('dt', {}, term), el('dd', {class: tone}, value)];
  if (note) texts.push(el('dd', {class: 'note'}, note));
  return el('div', {}, ...texts);
}

function facts() {
  const {atoms} = report.model;
  const [tone, ending] = terminations[summary.termination] || [null, String(summary.termination ?? absent)];
  const list = el('dl', {class: 'facts'});
  list.append(fact('Atoms', count(atoms),
    isNumber(summary.rank) && summary.rank < atoms ? `data of rank ${count(summary.rank)}` : null));
  if (isNumber(summary.samples)) list.append(fact('Samples', count(summary.samples), null));
  if (typeof summary.dictionary === 'string') {
    list.append(fact('Dictionary', summary.dictionary, summary.center ? 'centred' : 'not centred'));
  }
  if (summary.termination !== undefined) {
    list.append(fact('Ended', ending,
      isNumber(summary.iterations) ? `after ${plural(summary.iterations, 'iteration')}` : null, tone));
  }
  if (isNumber(summary.theta)) {
    list.append(fact('Sparsity θ', short(summary.theta), 'share of coefficients with signal'));
  }
  if (isNumber(summary.noise)) {
    const which = summary.noise === 0 ? 'zeros are exact' : 'of the other coefficients';
    list.append(fact('Noise', short(summary.noise), which));
  }
  if (report.atoms.confidence) {
    const established = report.atoms.confidence.filter((value) => value >= 0.5).length;
    list.append(fact('Established', `${count(established)} of ${count(atoms)}`, 'atoms of confidence ≥\u00a0½'));
  }
  if (report.atoms.stable) {
    const stable = report.atoms.stable.filter((value) => value).length;
    list.append(fact('Stable', `${count(stable)} of ${count(atoms)}`, 'atoms that come again in other runs'));
  }
  return list;
}

function settingsTable(caption, entries) {
  const rows = Object.entries(entries).map(([name, value]) => {
    const text = isNumber(value) && !Number.isInteger(value) ? short(value) : String(value ?? 'not set');
    return el('tr', {}, el('th', {scope: 'row'}, name), el('td', {}, text));
  });
  return el('table', {class: 'settings'}, el('caption', {}, caption), el('tbody', {}, ...rows));
}

// Turns a message into a sentence. A message that begins with a name keeps its first letter.
function sentence(text) {
  return (/^[a-z]+\s/.test(text) ? text[0].toUpperCase() + text.slice(1) : text) + (/\.$/.test(text) ? '' : '.');
}

function dataText() {
  const {data} = report;
  if (!data) {
    return 'The page was made without data (--data), so it shows the model only.';
  }
  const part = data.used < data.samples
    ? `a random part, ${count(data.used)} of the ${count(data.samples)} samples of ${data.name}`
    : `the ${plural(data.samples, 'sample')} of ${data.name}`;
  return `Statistics refer to ${part}, whether or not the model was learned from them.`;
}

function showOverview() {
  document.getElementById('lede').textContent = lede();
  const section = sectionOf('learned');
  section.append(facts());
  if (typeof summary.message === 'string') section.append(el('p', {class: 'message'}, sentence(summary.message)));
  section.append(el('p', {class: 'note'}, dataText()));
  const tables = [['Options', asked], ['Outcome', summary]].filter(([, entries]) => Object.keys(entries).length > 0);
  if (tables.length === 0) {
    section.append(explain('The model’s metadata have no information about how it was made.'));
  } else {
    section.append(el('details', {class: 'all'}, el('summary', {}, 'All options and outcomes'),
      el('div', {class: 'tables'}, ...tables.map(([caption, entries]) => settingsTable(caption, entries)))));
  }
  const version = report.metadata.version ? `, with a model of version ${report.metadata.version}` : '';
  document.getElementById('colophon').textContent =
    `Made by orthodict ${report.version}${version}. Model: ${report.model.name}. ` +
    'This page is a single file and needs no network. Charts: uPlot (MIT).';
}
