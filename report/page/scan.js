// SPDX-License-Identifier: Apache-2.0
// How many atoms: what several numbers of them gave.

// A vertical line at a number of atoms.
function drawNumber(atoms) {
  return (plot) => {
    const {ctx, bbox} = plot;
    const x = Math.round(plot.valToPos(atoms, 'x', true)) + 0.5;
    ctx.save();
    ctx.strokeStyle = color('muted');
    ctx.setLineDash([4 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  };
}

function showScan() {
  const section = sectionOf('scan');
  const {scan} = report;
  if (!scan) {
    section.append(explain('The page was made without a scan of numbers of atoms (--scan).'));
    return;
  }
  const {numbers} = scan;
  const points = (name) => ({show: true, size: 6, fill: () => color(name)});
  const choice = (atoms, why) => `${atoms === null ? 'no number, because' : `${plural(atoms, 'atom')},`} ${why}.`;
  const outline = `Recommended: ${choice(scan.recommended, scan.reason)}`;
  chart(section, {
    title: 'Atoms that come again, by the number asked for',
    text: [outline, ` By OptICA’s rule: ${choice(scan.optica, scan.optica_reason)}`],
    key: [['accent', 'stable'], ['other', 'robust: stable from other starts'], ['muted', 'recommended', 'dashes']],
    upward: 'atoms of that kind',
    rightward: 'atoms asked for',
    label: outline,
    options: {
      scales: {x: {time: false, range: [0, 1.05 * Math.max(...numbers.atoms)]},
        y: {range: [0, 1.05 * Math.max(1, ...numbers.stable, ...numbers.robust)]}},
      axes: [axis(), axis({size: 52})],
      series: [{}, line('accent', {points: points('accent')}), line('other', {points: points('other')})],
      hooks: {drawAxes: scan.recommended === null ? [] : [drawNumber(scan.recommended)]},
    },
    data: [numbers.atoms, numbers.stable, numbers.robust],
    readout: (i) => `${plural(numbers.atoms[i], 'atom')}: ${count(numbers.stable[i])} stable, ` +
      `${count(numbers.robust[i])} robust, ${count(numbers.singles[i])} of one sample`,
    table: [['atoms', 'stable', 'robust', 'singles', 'conserved', 'held-out log-likelihood'],
      () => numbers.atoms.map((value, i) => [count(value), count(numbers.stable[i]), count(numbers.robust[i]),
        count(numbers.singles[i]), count(numbers.conserved[i]), short(numbers.held_out[i])])],
  });
}
