// SPDX-License-Identifier: Apache-2.0
#include "orthodict/version.h"

namespace orthodict {

const char* version() { return ORTHODICT_VERSION; }

}  // namespace orthodict
