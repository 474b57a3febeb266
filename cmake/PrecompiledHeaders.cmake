# SPDX-License-Identifier: Apache-2.0
# precompile_headers(TARGET [HEADER...]) precompiles the third-party headers that nearly all sources of TARGET include,
# which halves build times. Sources must still include what they need: the preset dev builds without precompiled headers
# (CMAKE_DISABLE_PRECOMPILE_HEADERS).
function(precompile_headers target)
  target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstdint> <functional> <limits> <memory> <optional>
    <span> <stop_token> <string> <string_view> <vector> <Eigen/Core> <fmt/format.h> ${ARGN})
endfunction()
