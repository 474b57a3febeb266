// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5.h"

#include "data/hdf5_file.h"
#include "data/message.h"
#include "orthodict/error.h"

namespace orthodict::data {

Array read_hdf5(const std::string& path, const std::string& member) {
  const Hdf5File file(path);
  if (!member.empty()) return file.read(member);
  const auto names = file.dataset_names();
  if (names.empty()) throw data_error(path, "has no dataset");
  if (names.size() > 1) {
    throw data_error(path,
                     "has several datasets; name one, as " + path + ":" + names.front() + ". It has: " + listed(names));
  }
  return file.read(names.front());
}

}  // namespace orthodict::data
