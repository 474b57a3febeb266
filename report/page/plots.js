// SPDX-License-Identifier: Apache-2.0
// Charts: uPlot with the page's colours, a legend, a readout of the values under the pointer, and the numbers as a
// table.

const chartFont = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

// An axis without a title: titles are text beside the plot.
function axis(more = {}) {
  return {
    font: chartFont,
    stroke: () => color('muted'),
    size: 30,
    grid: {stroke: () => color('grid'), width: 1},
    ticks: {stroke: () => color('line'), width: 1, size: 4},
    gap: 6,
    ...more,
  };
}

// A logarithmic axis with labels and lines at powers of ten, or at every few of them, and also at 2 and 5 if there are
// few.
function logAxis(text, more = {}) {
  const chosen = (plot, splits) => {
    const decades = Math.log10(splits[splits.length - 1] / splits[0]);
    const digits = decades <= 2 ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(decades / 6));
    return splits.map((value) => {
      const power = Math.floor(Math.log10(value) + 1e-9);
      return digits.includes(Math.round(value / 10 ** power)) && power % every === 0 ? value : null;
    });
  };
  const plain = axis();
  return {
    ...plain,
    filter: chosen,
    grid: {...plain.grid, filter: chosen},
    ticks: {...plain.ticks, filter: chosen},
    values: (plot, splits) => splits.map((value) => value === null ? null : text(value)),
    ...more,
  };
}

function line(name, more = {}) {
  return {stroke: () => color(name), width: 2, points: {show: false}, ...more};
}

// A figure: {title, text, key: [[color, label] …], upward, rightward (titles of the axes), label (for screen readers),
// headroom in pixels, options and data for uPlot, readout(i) (text for point i), table: [head, rows()]}.
function chart(parent, spec) {
  const key = el('ul', {class: 'key'}, ...spec.key.map(([name, label, shape]) => {
    return el('li', {}, el('span', {class: `swatch ${name} ${shape || 'stroke'}`, 'aria-hidden': 'true'}), label);
  }));
  const readout = el('p', {class: 'readout', 'aria-hidden': 'true'});
  const host = el('div', {class: 'plot', role: 'img', 'aria-label': spec.label});
  const figure = el('figure', {class: 'chart'},
    el('figcaption', {}, el('h3', {}, spec.title), el('p', {}, ...[spec.text].flat())), key,
    el('p', {class: 'upward', 'aria-hidden': 'true'}, `↑ ${spec.upward}`), host,
    el('div', {class: 'below'}, readout, el('p', {class: 'rightward', 'aria-hidden': 'true'}, `${spec.rightward} →`)));
  figure.append(tableBehind('Numbers', spec.table[0], spec.table[1]));
  parent.append(figure);

  const showReadout = (plot) => {
    const index = plot.cursor.idx;
    readout.textContent = index === null || index === undefined ? '' : spec.readout(index);
  };
  const height = 260;
  let plot = null;
  lazily(host, () => {
    if (plot) {
      plot.redraw(false);
      return;
    }
    plot = new uPlot({
      width: host.clientWidth,
      height,
      legend: {show: false},
      cursor: {drag: {x: false, y: false}, y: false, points: {size: 7}},
      padding: [spec.headroom || 8, 12, 0, 0],
      ...spec.options,
      hooks: {setCursor: [showReadout], ...spec.options.hooks},
    }, spec.data, host);
    new ResizeObserver(() => plot.setSize({width: host.clientWidth, height})).observe(host);
  });
  return figure;
}
