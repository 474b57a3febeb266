// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "solver/search.h"

namespace orthodict::solver {

// Something that is tried: unless it is accepted, the search goes back to where it was. So it does where the run ends
// on the way.
class Trial {
 public:
  explicit Trial(Search& search) : search_(search), before_(search.keep()) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    if (!accepted_) search_.restore(*before_);
  }
  void accept() { accepted_ = true; }

 private:
  Search& search_;
  std::shared_ptr<const Search::State> before_;
  bool accepted_ = false;
};

}  // namespace orthodict::solver
