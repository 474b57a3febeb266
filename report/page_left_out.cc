// SPDX-License-Identifier: Apache-2.0
// Stands for page.cc where there is no uPlot to draw with.
#include "orthodict/error.h"
#include "report/report.h"

namespace orthodict::report {

void require_page() {
  throw Error(Fault::kOption, "report: built without the report page; configure with -DORTHODICT_WITH_REPORT=ON");
}

std::string render_page(const Json& /*report*/) {
  require_page();
  return {};
}

}  // namespace orthodict::report
