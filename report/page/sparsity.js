// SPDX-License-Identifier: Apache-2.0
// The sparsity of the codes: their histogram with the fitted mixture, and the share of energy in few coefficients.

const needsData = 'The page was made without data (--data).';

const coefficientText = complex ? 'modulus of a coefficient' : 'coefficient';
const percentTick = (share) => `${Number((100 * share).toPrecision(1))}${percentSign}`;
const percentAxis = axis({
  size: 52,
  values: (plot, splits) => splits.map((value) => `${Math.round(100 * value)}${percentSign}`),
});

function mixtureText({outside, total}) {
  const far = outside > 0 ? ` ${count(outside)} of ${count(total)} coefficients are beyond the range drawn.` : '';
  const alike = atoms.usage ? '' : ' The two parts hardly differ: these coefficients are not sparse.';
  const of = complex ? 'of circular normal distributions ' : '';
  return `How often coefficients of a size occur, and the mixture ${of}(1 − θ) N(0, s₀²) + θ N(0, s₁²) that ` +
    `fits best. The scale is logarithmic${complex ? '' : ': one Gaussian would be a parabola'}.${far}${alike}`;
}

function mixtureTable({theta, noise, signal}) {
  const row = (label, share, size) => el('tr', {}, el('th', {scope: 'row'}, label), el('td', {}, percent(share)),
    el('td', {}, short(size)));
  const head = ['share', 'standard deviation'].map((name) => el('th', {scope: 'col'}, name));
  return el('table', {class: 'needed'}, el('caption', {}, 'The two parts of the mixture'),
    el('thead', {}, el('tr', {}, el('td'), ...head)),
    el('tbody', {}, row('signal, θ and s₁', theta, signal), row('the rest, 1 − θ and s₀', 1 - theta, noise)));
}

function showHistogram(parent) {
  const coefficients = report.coefficients;
  if (!coefficients) {
    parent.append(explain(`Coefficients: ${needsData}`));
    return;
  }
  const {limit, total, counts, expected, mixture} = coefficients;
  if (limit === 0) {
    parent.append(explain('Coefficients: all are zero, so there is nothing to count.'));
    return;
  }
  const half = 0.5 / total;
  const least = complex ? 0 : -limit;
  const centers = counts.map((_, i) => least + (limit - least) * (2 * i + 1) / (2 * counts.length));
  const shares = counts.map((value) => value > 0 ? value / total : null);
  const fitted = expected.map((value) => value / total >= half ? value / total : null);
  const rows = () => centers.map((center, i) => [short(center), count(counts[i]), short(expected[i])]);
  const figure = chart(parent, {
    title: 'Coefficients',
    text: mixtureText(coefficients),
    key: [['area', 'coefficients', 'block'], ['accent', 'mixture']],
    upward: 'share of coefficients',
    rightward: coefficientText,
    label: `Histogram of ${count(total)} coefficients between ${short(least)} and ${short(limit)}; a share of ` +
      `${short(mixture.theta)} has standard deviation ${short(mixture.signal)}, the rest ${short(mixture.noise)}.`,
    options: {
      scales: {x: {time: false, range: [least, limit]}, y: {distr: 3, range: (plot, low, high) => [half, 2 * high]}},
      axes: [axis(), logAxis(percentTick, {size: 72})],
      series: [{}, {
        fill: () => color('area'),
        width: 0,
        points: {show: false},
        paths: uPlot.paths.bars({size: [1, Infinity], gap: 0}),
      }, line('accent')],
    },
    data: [centers, shares, fitted],
    readout: (i) => `${short(centers[i])}: ${count(counts[i])} coefficients, ${short(expected[i])} by the mixture`,
    table: [[coefficientText, 'count', 'by the mixture'], rows],
  });
  figure.querySelector('.below').after(mixtureTable(mixture));
}

// The smallest number of coefficients that keeps the share.
function needed(shares, share) {
  const k = shares.findIndex((kept) => kept >= share);
  return k < 0 ? absent : count(k);
}

function neededTable({model, pca}) {
  const shares = [0.5, 0.8, 0.9, 0.95, 0.99];
  const row = (name, label, kept) => el('tr', {}, el('th', {scope: 'row', class: name}, label),
    ...shares.map((share) => el('td', {}, needed(kept, share))));
  const head = shares.map((share) => el('th', {scope: 'col'}, `${100 * share}${percentSign}`));
  return el('table', {class: 'needed'}, el('caption', {}, 'Coefficients per sample needed to keep'),
    el('thead', {}, el('tr', {}, el('td'), ...head)),
    el('tbody', {}, row('accent', 'this model', model), row('other', 'PCA', pca)));
}

function showCurve(parent) {
  const {curve} = report;
  if (!curve) {
    const none = 'every sample equals the model’s mean, so there is no energy to keep.';
    parent.append(explain(`Energy kept: ${report.data ? none : needsData}`));
    return;
  }
  const ks = curve.model.map((_, k) => k).slice(1);
  const at = (shares) => ks.map((k) => shares[Math.min(k, shares.length - 1)]);
  const model = at(curve.model);
  const pca = at(curve.pca);
  const least = Math.min(0, ...model, ...pca);
  const text = `The share of energy that the k largest coefficients of each sample keep, over ` +
    `${plural(curve.samples, 'sample')}, beside the same for PCA with as many components.`;
  const dots = {points: {show: ks.length < 3}};
  const figure = chart(parent, {
    title: 'Energy kept',
    text,
    key: [['accent', 'this model'], ['other', 'PCA']],
    upward: 'share of energy kept',
    rightward: 'coefficients kept, k',
    label: `${text} To keep 90 %, this model needs ${needed(curve.model, 0.9)} of them and PCA ` +
      `${needed(curve.pca, 0.9)}.`,
    options: {
      scales: {x: {time: false, distr: 3, range: [1, Math.max(2, ks.length)]}, y: {range: [least, 1]}},
      axes: [logAxis(count), percentAxis],
      series: [{}, line('accent', dots), line('other', dots)],
    },
    data: [ks, model, pca],
    readout: (i) => `k = ${count(ks[i])}: this model ${percent(model[i])}, PCA ${percent(pca[i])}`,
    table: [['k', 'this model', 'PCA'], () => ks.map((k, i) => [count(k), percent(model[i]), percent(pca[i])])],
  });
  figure.querySelector('.below').after(neededTable(curve));
}

function showSparsity() {
  const pair = el('div', {class: 'pair'});
  sectionOf('sparsity').append(pair);
  showHistogram(pair);
  showCurve(pair);
}
