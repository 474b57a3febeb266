// SPDX-License-Identifier: Apache-2.0
// All public headers.
#pragma once

#include "orthodict/array.h"
#include "orthodict/atoms.h"
#include "orthodict/denoise.h"
#include "orthodict/error.h"
#include "orthodict/fit.h"
#include "orthodict/image.h"
#include "orthodict/io.h"
#include "orthodict/metrics.h"
#include "orthodict/model.h"
#include "orthodict/mosaic.h"
#include "orthodict/output.h"
#include "orthodict/patches.h"
#include "orthodict/projection.h"
#include "orthodict/ranks.h"
#include "orthodict/samples.h"
#include "orthodict/stream.h"
#include "orthodict/stretch.h"
#include "orthodict/synthetic.h"
#include "orthodict/types.h"
#include "orthodict/version.h"
