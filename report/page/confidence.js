// SPDX-License-Identifier: Apache-2.0
// The confidence of each atom.

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

function showConfidence() {
  const section = sectionOf('confidence');
  const {confidence, order} = atoms;
  if (!confidence) {
    const method = typeof asked.method === 'string' ? `Method ${methodText()} doesn’t` : 'The model doesn’t';
    section.append(explain(`${method} estimate the confidence of atoms; method auto does.`));
    return;
  }
  const places = confidence.map((_, i) => i + 1);
  const good = confidence.filter((value) => value >= established).length;
  const least = Math.min(...confidence);
  const outline =
    `${count(good)} of ${plural(confidence.length, 'atom')} established; the least confidence is ${short(least)}.`;
  chart(section, {
    title: 'Confidence of each atom',
    text: `The cos² to be expected between an atom and the true one: near 1 is established, below ½ is not. ${outline}`,
    key: [['accent', 'atom', 'dot'], ['muted', 'established from here on', 'dashes']],
    upward: 'confidence',
    rightward: atoms.energy ? 'atom, by falling energy' : 'atom, in the order of the model',
    label: `Confidence of each atom. ${outline}`,
    options: {
      scales: {x: {time: false, range: [0, places.length + 1]}, y: {range: [-0.03, 1.03]}},
      axes: [axis(), axis({size: 52, splits: [0, 0.25, 0.5, 0.75, 1], values: (plot, splits) => splits.map(short)})],
      series: [{}, {
        stroke: () => color('accent'), width: 0, paths: () => null,
        points: {show: true, size: places.length > 200 ? 4 : 7, width: 0, fill: () => color('accent')},
      }],
      hooks: {drawAxes: [drawThreshold(established)]},
    },
    data: [places, confidence],
    readout: (i) => `${nameOf(i)}, row ${order[i]}: ${short(confidence[i])}`,
    table: [['atom', 'row in the model', 'confidence'],
      () => places.map((place, i) => [count(place), count(order[i]), short(confidence[i])])],
  });
}
