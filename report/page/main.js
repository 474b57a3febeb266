// SPDX-License-Identifier: Apache-2.0
// Hidden until it has its contents, so that nothing moves.
for (const part of document.querySelectorAll('main, footer')) part.hidden = false;
startTheme();
showOverview();
showGallery();
showSparsity();
showItems();
showIterations();
showConfidence();
