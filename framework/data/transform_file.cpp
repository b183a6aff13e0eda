#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/transform.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* folder_name = "transform";

}  // namespace

void write_transform(Hdf5File& file, const Transform& transform) {
  const bool standardize = transform.kind() == Transform::Kind::standardize;
  file.create_group(folder_name);
  file.write_attribute("kind", standardize ? "standardize" : "zca", folder_name);
  const std::string folder = std::string(folder_name) + "/";
  file.write(folder + "mean", transform.mean());
  if (standardize) file.write(folder + "scale", transform.scale());
  else file.write(folder + "matrix", transform.matrix(), {transform.cols(), transform.cols()});
}

std::shared_ptr<const Transform> read_transform(const Hdf5File& file) {
  if (!file.is_group(folder_name)) return nullptr;
  const auto wrong = [&](std::string_view problem) -> DataError {
    return DataError(fmt::format("{}: '{}': {}", file.name(), folder_name, problem));
  };
  const auto read = [&](const char* name, const std::vector<Index>& shape) {
    const std::string object = fmt::format("{}/{}", folder_name, name);
    if (!file.is_dataset(object)) throw wrong(fmt::format("the dataset '{}' is missing", name));
    Hdf5Array<double> array = file.read<double>(object);
    if (!shape.empty() && array.shape != shape)
      throw wrong(fmt::format("the dataset '{}' has another shape than 'mean' asks for", name));
    for (const double v : array.values)
      if (!std::isfinite(v)) throw wrong(fmt::format("the dataset '{}' holds {}", name, v));
    return array;
  };
  const std::string kind = file.string_attribute("kind", folder_name);
  if (kind != "standardize" && kind != "zca")
    throw wrong(fmt::format("its kind is '{}' (standardize or zca expected)", kind));
  Hdf5Array<double> mean = read("mean", {});
  if (mean.shape.size() != 1 || mean.values.empty()) throw wrong("'mean' is no vector");
  const Index n = mean.values.size();
  try {
    if (kind == "standardize") return Transform::standardizing(std::move(mean.values), read("scale", {n}).values);
    return Transform::whitening(std::move(mean.values), read("matrix", {n, n}).values);
  } catch (const std::logic_error& error) {
    throw wrong(error.what());
  }
}

}  // namespace v1
}  // namespace harmonium
