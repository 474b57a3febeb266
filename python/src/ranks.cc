// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <cstddef>
#include <span>

#include "orthodict/error.h"

namespace orthodict::python {

namespace nb = nanobind;

namespace {

nb::object memory_of(std::span<const std::byte> data, int flags) {
  auto* const bytes = const_cast<char*>(reinterpret_cast<const char*>(data.data()));
  return nb::steal(PyMemoryView_FromMemory(bytes, static_cast<Py_ssize_t>(data.size()), flags));
}

class CommunicatorRanks final : public Ranks {
 public:
  // Created and destroyed with the GIL.
  explicit CommunicatorRanks(const nb::object& communicator)
      : communicator_(communicator),
        count_(nb::cast<int>(communicator.attr("count"))),
        rank_(nb::cast<int>(communicator.attr("rank"))) {}

  [[nodiscard]] int count() const override { return count_; }
  [[nodiscard]] int rank() const override { return rank_; }

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    const nb::gil_scoped_acquire acquire;
    try {
      nb::list sent;
      nb::list received;
      for (const Outgoing& message : out) sent.append(nb::make_tuple(message.to, memory_of(message.data, PyBUF_READ)));
      for (const Incoming& message : in) {
        received.append(nb::make_tuple(message.from, memory_of(message.data, PyBUF_WRITE)));
      }
      communicator_.attr("exchange")(sent, received);
    } catch (const nb::python_error& error) {
      throw Error(Fault::kData, error.what());  // a Python exception must not leave the scope of the GIL
    }
  }

 private:
  nb::object communicator_;
  int count_;
  int rank_;
};

}  // namespace

std::shared_ptr<Ranks> ranks_of(const nb::object& communicator) {
  if (communicator.is_none()) return nullptr;
  return std::make_shared<CommunicatorRanks>(communicator);
}

}  // namespace orthodict::python
