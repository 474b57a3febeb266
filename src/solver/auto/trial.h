// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "solver/search.h"

namespace orthodict::solver {

// Restores the search to its state at construction unless accept() was called, also if the run ends meanwhile.
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
