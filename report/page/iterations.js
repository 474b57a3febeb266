// SPDX-License-Identifier: Apache-2.0
// Objective and movement per iteration, with the stages of the run.

// Consecutive iterations of the same stage: {name, first, last}.
function stageRuns(stages) {
  const runs = [];
  stages.forEach((name, i) => {
    if (i > 0 && name === stages[i - 1]) {
      runs[runs.length - 1].last = i;
    } else {
      runs.push({name, first: i, last: i});
    }
  });
  return runs;
}

// Shades every other stage, and writes names at the top if they fit.
function drawStages(runs) {
  return (plot) => {
    const {ctx, bbox} = plot;
    const ratio = uPlot.pxRatio;
    const edge = (value) => Math.min(Math.max(plot.valToPos(value, 'x', true), bbox.left), bbox.left + bbox.width);
    ctx.save();
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'bottom';
    runs.forEach(({name, first, last}, i) => {
      const left = edge(first - 0.5);
      const right = edge(last + 0.5);
      ctx.fillStyle = color('panel');
      if (i % 2 === 0) ctx.fillRect(left, bbox.top, right - left, bbox.height);
      ctx.fillStyle = color('muted');
      const fits = ctx.measureText(name).width + 4 * ratio < right - left;
      if (fits) ctx.fillText(name, left + 2 * ratio, bbox.top - 3 * ratio);
    });
    ctx.restore();
  };
}

// One series per stage, so that lines don't connect stages.
function byStage(stages, values) {
  return [...new Set(stages)].map((name) => values.map((value, i) => stages[i] === name ? value : null));
}

function iterationChart(parent, spec) {
  const {history} = report;
  const runs = stageRuns(history.stage);
  const series = byStage(history.stage, spec.values);
  const iterations = history.stage.map((_, i) => i);
  const stagesText = runs.map(({name, first, last}) => `${name} from ${first} to ${last}`).join(', ');
  const points = {show: iterations.length < 60, size: 5, fill: () => color('accent')};
  chart(parent, {
    ...spec,
    headroom: 20,
    key: [['accent', spec.upward], ...(runs.length > 1 ? [['panel', 'every other stage', 'block']] : [])],
    rightward: 'iteration',
    label: `${spec.title} per iteration. ${spec.outline} Stages: ${stagesText}.`,
    options: {
      scales: {x: {time: false, range: [-0.5, iterations.length - 0.5]}, y: spec.scale},
      axes: [axis(), spec.axis],
      series: [{}, ...series.map(() => line('accent', {points}))],
      hooks: {drawClear: [drawStages(runs)]},
    },
    data: [iterations, ...series],
    readout: (i) => `${i}, ${history.stage[i]}: ${short(spec.values[i])}, ${plural(history.samples[i], 'sample')}`,
    table: [['iteration', 'stage', 'samples', spec.upward],
      () => iterations.map((i) => [count(i), history.stage[i], count(history.samples[i]), short(spec.values[i])])],
  });
}

function showObjective(parent) {
  const {objective, samples, stage} = report.history;
  const values = objective.map((value, i) => isNumber(value) && samples[i] > 0 ? value / samples[i] : null);
  const finite = values.filter(isNumber);
  if (finite.length === 0) {
    parent.append(explain('Objective: the history contains no values.'));
    return;
  }
  const several = new Set(stage).size > 1 ? ' Stages differ in φ: compare values within a stage only.' : '';
  iterationChart(parent, {
    title: 'Objective',
    text: `Σφ(AY) per sample, which is maximised.${several}`,
    upward: 'objective per sample',
    outline: `From ${short(finite[0])} to ${short(finite[finite.length - 1])}.`,
    values,
    scale: {},
    axis: axis({size: 62, values: (plot, splits) => splits.map(short)}),
  });
}

function showMovement(parent) {
  const values = report.history.step.map((value) => isNumber(value) && value > 0 ? value : null);
  const finite = values.filter(isNumber);
  if (finite.length === 0) {
    parent.append(explain('Movement: the history contains no steps.'));
    return;
  }
  const tolerance = isNumber(summary.tolerance) ? ` The tolerance is ${short(summary.tolerance)}.` : '';
  iterationChart(parent, {
    title: 'Movement',
    text: `How far atoms moved in a step: the root mean square of their distances, up to sign.${tolerance}`,
    upward: 'step',
    outline: `From ${short(finite[0])} to ${short(finite[finite.length - 1])}.`,
    values,
    scale: {distr: 3},
    axis: logAxis((value) => value < 1e-3 ? value.toExponential(0) : short(value), {size: 62}),
  });
}

function showIterations() {
  const section = sectionOf('iterations');
  if (!report.history) {
    section.append(explain('The model’s metadata have no history: it was made by a method without iterations, by an ' +
      'earlier version, or by another program.'));
    return;
  }
  const pair = el('div', {class: 'pair'});
  section.append(pair);
  showObjective(pair);
  showMovement(pair);
}
