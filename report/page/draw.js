// SPDX-License-Identifier: Apache-2.0
// Small pictures of atoms and samples, as pixels or as bars.

// Colours from −1 through 0 to 1, in equal steps. Zero is --panel.
const divergingStops = {
  light: [
    [24, 78, 140], [66, 133, 190], [152, 196, 226], [244, 246, 248], [248, 180, 142], [222, 105, 66], [160, 36, 24],
  ],
  dark: [
    [176, 219, 255], [92, 160, 222], [42, 88, 138], [29, 34, 42], [140, 66, 36], [226, 124, 74], [255, 214, 184],
  ],
};
const divergingSteps = 512;

// A table with 3 bytes for each of 2·divergingSteps + 1 values.
function divergingTable() {
  const stops = divergingStops[isDark() ? 'dark' : 'light'];
  const table = new Uint8ClampedArray(3 * (2 * divergingSteps + 1));
  for (let i = 0; i <= 2 * divergingSteps; ++i) {
    const place = i / (2 * divergingSteps) * (stops.length - 1);
    const left = Math.min(Math.floor(place), stops.length - 2);
    for (let c = 0; c < 3; ++c) {
      table[3 * i + c] = stops[left][c] + (place - left) * (stops[left + 1][c] - stops[left][c]);
    }
  }
  return table;
}
let diverging = divergingTable();

// Draws an element when it is visible or scrolls into view, and again after a change of theme.
const drawings = new Map();
const inView = new Set();
const outdated = new Set();
function refresh(element) {
  if (!inView.has(element)) {
    outdated.add(element);
    return;
  }
  outdated.delete(element);
  drawings.get(element)();
}
const viewObserver = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) {
      inView.delete(entry.target);
      continue;
    }
    inView.add(entry.target);
    if (outdated.has(entry.target)) refresh(entry.target);
  }
}, {rootMargin: '300px'});
function lazily(element, draw) {
  drawings.set(element, draw);
  outdated.add(element);
  viewObserver.observe(element);
}
onTheme(() => {
  diverging = divergingTable();
  for (const element of drawings.keys()) refresh(element);
});

// A canvas that reserves the picture's space before it is drawn.
function pictureCanvas([height, width]) {
  const canvas = el('canvas', {class: 'picture', 'aria-hidden': 'true'});
  canvas.style.aspectRatio = `${width} / ${height}`;
  return canvas;
}

