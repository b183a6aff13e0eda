#include <harmonium/framework/files/hdf5.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/hdf5_handle.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);

constexpr int most_dimensions = 8;
constexpr std::uint64_t in_memory = std::numeric_limits<std::uint64_t>::max();  // as the size of a new file
constexpr std::uint64_t small = std::uint64_t{1} << 20;  // bytes that are asked for without proof

template <class T>
hid_t memory_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  else if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  else return H5T_NATIVE_UINT64;
}

template <class T>
hid_t file_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
  else if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_STD_U8LE;
  else if constexpr (std::is_same_v<T, std::int64_t>) return H5T_STD_I64LE;
  else return H5T_STD_U64LE;
}

struct OpenDataset {
  Handle id, space, type;
  H5T_class_t type_class = H5T_NO_CLASS;
  std::vector<Index> shape;
  std::uint64_t count = 1;

  OpenDataset(hid_t file, const std::string& file_name, const std::string& object)
      : id(H5Dopen2(file, object.c_str(), H5P_DEFAULT), H5Dclose),
        space(id.valid() ? H5Dget_space(id) : -1, H5Sclose),
        type(id.valid() ? H5Dget_type(id) : -1, H5Tclose) {
    if (!id.valid() || !space.valid() || !type.valid()) damaged(file_name, object, library_words());
    type_class = H5Tget_class(type);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (H5Sget_simple_extent_type(space) == H5S_NULL || rank < 0) damaged(file_name, object, "it holds no values");
    if (rank > most_dimensions) {
      damaged(file_name, object, fmt::format("it has {} dimensions (at most {} expected)", rank, most_dimensions));
    }
    hsize_t dimensions[most_dimensions] = {};
    if (rank > 0 && H5Sget_simple_extent_dims(space, dimensions, nullptr) < 0)
      damaged(file_name, object, library_words());
    shape.assign(dimensions, dimensions + rank);
    for (const Index n : shape) {
      if (n != 0 && count > std::numeric_limits<std::uint64_t>::max() / n) {
        damaged(file_name, object, "its dimensions are beyond counting");
      }
      count *= n;
    }
  }
};

// Refuses, before memory is asked for, what a file of `file_bytes` bytes cannot hold.
void check_size(const OpenDataset& data, const std::string& file, const std::string& object, std::uint64_t file_bytes,
                Index element) {
  const Handle properties(H5Dget_create_plist(data.id), H5Pclose);
  if (!properties.valid()) damaged(file, object, library_words());
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL || H5Pget_external_count(properties) != 0) {
    damaged(file, object, "its values are in other files. Copy them into this one.");
  }
  // Deflate shrinks by 1032 at most, and only where there is a filter; what was never written takes no room.
  const bool filtered = H5Pget_nfilters(properties) > 0;
  const std::uint64_t held = std::min<std::uint64_t>(H5Dget_storage_size(data.id), file_bytes);
  constexpr std::uint64_t factor = 1032, most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t packed = held > (most - small) / factor ? most : held * factor;
  const std::uint64_t bound = (filtered ? packed : held) + small;
  const std::uint64_t stored = std::max<std::uint64_t>(H5Tget_size(data.type), 1);
  if (data.count > bound / stored || data.count > std::numeric_limits<std::size_t>::max() / 2 / element) {
    damaged(
        file, object,
        fmt::format("it declares {} values of {} bytes, but the file holds {} bytes", data.count, stored, file_bytes));
  }
}

