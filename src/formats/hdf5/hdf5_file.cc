// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/allocation.h"
#include "memory/limits.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Selects the driver whose handles are descriptors, regardless of the environment (HDF5_DRIVER).
hid_t open_file(const std::string& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_fapl_sec2(access.get()) < 0) return H5I_INVALID_HID;
  return H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
}

// The descriptor of a file that open_file() opened, or that is linked from one.
int descriptor_of(hid_t file) {
  void* descriptor = nullptr;
  return H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) < 0 ? -1 : *static_cast<const int*>(descriptor);
}

bool is_same_file(int one, int other) {
  struct stat first = {};
  struct stat second = {};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

constexpr Index kDeepest = 100;  // nesting of groups; HDF5's time grows with its cube

// Callback for every link. Must not throw through HDF5's C code.
herr_t collect_dataset(hid_t root, const char* name, const H5L_info_t* link, void* names) noexcept {
  const std::string_view path = name;
  if (std::count(path.begin(), path.end(), '/') > kDeepest) return -1;
  if (link->type != H5L_TYPE_HARD) return 0;
  const Hdf5Handle object(H5Oopen(root, name, H5P_DEFAULT), H5Oclose);
  if (!object.valid() || H5Iget_type(object.get()) != H5I_DATASET) return 0;
  try {
    static_cast<std::vector<std::string>*>(names)->push_back(std::string("/").append(name));
  } catch (const std::bad_alloc&) {
    return -1;
  }
  return 0;
}

std::string class_name(H5T_class_t type_class) {
  switch (type_class) {
    case H5T_TIME:
      return "time";
    case H5T_STRING:
      return "string";
    case H5T_BITFIELD:
      return "bit field";
    case H5T_OPAQUE:
      return "opaque";
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_ENUM:
      return "enumeration";
    case H5T_VLEN:
      return "variable length";
    case H5T_ARRAY:
      return "array";
    default:
      return "unknown";
  }
}

struct MemoryType {
  ElementType type;
  hid_t id;
  std::shared_ptr<const Hdf5Handle> made = {};  // of compound types, which aren't HDF5's own
};

MemoryType integer_type(std::size_t size, bool is_signed) {
  if (size <= 1)
    return is_signed ? MemoryType{ElementType::kI8, H5T_NATIVE_INT8} : MemoryType{ElementType::kU8, H5T_NATIVE_UINT8};
  if (size <= 2)
    return is_signed ? MemoryType{ElementType::kI16, H5T_NATIVE_INT16}
                     : MemoryType{ElementType::kU16, H5T_NATIVE_UINT16};
  if (size <= 4)
    return is_signed ? MemoryType{ElementType::kI32, H5T_NATIVE_INT32}
                     : MemoryType{ElementType::kU32, H5T_NATIVE_UINT32};
  return is_signed ? MemoryType{ElementType::kI64, H5T_NATIVE_INT64} : MemoryType{ElementType::kU64, H5T_NATIVE_UINT64};
}

// The names of real and imaginary parts: h5py's and MATLAB's.
constexpr std::array<std::pair<const char*, const char*>, 2> kPartNames = {{{"r", "i"}, {"real", "imag"}}};

// Of a compound of two numbers with such names.
std::optional<MemoryType> complex_type(const Hdf5Handle& type) {
  if (H5Tget_nmembers(type.get()) != 2) return std::nullopt;
  for (const auto& [real, imaginary] : kPartNames) {
    const int first = H5Tget_member_index(type.get(), real), second = H5Tget_member_index(type.get(), imaginary);
    if (first < 0 || second < 0) continue;
    bool single = true;
    for (const int member : {first, second}) {
      const Hdf5Handle part(H5Tget_member_type(type.get(), static_cast<unsigned>(member)), H5Tclose);
      if (!part.valid() || H5Tget_class(part.get()) != H5T_FLOAT || H5Tget_size(part.get()) > 8) return std::nullopt;
      single = single && H5Tget_size(part.get()) <= 4;
    }
    const hid_t part = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const std::size_t size = single ? sizeof(float) : sizeof(double);
    auto made = std::make_shared<Hdf5Handle>(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
    if (H5Tinsert(made->get(), real, 0, part) < 0 || H5Tinsert(made->get(), imaginary, size, part) < 0) {
      return std::nullopt;
    }
    return MemoryType{single ? ElementType::kC64 : ElementType::kC128, made->get(), made};
  }
  return std::nullopt;
}

// The native type that represents the dataset's values exactly. HDF5 converts while reading; half precision becomes
// float.
MemoryType memory_type(const Hdf5Handle& type, const std::string& name) {
  const H5T_class_t type_class = H5Tget_class(type.get());
  const std::size_t size = H5Tget_size(type.get());
  if (type_class == H5T_FLOAT && size > 0 && size <= 8) {
    return size <= 4 ? MemoryType{ElementType::kF32, H5T_NATIVE_FLOAT}
                     : MemoryType{ElementType::kF64, H5T_NATIVE_DOUBLE};
  }
  if (type_class == H5T_INTEGER && size > 0 && size <= 8) {
    return integer_type(size, H5Tget_sign(type.get()) == H5T_SGN_2);
  }
  if (type_class == H5T_ENUM) {  // h5py's bool
    return memory_type(Hdf5Handle(H5Tget_super(type.get()), H5Tclose), name);
  }
  if (type_class == H5T_FLOAT || type_class == H5T_INTEGER) {
    throw data_error(name, "numbers of " + std::to_string(size) + " bytes; legal: integers and floats of at most 8");
  }
  if (type_class == H5T_COMPOUND) {
    if (auto complex = complex_type(type)) return *std::move(complex);
  }
  throw data_error(name,
                   "type class " + class_name(type_class) + "; legal: integer, float, complex (compound of r and i)");
}

std::vector<Index> shape_of(const Hdf5Handle& dataset, const std::string& name) {
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> extents = {};
  const int rank = space.valid() ? H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) : -1;
  if (rank < 0 || H5Sget_simple_extent_type(space.get()) == H5S_NULL) throw data_error(name, "has no shape");
  return {extents.begin(), extents.begin() + rank};
}

// The extents of a chunk; empty if the dataset isn't chunked.
std::vector<Index> chunk_of(hid_t plist) {
  std::array<hsize_t, H5S_MAX_RANK> extents = {};
  const int rank = H5Pget_chunk(plist, H5S_MAX_RANK, extents.data());
  return {extents.begin(), extents.begin() + std::max(rank, 0)};
}

// Checks a shape against the stored bytes, since a damaged file of a few bytes can promise any shape. Throws Error for
// a dataset that was never written, for contiguous storage that is smaller than the shape requires or larger than the
// file (HDF5 itself would read beyond it), and for chunks that would need an impossible compression ratio.
void check_stored(const Hdf5Handle& dataset, std::size_t element, std::size_t promised, std::size_t file_bytes,
                  const std::string& name) {
  const Hdf5Handle plist(H5Dget_create_plist(dataset.get()), H5Pclose);
  const H5D_layout_t layout = plist.valid() ? H5Pget_layout(plist.get()) : H5D_LAYOUT_ERROR;
  if (layout == H5D_LAYOUT_ERROR) throw data_error(name, "damaged HDF5 dataset");
  if (layout == H5D_VIRTUAL || H5Pget_external_count(plist.get()) > 0) {
    throw data_error(name, "stores its data in other files: copy them into one");
  }
  if (promised == 0) return;
  const hsize_t stored = H5Dget_storage_size(dataset.get());
  if (stored == 0) throw data_error(name, "contains no data: it has a shape, but was never written");
  if (layout == H5D_CHUNKED) {
    const std::vector<Index> extents = chunk_of(plist.get());
    const auto chunk = memory::array_bytes(extents, element);  // HDF5 keeps one in memory while reading
    if (extents.empty() || !chunk || *chunk / memory::kDeflateRatio > file_bytes ||
        promised / memory::kDeflateRatio > stored) {
      throw data_error(name, "damaged: its chunks and shape promise more than the " + text::bytes_text(stored) +
                                 " that are stored can hold");
    }
    return;
  }
  if (stored < promised || stored > file_bytes) {
    throw data_error(name, "damaged: its shape promises " + text::bytes_text(promised) + ", " +
                               text::bytes_text(stored) + " are stored in a file of " + text::bytes_text(file_bytes));
  }
}

// A dataset without its elements, after check of its shape.
struct Description {
  Array array;
  std::size_t bytes;  // size of its elements in memory
  MemoryType memory_type;
  bool native;  // elements are stored as in memory
};

Description describe(const Hdf5Handle& dataset, std::size_t file_bytes, const std::string& name) {
  const Hdf5Handle file_type(H5Dget_type(dataset.get()), H5Tclose);
  const MemoryType memory = memory_type(file_type, name);
  Array array;
  array.name = name;
  array.type = memory.type;
  array.shape = shape_of(dataset, name);
  const auto bytes = memory::array_bytes(array.shape, element_size(array.type));
  if (!bytes) throw data_error(name, "shape " + text::shape_text(array.shape) + " exceeds the address space");
  const std::size_t element = H5Tget_size(file_type.get());
  check_stored(dataset, element, memory::array_bytes(array.shape, element).value_or(0), file_bytes, name);
  allow_time_for(*bytes);
  return {std::move(array), *bytes, memory, H5Tequal(file_type.get(), memory.id) > 0};
}

Error unreadable(const std::string& name) {
  return data_error(name, "its data cannot be read: damaged, or a compression that this HDF5 lacks");
}

Array read_dataset(const Hdf5Handle& dataset, std::size_t file_bytes, const std::string& name, const Storage& storage) {
  auto [array, bytes, memory_type, native] = describe(dataset, file_bytes, name);
  auto data = storage(name, bytes);
  if (bytes > 0 && H5Dread(dataset.get(), memory_type.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.get()) < 0) {
    throw unreadable(name);
  }
  array.data = data.get();
  array.owner = std::move(data);
  return array;
}

// The number of rows to read at a time: whole chunks, so that HDF5 unpacks each chunk once.
Index rows_at_a_time(const Hdf5Handle& dataset, std::size_t row_bytes, const std::string& name) {
  constexpr std::size_t kBand = std::size_t{1} << 25;
  const Hdf5Handle plist(H5Dget_create_plist(dataset.get()), H5Pclose);
  const std::vector<Index> chunk = chunk_of(plist.get());
  const Index least = chunk.empty() ? 1 : std::max<Index>(chunk.front(), 1);
  const std::size_t most = memory::memory_limit() / 8 / row_bytes;
  if (static_cast<std::size_t>(least) > most) {
    throw data_error(
        name, fmt::format("is too large for memory, and its {} are too {} to be unpacked one after the "
                          "other: at most {} rows can be held{}",
                          chunk.empty() ? "rows" : "chunks of " + text::shape_text(chunk),
                          chunk.empty() ? "long" : "high", most, chunk.empty() ? "" : ". h5repack -l makes others"));
  }
  return std::max<Index>(static_cast<Index>(kBand / row_bytes) / least, 1) * least;
}

void unpack(const Hdf5Handle& dataset, const Description& found, files::ScratchFile* to) {
  const std::string& name = found.array.name;
  const Index rows = found.array.shape.front();
  const std::size_t row_bytes = found.bytes / static_cast<std::size_t>(rows);
  const Index most = std::min(rows_at_a_time(dataset, row_bytes, name), rows);
  to->reserve(found.bytes);
  const auto band = memory::allocate(name, static_cast<std::size_t>(most) * row_bytes);
  const Hdf5Handle in_file(H5Dget_space(dataset.get()), H5Sclose);
  std::vector<hsize_t> start(found.array.shape.size(), 0);
  std::vector<hsize_t> count(found.array.shape.begin(), found.array.shape.end());
  for (Index first = 0; first < rows; first += most) {
    start[0] = static_cast<hsize_t>(first);
    count[0] = static_cast<hsize_t>(std::min(most, rows - first));
    const Hdf5Handle in_memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(dataset.get(), found.memory_type.id, in_memory.get(), in_file.get(), H5P_DEFAULT, band.get()) < 0) {
      throw unreadable(name);
    }
    to->append({band.get(), count[0] * row_bytes});
  }
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_argument_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_argument_); }

