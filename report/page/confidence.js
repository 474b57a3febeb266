// SPDX-License-Identifier: Apache-2.0
// The confidence of each atom, and charts of a value for each atom.

function drawThreshold(level) {
  return (plot) => {
    const {ctx, bbox} = plot;
    const y = Math.round(plot.valToPos(level, 'y', true)) + 0.5;
    ctx.save();
    ctx.strokeStyle = color('muted');
    ctx.setLineDash([4 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  };
}

// A dot for each atom, between 0 and 1, with a line at a level. `spec` has the title, the text, the outline, the name of
// the value, the values, the level, what it means, and of each atom further cells: [heads, cells(i)].
function atomChart(parent, spec) {
  const {values, name, more: [heads, cells]} = spec;
  const places = values.map((_, i) => i + 1);
  chart(parent, {
    title: spec.title,
    text: `${spec.text} ${spec.outline}`,
    key: [['accent', 'atom', 'dot'], ['muted', spec.meaning, 'dashes']],
    upward: name,
    rightward: atoms.energy ? 'atom, by falling energy' : 'atom, in the order of the model',
    label: `${spec.title}. ${spec.outline}`,
    options: {
      scales: {x: {time: false, range: [0, places.length + 1]}, y: {range: [-0.03, 1.03]}},
      axes: [axis(), axis({size: 52, splits: [0, 0.25, 0.5, 0.75, 1], values: (plot, splits) => splits.map(short)})],
      series: [{}, {
        stroke: () => color('accent'), width: 0, paths: () => null,
        points: {show: true, size: places.length > 200 ? 4 : 7, width: 0, fill: () => color('accent')},
      }],
      hooks: {drawAxes: [drawThreshold(spec.level)]},
    },
    data: [places, values.map((value) => Math.max(value, 0))],
    readout: (i) => [`${nameOf(i)}, row ${atoms.order[i]}: ${short(values[i])}`,
      ...cells(i).map((cell, j) => `${heads[j]} ${cell}`)].join(', '),
    table: [['atom', 'row in the model', name, ...heads],
      () => places.map((place, i) => [count(place), count(atoms.order[i]), short(values[i]), ...cells(i)])],
  });
}

function showConfidence() {
  const section = sectionOf('confidence');
  const {confidence} = atoms;
  if (!confidence) {
    const method = typeof asked.method === 'string' ? `Method ${methodText()} doesn’t` : 'The model doesn’t';
    section.append(explain(`${method} estimate the confidence of atoms; method auto does.`));
    return;
  }
  const good = confidence.filter((value) => value >= established).length;
  const least = Math.min(...confidence);
  atomChart(section, {
    title: 'Confidence of each atom',
    text: 'The cos² to be expected between an atom and the true one: near 1 is established, below ½ is not.',
    outline: `${count(good)} of ${plural(confidence.length, 'atom')} established; the least confidence is ${short(least)}.`,
    name: 'confidence', values: confidence, level: established, meaning: 'established from here on',
    more: [[], () => []],
  });
}