// Fills a canvas with one pixel per pixel of the picture; paint(i, rgba, at) writes pixel i.
function drawPixels(canvas, [height, width], paint) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  for (let i = 0; i < width * height; ++i) {
    paint(i, image.data, 4 * i);
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

// Draws bytes directly: grey, or red, green and blue.
function drawPicture(canvas, bytes, shape) {
  const channels = shape[2] || 1;
  drawPixels(canvas, shape, (i, rgba, at) => {
    for (let c = 0; c < 3; ++c) rgba[at + c] = bytes[channels * i + (channels === 3 ? c : 0)];
  });
}

// Draws entries between −limit and limit: in diverging colours or, with three channels, as colours around grey.
function drawSigned(canvas, entries, limit, shape) {
  if (shape[2] === 3) {
    drawPixels(canvas, shape, (i, rgba, at) => {
      for (let c = 0; c < 3; ++c) rgba[at + c] = 127.5 * (1 + entries[3 * i + c] / limit);
    });
    return;
  }
  drawPixels(canvas, shape, (i, rgba, at) => {
    const step = 3 * Math.round(divergingSteps * (1 + entries[i] / limit));
    for (let c = 0; c < 3; ++c) rgba[at + c] = diverging[step + c];
  });
}

// A cleared context in CSS pixels, for a canvas whose size the style sheet sets.
function contextOf(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  return {context, width, height};
}

// Draws entries between −limit and limit as bars from a zero line. Entries that share a pixel are drawn as the range
// from the smallest to the largest.
function drawBars(canvas, entries, limit) {
  const {context, width, height} = contextOf(canvas);
  const middle = height / 2;
  const room = middle - 1;
  const slot = Math.max(1, width / entries.length);
  const perSlot = entries.length * slot / width;
  const gap = slot > 4 ? 1 : 0;
  context.fillStyle = color('line');
  context.fillRect(0, middle - 0.5, width, 1);
  for (let x = 0; x * slot < width - 1e-6; ++x) {
    let low = 0;
    let high = 0;
    const last = Math.min(entries.length, Math.ceil((x + 1) * perSlot - 1e-6));
    for (let i = Math.floor(x * perSlot + 1e-6); i < last; ++i) {
      low = Math.min(low, entries[i]);
      high = Math.max(high, entries[i]);
    }
    context.fillStyle = color('plus');
    context.fillRect(x * slot, middle - room * high / limit, slot - gap, room * high / limit);
    context.fillStyle = color('minus');
    context.fillRect(x * slot, middle, slot - gap, -room * low / limit);
  }
}

// The colour of a phase in radians, as red, green and blue: once around the wheel, red at 0.
function phaseColor(phase) {
  return [0, 2, 4].map((third) => 128 + 100 * Math.cos(phase - third * Math.PI / 3));
}

// Draws complex entries with moduli up to limit: the phase as colour, the modulus as its strength.
function drawPhases(canvas, entries, limit, shape) {
  const middle = 3 * divergingSteps;
  drawPixels(canvas, shape, (i, rgba, at) => {
    const [re, im] = [entries[2 * i], entries[2 * i + 1]];
    const strength = Math.min(1, Math.hypot(re, im) / limit);
    phaseColor(Math.atan2(im, re)).forEach((value, c) => {
      rgba[at + c] = (1 - strength) * diverging[middle + c] + strength * value;
    });
  });
}

// The same as bars, whose heights are the moduli. Of entries that share a pixel the largest is drawn.
function drawPhaseBars(canvas, entries, limit) {
  const {context, width, height} = contextOf(canvas);
  const length = entries.length / 2;
  const slot = Math.max(1, width / length);
  const perSlot = length * slot / width;
  const gap = slot > 4 ? 1 : 0;
  context.fillStyle = color('line');
  context.fillRect(0, height - 1, width, 1);
  for (let x = 0; x * slot < width - 1e-6; ++x) {
    let largest = 0;
    let phase = 0;
    const last = Math.min(length, Math.ceil((x + 1) * perSlot - 1e-6));
    for (let i = Math.floor(x * perSlot + 1e-6); i < last; ++i) {
      const modulus = Math.hypot(entries[2 * i], entries[2 * i + 1]);
      if (modulus > largest) [largest, phase] = [modulus, Math.atan2(entries[2 * i + 1], entries[2 * i])];
    }
    const tall = (height - 2) * Math.min(1, largest / limit);
    context.fillStyle = `rgb(${phaseColor(phase).map(Math.round).join(' ')})`;
    context.fillRect(x * slot, height - 1 - tall, slot - gap, tall);
  }
}

// Draws two rows of bytes on top of each other: the original as bars from `zero`, the reconstruction as a stepped line.
function drawOver(canvas, original, made, zero, stroke) {
  const {context, width, height} = contextOf(canvas);
  const slot = width / original.length;
  const gap = slot > 4 ? 1 : 0;
  const y = (value) => 2 + (height - 4) * (1 - value / 255);
  context.fillStyle = color('shade');
  original.forEach((value, i) => context.fillRect(i * slot, y(zero), slot - gap, y(value) - y(zero)));
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  context.beginPath();
  made.forEach((value, i) => {
    context.lineTo(i * slot, y(value));
    context.lineTo((i + 1) * slot - gap, y(value));
  });
  context.stroke();
}

// The legend of drawPhases and drawPhaseBars.
function phaseLegend() {
  const wheel = el('canvas', {class: 'ramp', 'aria-hidden': 'true'});
  const turns = Float32Array.from({length: 2 * 201}, (_, i) => {
    const phase = ((i >> 1) / 100 - 1) * Math.PI;
    return i % 2 === 0 ? Math.cos(phase) : Math.sin(phase);
  });
  lazily(wheel, () => drawPhases(wheel, turns, 1, [1, 201]));
  return el('p', {class: 'legend'}, el('span', {}, 'phase −π'), wheel, el('span', {}, 'π'),
    el('span', {class: 'note'}, 'Each atom on its own scale, with a phase of 0 where it is largest.'));
}

// The legend of drawSigned and drawBars.
function signLegend(shape) {
  if (shape && shape[2] === 3) {
    return el('p', {class: 'legend'}, 'Grey is zero; colours are what an atom adds to red, green and blue.');
  }
  const ramp = el('canvas', {class: 'ramp', 'aria-hidden': 'true'});
  const values = Float32Array.from({length: 201}, (_, i) => i / 100 - 1);
  lazily(ramp, () => drawSigned(ramp, values, 1, [1, 201]));
  return el('p', {class: 'legend'}, el('span', {}, 'minus'), ramp, el('span', {}, 'plus'),
    el('span', {class: 'note'}, 'Each atom on its own scale.'));
}
