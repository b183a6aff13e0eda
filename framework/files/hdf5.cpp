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
#include <harmonium/framework/files/hdf5_dataset.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);

constexpr std::uint64_t in_memory = std::numeric_limits<std::uint64_t>::max();  // as the size of a new file

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

}  // namespace v1
}  // namespace harmonium
