#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/hdf5_handle.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

// An attribute of one element, for reading.
struct OpenAttribute {
  Handle id, type;

  OpenAttribute(hid_t file, const std::string& file_name, const std::string& object, const std::string& name,
                H5T_class_t wanted)
      : id(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose),
        type(id.valid() ? H5Aget_type(id) : -1, H5Tclose) {
    const std::string place = fmt::format("attribute '{}' of '{}'", name, object);
    if (!id.valid() || !type.valid()) throw DataError(fmt::format("{}: {} is missing or damaged", file_name, place));
    const Handle space(H5Aget_space(id), H5Sclose);
    if (!space.valid() || H5Sget_simple_extent_npoints(space) != 1) {
      throw DataError(fmt::format("{}: {} is not one value (one expected)", file_name, place));
    }
    const H5T_class_t found = H5Tget_class(type);
    if (found != wanted) {
      throw DataError(
          fmt::format("{}: {} holds {} ({} expected)", file_name, place, class_words(found), class_words(wanted)));
    }
  }
};

}  // namespace

bool Hdf5File::has_attribute(const std::string& name, const std::string& object) const {
  return exists(object) && H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::attributes(const std::string& object) const {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    } catch (const std::bad_alloc&) {
      return -1;
    }
    return 0;
  };
  if (H5Aiterate_by_name(id_, object.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names, H5P_DEFAULT) < 0) {
    damaged(name_, object, library_words());
  }
  return names;
}

std::string Hdf5File::string_attribute(const std::string& name, const std::string& object) const {
  const OpenAttribute attribute(id_, name_, object, name, H5T_STRING);
  const std::string place = fmt::format("{}: attribute '{}' of '{}'", name_, name, object);
  if (H5Tis_variable_str(attribute.type) > 0) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5Tget_cset(attribute.type));
    char* text = nullptr;
    if (H5Aread(attribute.id, type, &text) < 0)
      throw DataError(fmt::format("{} cannot be read: {}", place, library_words()));
    std::string value = text ? text : "";
    H5free_memory(text);
    return value;
  }
  const std::size_t size = H5Tget_size(attribute.type);
  if (size > bytes_) {
    throw DataError(fmt::format("{} declares {} bytes, but the file holds {}", place, size, bytes_));
  }
  std::string value(size, '\0');
  if (H5Aread(attribute.id, attribute.type, value.data()) < 0) {
    throw DataError(fmt::format("{} cannot be read: {}", place, library_words()));
  }
  value.resize(std::min(value.find('\0'), value.size()));
  if (H5Tget_strpad(attribute.type) == H5T_STR_SPACEPAD) value.resize(value.find_last_not_of(' ') + 1);
  return value;
}

std::int64_t Hdf5File::integer_attribute(const std::string& name, const std::string& object) const {
  const OpenAttribute attribute(id_, name_, object, name, H5T_INTEGER);
  const std::string place = fmt::format("{}: attribute '{}' of '{}'", name_, name, object);
  std::int64_t value = 0;
  std::uint64_t magnitude = 0;
  const bool is_unsigned = H5Tget_sign(attribute.type) == H5T_SGN_NONE;
  if (H5Aread(attribute.id, is_unsigned ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64,
              is_unsigned ? static_cast<void*>(&magnitude) : &value) < 0) {
    throw DataError(fmt::format("{} cannot be read: {}", place, library_words()));
  }
  if (!std::in_range<std::int64_t>(magnitude)) throw DataError(fmt::format("{} is {}, beyond 2^63", place, magnitude));
  return is_unsigned ? static_cast<std::int64_t>(magnitude) : value;
}

void Hdf5File::write_attribute(const std::string& name, const std::string& value, const std::string& object) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);  // a text in the object's own header could not exceed 64 KiB
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  if (has_attribute(name, object)) H5Adelete_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT);
  const Handle id(
      H5Acreate_by_name(id_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const char* text = value.c_str();
  if (!id.valid() || H5Awrite(id, type, &text) < 0)
    unwritten(name_, fmt::format("attribute '{}' of '{}'", name, object));
}

void Hdf5File::write_attribute(const std::string& name, std::int64_t value, const std::string& object) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  if (has_attribute(name, object)) H5Adelete_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT);
  const Handle id(
      H5Acreate_by_name(id_, object.c_str(), name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!id.valid() || H5Awrite(id, H5T_NATIVE_INT64, &value) < 0) {
    unwritten(name_, fmt::format("attribute '{}' of '{}'", name, object));
  }
}

}  // namespace v1
}  // namespace harmonium