// Opens the descriptor first, since its errors are specific; HDF5 only reports failure.
Hdf5File::Hdf5File(const files::InputFile& file, Storage storage)
    : path_(file.name()), storage_(std::move(storage)), bytes_(file.size()), file_(open_file(path_), H5Fclose) {
  if (!file_.valid()) throw data_error(path_, "isn't a complete HDF5 file");
  if (!is_same_file(descriptor_of(file_.get()), file.get())) throw data_error(path_, "was replaced while it was read");
}

std::vector<std::string> Hdf5File::dataset_names() const {
  std::vector<std::string> names;
  if (H5Lvisit(file_.get(), H5_INDEX_NAME, H5_ITER_INC, collect_dataset, &names) < 0) {
    throw data_error(path_, fmt::format("its groups cannot be listed: damaged, or nested more than {} deep (then name "
                                        "the dataset, {}:/GROUP/…/NAME)",
                                        kDeepest, path_));
  }
  return names;
}

Hdf5Handle Hdf5File::open(const std::string& dataset) const {
  Hdf5Handle handle(H5Dopen2(file_.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const bool linked = H5Lexists(file_.get(), dataset.c_str(), H5P_DEFAULT) > 0;
  if (!handle.valid() && linked) {
    throw data_error(path_ + ":" + dataset, "isn't a dataset, is damaged, or was written by a newer HDF5");
  }
  if (!handle.valid()) {
    throw data_error(path_, "has no dataset " + text::shown(dataset) + "; it has: " + text::listed(dataset_names()));
  }
  const Hdf5Handle home(H5Iget_file_id(handle.get()), H5Fclose);
  if (!home.valid() || !is_same_file(descriptor_of(home.get()), descriptor_of(file_.get()))) {
    throw data_error(path_ + ":" + dataset, "is a link to another file: name that file");
  }
  return handle;
}

Array Hdf5File::read(const std::string& dataset) const {
  return read_dataset(open(dataset), bytes_, path_ + ":" + dataset, storage_);
}

std::optional<files::ArrayInFile> Hdf5File::locate_large(const std::string& dataset,
                                                         files::ScratchFile* scratch) const {
  const Hdf5Handle handle = open(dataset);
  const Description found = describe(handle, bytes_, path_ + ":" + dataset);
  if (found.array.shape.empty() || !memory::is_large(found.bytes)) return std::nullopt;
  const haddr_t offset = H5Dget_offset(handle.get());  // undefined unless in one piece
  const bool in_place = found.native && offset != HADDR_UNDEF && offset <= bytes_ && found.bytes <= bytes_ - offset;
  if (!in_place) unpack(handle, found, scratch);
  return files::ArrayInFile{found.array, in_place ? offset : 0};
}

bool Hdf5File::has_attribute(const std::string& dataset, const std::string& attribute) const {
  return H5Aexists_by_name(file_.get(), dataset.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5File::text_attribute(const std::string& dataset, const std::string& attribute) const {
  constexpr std::size_t kLongest = 256;
  if (!has_attribute(dataset, attribute)) return "";
  const Hdf5Handle handle(H5Aopen_by_name(file_.get(), dataset.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                          H5Aclose);
  if (!handle.valid()) return "";
  const Hdf5Handle type(H5Aget_type(handle.get()), H5Tclose);
  const bool fixed_text = type.valid() && H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0;
  if (!fixed_text || H5Aget_storage_size(handle.get()) > kLongest) return "";
  std::string text(kLongest, '\0');
  if (H5Aread(handle.get(), type.get(), text.data()) < 0) return "";
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace orthodict::formats
