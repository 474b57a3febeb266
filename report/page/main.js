// SPDX-License-Identifier: Apache-2.0
// Shown before the contents are added, so that charts can measure their space.
for (const part of document.querySelectorAll('main, footer')) part.hidden = false;
startTheme();
showOverview();
showGallery();
showSparsity();
showItems();
showIterations();
showConfidence();
showStability();
showScan();
