# SPDX-License-Identifier: Apache-2.0
# precompile_headers(TARGET [HEADER...]): has the compiler read once, for all of TARGET's sources, what nearly each of them
# includes from elsewhere: half of the time that a build takes. Files include what they need all the same:
# CMAKE_DISABLE_PRECOMPILE_HEADERS, which the preset dev sets, builds without.
function(precompile_headers target)
  target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstdint> <functional> <limits> <memory> <optional>
    <span> <stop_token> <string> <string_view> <vector> <Eigen/Core> <fmt/format.h> ${ARGN})
endfunction()
