// SPDX-License-Identifier: Apache-2.0
// How well each atom comes again in several runs.

// What stable atoms have at least.
const stableFrom = atoms.stable_from;

// A chart of one index.
function stabilityChart(parent, {title, text, index, found, name}) {
  const good = index.filter((value, i) => value >= stableFrom.stability && found[i] >= stableFrom.found).length;
  atomChart(parent, {
    title, text, name, values: index, level: stableFrom.stability, meaning: 'comes again from here on',
    outline: `${count(good)} of ${plural(index.length, 'atom')} come again.`,
    more: [['share of runs', 'stable'], (i) => [percent(found[i]), atoms.stable[i] ? 'yes' : 'no']],
  });
}

function showStability() {
  const section = sectionOf('stability');
  if (!atoms.stability) {
    section.append(explain('The model is of a single run: fit with --runs 10 says how well atoms come again.'));
    return;
  }
  const stable = atoms.stable.filter((value) => value).length;
  const both = atoms.resampled_stability ? ' from other starts and from other samples' : ' from other starts';
  section.append(el('p', {class: 'note'},
    `${count(stable)} of ${plural(atoms.stable.length, 'atom')} stable: they come again${both}, in at least ` +
    `${percent(stableFrom.found)} of the runs, with an index of at least ${short(stableFrom.stability)}.`));
  const pair = el('div', {class: 'pair'});
  section.append(pair);
  stabilityChart(pair, {
    title: 'From other starts',
    text: 'How alike the versions of an atom are in runs on all samples, less their likeness to all other atoms ' +
      '(Icasso’s index).',
    index: atoms.stability, found: atoms.found, name: 'stability',
  });
  if (!atoms.resampled_stability) return;
  stabilityChart(pair, {
    title: 'From other samples',
    text: 'How alike an atom and its versions are in runs on parts of the samples, less their likeness to all other ' +
      'atoms.',
    index: atoms.resampled_stability, found: atoms.resampled_found, name: 'resampled stability',
  });
}
