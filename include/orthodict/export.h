// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks what the shared library exports. All other symbols are hidden.
#define ORTHODICT_EXPORT __attribute__((visibility("default")))