template <class T>
std::vector<T> read_as(const OpenDataset& data, const std::string& file, const std::string& object) {
  std::vector<T> values;
  try {
    values.resize(data.count);
  } catch (const std::bad_alloc&) {
    damaged(file, object, fmt::format("no memory for its {} values", data.count));
  }
  if (data.count > 0 && H5Dread(data.id, memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    damaged(file, object, library_words());
  }
  return values;
}

// Integers, each of which `T` must hold.
template <class T, class Wide>
std::vector<T> read_narrowed(const OpenDataset& data, const std::string& file, const std::string& object) {
  std::vector<Wide> wide = read_as<Wide>(data, file, object);
  if constexpr (std::is_same_v<T, Wide>) {
    return wide;
  } else {
    std::vector<T> values;
    values.reserve(wide.size());
    for (const Wide v : wide) {
      if (!std::in_range<T>(v)) {
        damaged(file, object,
                fmt::format("its value {} at place {} is out of range ({} to {} expected)", v, values.size(),
                            std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
      }
      values.push_back(static_cast<T>(v));
    }
    return values;
  }
}

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
  char magic[8] = {};
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::ifstream(path, std::ios::binary).read(magic, sizeof magic) &&
         std::memcmp(magic, "\x89HDF\r\n\x1a\n", 8) == 0;
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const std::string name = path.string();
  const std::uint64_t bytes = RegularFile(path).size();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (id < 0) throw DataError(fmt::format("{}: not an HDF5 file, or a damaged one: {}", name, library_words()));
  return Hdf5File(name, id, bytes);
}

Hdf5File Hdf5File::create(const std::filesystem::path& path) {
  check_replaceable(path);  // the library opens what is there to begin with
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  constexpr std::size_t growth = std::size_t{1} << 20;
  H5Pset_fapl_core(access, growth, false);
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (id < 0) throw FileError(fmt::format("{}: cannot be created: {}", path.string(), library_words()));
  return Hdf5File(path.string(), id, in_memory);
}

Hdf5File::~Hdf5File() {
  if (id_ >= 0) H5Fclose(id_);
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : name_(std::move(other.name_)), id_(std::exchange(other.id_, -1)), bytes_(other.bytes_) {}

Hdf5File& Hdf5File::operator=(Hdf5File&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(id_, other.id_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void Hdf5File::close() {
  if (id_ < 0) return;
  const Handle file(std::exchange(id_, -1), H5Fclose);
  if (bytes_ != in_memory) return;
  const ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, nullptr, 0);
  std::string image(static_cast<std::size_t>(std::max<ssize_t>(size, 0)), '\0');
  if (size < 0 || H5Fget_file_image(file, image.data(), image.size()) != size) unwritten(name_, "the file");
  write_file_atomically(name_, image);
}

bool Hdf5File::exists(const std::string& object) const {
  // The library wants every group above it to exist before it may be asked about a name.
  for (std::size_t end = object.find_first_not_of('/'); end < object.size();) {
    end = std::min(object.find('/', end), object.size());
    const std::string part = object.substr(0, end);
    if (H5Lexists(id_, part.c_str(), H5P_DEFAULT) <= 0 || H5Oexists_by_name(id_, part.c_str(), H5P_DEFAULT) <= 0)
      return false;
    end = object.find_first_not_of('/', end);
  }
  return true;
}

bool Hdf5File::is_group(const std::string& object) const {
  if (!exists(object)) return false;
  const Handle id(H5Oopen(id_, object.empty() ? "/" : object.c_str(), H5P_DEFAULT), H5Oclose);
  return id.valid() && H5Iget_type(id) == H5I_GROUP;
}

bool Hdf5File::is_dataset(const std::string& object) const {
  if (!exists(object)) return false;
  const Handle id(H5Oopen(id_, object.empty() ? "/" : object.c_str(), H5P_DEFAULT), H5Oclose);
  return id.valid() && H5Iget_type(id) == H5I_DATASET;
}

std::vector<std::string> Hdf5File::children(const std::string& group) const {
  const Handle id(H5Gopen2(id_, group.c_str(), H5P_DEFAULT), H5Gclose);
  H5G_info_t info{};
  if (!id.valid() || H5Gget_info(id, &info) < 0) damaged(name_, group, library_words());
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char buffer[1024];
    const ssize_t size = H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, i, buffer, sizeof buffer, H5P_DEFAULT);
    if (size < 0) damaged(name_, group, library_words());
    if (static_cast<std::size_t>(size) >= sizeof buffer)
      damaged(name_, group, "a name in it is longer than 1023 bytes");
    names.emplace_back(buffer, static_cast<std::size_t>(size));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Hdf5File::create_group(const std::string& group) {
  if (is_group(group)) return;
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Handle id(H5Gcreate2(id_, group.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!id.valid()) unwritten(name_, fmt::format("group '{}'", group));
}

std::vector<Index> Hdf5File::shape(const std::string& dataset) const { return OpenDataset(id_, name_, dataset).shape; }

bool Hdf5File::is_integer(const std::string& dataset) const {
  const OpenDataset data(id_, name_, dataset);
  return data.type_class == H5T_INTEGER || data.type_class == H5T_ENUM;
}

Index Hdf5File::element_bytes(const std::string& dataset) const {
  return H5Tget_size(OpenDataset(id_, name_, dataset).type);
}

bool Hdf5File::is_numeric(const std::string& dataset) const {
  const OpenDataset data(id_, name_, dataset);
  return data.type_class == H5T_INTEGER || data.type_class == H5T_ENUM || data.type_class == H5T_FLOAT;
}

template <class T>
void Hdf5File::read_rows(const std::string& dataset, Index first, Index count, T* out) const {
  const OpenDataset data(id_, name_, dataset);
  std::vector<hsize_t> start(data.shape.size(), 0), extent(data.shape.begin(), data.shape.end());
  if (extent.empty() || first + count > extent[0]) throw std::logic_error("rows of a dataset that has fewer");
  start[0] = first;
  extent[0] = count;
  const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(data.space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) < 0 ||
      H5Dread(data.id, memory_type<T>(), memory, data.space, H5P_DEFAULT, out) < 0) {
    damaged(name_, dataset, library_words());
  }
}

std::optional<ElementType> Hdf5File::element_type(const std::string& dataset) const {
  const OpenDataset data(id_, name_, dataset);
  const std::size_t size = H5Tget_size(data.type);
  if (data.type_class == H5T_FLOAT) {
    if (size == 2) return ElementType::f16;
    return size == 4 ? ElementType::f32 : ElementType::f64;
  }
  // How h5py keeps truth values.
  if (data.type_class == H5T_ENUM) return size == 1 ? std::optional(ElementType::boolean) : std::nullopt;
  if (data.type_class != H5T_INTEGER) return std::nullopt;
  const bool is_unsigned = H5Tget_sign(data.type) == H5T_SGN_NONE;
  switch (size) {
    case 1: return is_unsigned ? ElementType::u8 : ElementType::i8;
    case 2: return is_unsigned ? ElementType::u16 : ElementType::i16;
    case 4: return is_unsigned ? ElementType::u32 : ElementType::i32;
    case 8: return is_unsigned ? ElementType::u64 : ElementType::i64;
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> Hdf5File::place_in_file(const std::string& dataset) const {
  const OpenDataset data(id_, name_, dataset);
  const Handle properties(H5Dget_create_plist(data.id), H5Pclose);
  if (!properties.valid() || H5Pget_layout(properties) != H5D_CONTIGUOUS || H5Pget_external_count(properties) != 0)
    return std::nullopt;
  if (H5Tequal(data.type, H5T_NATIVE_UINT8) <= 0 && H5Tequal(data.type, H5T_NATIVE_FLOAT) <= 0 &&
      H5Tequal(data.type, H5T_NATIVE_DOUBLE) <= 0)
    return std::nullopt;
  const haddr_t at = H5Dget_offset(data.id);
  const std::uint64_t size = data.count * H5Tget_size(data.type);
  if (at == HADDR_UNDEF || H5Dget_storage_size(data.id) != size || at > bytes_ || size > bytes_ - at)
    return std::nullopt;
  return at;
}

void Hdf5File::check_declared_size(const std::string& dataset) const {
  check_size(OpenDataset(id_, name_, dataset), name_, dataset, bytes_, sizeof(double));
}

template <class T>
Hdf5Array<T> Hdf5File::read(const std::string& dataset) const {
  const OpenDataset data(id_, name_, dataset);
  const bool integers = data.type_class == H5T_INTEGER || data.type_class == H5T_ENUM;
  const bool floats_taken = std::is_floating_point_v<T>;
  if (!integers && !(floats_taken && data.type_class == H5T_FLOAT)) {
    damaged(
        name_, dataset,
        fmt::format("it holds {} ({} expected)", class_words(data.type_class), floats_taken ? "numbers" : "integers"));
  }
  Hdf5Array<T> array;
  array.shape = data.shape;
  if constexpr (std::is_floating_point_v<T>) {
    check_size(data, name_, dataset, bytes_, sizeof(T));
    array.values = read_as<T>(data, name_, dataset);
  } else {
    const bool is_unsigned = data.type_class == H5T_INTEGER && H5Tget_sign(data.type) == H5T_SGN_NONE;
    const bool exactly_bytes = is_unsigned && H5Tget_size(data.type) == 1 && sizeof(T) == 1;
    check_size(data, name_, dataset, bytes_, exactly_bytes ? 1 : sizeof(std::int64_t));
    if (exactly_bytes) array.values = read_as<T>(data, name_, dataset);
    else if (is_unsigned) array.values = read_narrowed<T, std::uint64_t>(data, name_, dataset);
    else array.values = read_narrowed<T, std::int64_t>(data, name_, dataset);
  }
  return array;
}

template <class T>
void Hdf5File::write(const std::string& dataset, std::span<const T> values, std::span<const Index> shape) {
  Index count = 1;
  for (const Index n : shape) count *= n;
  if (count != values.size()) throw std::logic_error(fmt::format("dataset '{}': shape and values differ", dataset));
  if (exists(dataset)) throw std::logic_error(fmt::format("dataset '{}' exists", dataset));
  const std::vector<hsize_t> dimensions(shape.begin(), shape.end());
  const Handle space(shape.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(shape.size()), dimensions.data(), nullptr),
                     H5Sclose);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties, false);
  const Handle id(H5Dcreate2(id_, dataset.c_str(), file_type<T>(), space, links, properties, H5P_DEFAULT), H5Dclose);
  if (!id.valid() || (count > 0 && H5Dwrite(id, memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)) {
    unwritten(name_, fmt::format("dataset '{}'", dataset));
  }
}

template Hdf5Array<double> Hdf5File::read<double>(const std::string&) const;
template void Hdf5File::read_rows(const std::string&, Index, Index, double*) const;
template Hdf5Array<float> Hdf5File::read<float>(const std::string&) const;
template void Hdf5File::read_rows(const std::string&, Index, Index, float*) const;
template Hdf5Array<std::uint8_t> Hdf5File::read<std::uint8_t>(const std::string&) const;
template void Hdf5File::read_rows(const std::string&, Index, Index, std::uint8_t*) const;
template Hdf5Array<std::int64_t> Hdf5File::read<std::int64_t>(const std::string&) const;
template void Hdf5File::read_rows(const std::string&, Index, Index, std::int64_t*) const;
template Hdf5Array<std::uint64_t> Hdf5File::read<std::uint64_t>(const std::string&) const;
template void Hdf5File::read_rows(const std::string&, Index, Index, std::uint64_t*) const;
template void Hdf5File::write<double>(const std::string&, std::span<const double>, std::span<const Index>);
template void Hdf5File::write<float>(const std::string&, std::span<const float>, std::span<const Index>);
template void Hdf5File::write<std::uint8_t>(const std::string&, std::span<const std::uint8_t>, std::span<const Index>);
template void Hdf5File::write<std::int64_t>(const std::string&, std::span<const std::int64_t>, std::span<const Index>);
template void Hdf5File::write<std::uint64_t>(const std::string&, std::span<const std::uint64_t>,
                                             std::span<const Index>);

}  // namespace v1
}  // namespace harmonium
