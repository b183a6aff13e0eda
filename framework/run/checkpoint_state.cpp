#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr int deepest_state = 32;

/// A vector of one of the types that a state has, as it is kept: nothing is converted.
StateArchive::Field read_field(const Hdf5File& file, const std::string& object) {
  const auto refuse = [&](const std::string& why) {
    throw DataError(fmt::format("{}: '{}' {}", file.name(), object, why));
  };
  if (!file.is_dataset(object)) refuse("is neither a group nor a dataset");
  if (const Index rank = file.shape(object).size(); rank != 1)
    refuse(fmt::format("has {} dimensions, and a field of a state has 1", rank));
  const std::optional<ElementType> type = file.element_type(object);
  if (type == ElementType::f64) return file.read<double>(object).values;
  if (type == ElementType::f32) return file.read<float>(object).values;
  if (type == ElementType::u8) return file.read<std::uint8_t>(object).values;
  if (type != ElementType::u64) refuse("is of another type than a state has (float64, float32, uint64 or uint8)");
  return file.read<std::uint64_t>(object).values;
}

}  // namespace

StateArchive::Fields load_state(const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path);
  if (!file.is_group("state")) throw DataError(path.string() + ": a model, not a checkpoint: it has no group 'state'");
  StateArchive::Fields fields;
  const auto visit = [&](auto&& self, const std::string& group, const std::string& prefix, int depth) -> void {
    if (depth > deepest_state)
      throw DataError(
          fmt::format("{}: '{}' is a group within more than {} others", path.string(), group, deepest_state));
    for (const std::string& name : file.children(group)) {
      const std::string object = group + "/" + name, field = prefix + name;
      if (file.is_group(object)) self(self, object, field + "/", depth + 1);
      else fields[field] = read_field(file, object);
    }
  };
  visit(visit, "state", "", 0);
  return fields;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
