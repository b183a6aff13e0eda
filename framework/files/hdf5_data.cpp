#include <algorithm>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <harmonium/framework/files/hdf5_dataset.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

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
