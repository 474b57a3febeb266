// SPDX-License-Identifier: Apache-2.0
// Light and dark themes. All dark colours are in media rules for the system's preference. A choice made on the page
// makes these rules apply always or never.

const darkQuery = '(prefers-color-scheme: dark)';
const darkRules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .filter((rule) => rule instanceof CSSMediaRule && rule.conditionText === darkQuery);
const systemScheme = window.matchMedia(darkQuery);
const themeListeners = [];
let themeChoice = 'system';

function isDark() {
  return themeChoice === 'system' ? systemScheme.matches : themeChoice === 'dark';
}

// A colour from the style sheet: color('ink') is --ink.
const colors = new Map();
function color(name) {
  if (!colors.has(name)) {
    colors.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return colors.get(name);
}

// Canvases don't follow the style sheet, so `redraw` is called when colours have changed.
function onTheme(redraw) {
  themeListeners.push(redraw);
}

function applyTheme() {
  const condition = {system: darkQuery, light: 'not all', dark: 'all'}[themeChoice];
  for (const rule of darkRules) rule.media.mediaText = condition;
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  colors.clear();
  for (const redraw of themeListeners) redraw();
}

function startTheme() {
  systemScheme.addEventListener('change', applyTheme);
  for (const input of document.querySelectorAll('input[name=theme]')) {
    input.addEventListener('change', () => {
      themeChoice = input.value;
      applyTheme();
    });
  }
  applyTheme();
}
