// SPDX-License-Identifier: Apache-2.0
// Stands for page.cc where there is no uPlot to draw with.
#include "orthodict/error.h"
#include "report/report.h"

namespace orthodict::report {

void require_page() { throw Error(Fault::kOption, "report: built without the page (ORTHODICT_WITH_REPORT)"); }

std::string render_page(const Json& /*report*/) {
  require_page();
  return {};
}

}  // namespace orthodict::report
