// SPDX-License-Identifier: Apache-2.0
// The report's data, and utilities for all parts of the page.

const report = JSON.parse(document.getElementById('report').textContent);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Names and values come from files, so they are inserted as text, never as markup.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function sectionOf(id) {
  return document.getElementById(id);
}

// A note that explains why something is missing.
function explain(text) {
  return el('p', {class: 'empty'}, text);
}

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const absent = '–';
const percentSign = '\u00a0%';
const wholeNumber = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const threeDigits = new Intl.NumberFormat('en', {maximumSignificantDigits: 3});

// 12,345
function count(value) {
  return isNumber(value) ? wholeNumber.format(value) : absent;
}

// Three significant digits: 0.207, 15,700, 1.23e-9, 1e-6.
function short(value) {
  if (!isNumber(value)) return absent;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return Number(value.toPrecision(3)).toExponential();
  return threeDigits.format(value);
}

// A share as a percentage with one decimal, or more for small values.
function percent(share) {
  if (!isNumber(share)) return absent;
  const value = 100 * share;
  const size = Math.abs(value);
  if (size > 0 && size < 0.001) return `<\u00a00.001${percentSign}`;
  if (size > 0 && size < 0.1) return `${value.toPrecision(1)}${percentSign}`;
  return `${value.toFixed(1)}${percentSign}`;
}

// "28 × 28" or "8 × 8 × 3".
function shapeText(shape) {
  return shape.join(' × ');
}

// "1 atom", "2 atoms".
function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

// A table behind a disclosure: the numbers of a figure as text. Filled when first opened.
function tableBehind(title, head, rows) {
  const details = el('details', {class: 'numbers'}, el('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (details.querySelector('table')) return;
    const body = el('tbody');
    for (const row of rows()) {
      body.append(el('tr', {}, el('th', {scope: 'row'}, row[0]), ...row.slice(1).map((cell) => el('td', {}, cell))));
    }
    const heading = el('thead', {}, el('tr', {}, ...head.map((name) => el('th', {scope: 'col'}, name))));
    const frame = el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title});
    frame.append(el('table', {}, heading, body));
    details.append(frame);
  });
  return details;
}
