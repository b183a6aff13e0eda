#include <harmonium/program/work/import_archive.hpp>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/archived_config.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/program/work/exported_transform.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::string_view of_couplings[] = {"j", "w", "weight", "weights", "coupling", "couplings"};
constexpr std::string_view of_fields[] = {"h", "b", "field", "fields", "bias", "biases"};
constexpr std::string_view of_weights = "weight.", of_biases = "bias.", of_masks = "mask";

using ArrayShapes = std::vector<NpzShape>;

template <class Words>
bool is_among(const Words& words, std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(words, name) != std::end(words);
}

std::string array_of(const std::string& file, const std::string& array) {
  return fmt::format("{}:array={}", file, array);
}

std::uint64_t count_of(const NpzShape& array) {
  return std::accumulate(array.shape.begin(), array.shape.end(), std::uint64_t{1}, std::multiplies<>());
}
bool is_square(const NpzShape& array) { return array.shape.size() == 2 && array.shape[0] == array.shape[1]; }
bool is_vector_of(const NpzShape& array, std::uint64_t n) {
  return count_of(array) == n && std::ranges::find(array.shape, n) != array.shape.end();
}
bool is_mask(const NpzShape& array) { return array.name.starts_with(of_masks); }
/// Neither couplings nor fields, whatever the shape.
bool is_beside(const NpzShape& array) {
  return is_mask(array) || array.name.starts_with(transform_array_start) || is_called_edges(array.name);
}

/// The layer A of the tensor `weight.A.A`; empty of another name.
std::string layer_within(const std::string& tensor) {
  if (!tensor.starts_with(of_weights)) return "";
  const std::string layers = tensor.substr(of_weights.size()), half = layers.substr(0, layers.size() / 2);
  return layers == half + "." + half ? half : "";
}

/// What is most probably the couplings; null where nothing can be.
const NpzShape* probable_couplings(const ArrayShapes& arrays) {
  const auto named = [](const NpzShape& a) { return is_among(of_couplings, a.name) || !layer_within(a.name).empty(); };
  const NpzShape* found = nullptr;
  for (const NpzShape& a : arrays)
    if (is_square(a) && count_of(a) > 1 && !is_beside(a) && (!found || (named(a) && !named(*found)))) found = &a;
  return found;
}

/// What is most probably the fields of units that the array `couplings` couples; null where nothing can be.
const NpzShape* probable_fields(const ArrayShapes& arrays, const NpzShape& couplings) {
  const std::string own = std::string(of_biases) + layer_within(couplings.name);
  const auto named = [&](const NpzShape& a) { return is_among(of_fields, a.name) || a.name == own; };
  const NpzShape* found = nullptr;
  for (const NpzShape& a : arrays)
    if (is_vector_of(a, couplings.shape[0]) && !is_beside(a) && (!found || (named(a) && !named(*found)))) found = &a;
  return found;
}

/// How many units of several states the square matrix `couplings` is of, by the shape of `other`; 0 where that does not tell.
std::uint64_t units_of_states(const NpzShape& couplings, const NpzShape& other) {
  const std::uint64_t columns = couplings.shape[0];
  const bool fields =
      is_among(of_fields, other.name) || other.name == std::string(of_biases) + layer_within(couplings.name);
  const bool row_a_unit = fields && other.shape.size() == 2 && count_of(other) == columns;
  const bool one_a_unit = fields ? is_vector_of(other, count_of(other)) : is_mask(other) && is_square(other);
  if (!row_a_unit && !one_a_unit) return 0;
  const std::uint64_t units = other.shape[0];
  return units > 1 && units < columns && columns % units == 0 ? units : 0;
}

std::string command_of_config(const std::string& file, const ImportRequest& request) {
  return fmt::format("harmonium import CONFIG.toml --parameters {} --output {}", file, request.output);
}

std::vector<std::string> called_as_couplings(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found), [](const auto& name) { return is_among(of_couplings, name); });
  return found;
}

[[noreturn]] void refuse_archive(const std::vector<std::string>& names, const ArrayShapes& arrays,
                                 const ImportRequest& request) {
  const std::string& file = request.edges;
  const NpzShape* couplings = probable_couplings(arrays);
  const auto tells_states = [&](const NpzShape& other) { return units_of_states(*couplings, other) > 0; };
  std::string how;
  if (!couplings) {
    ArrayShapes no_fields;
    std::ranges::copy_if(arrays, std::back_inserter(no_fields),
                         [](const NpzShape& a) { return !is_among(of_fields, a.name); });
    how = "None is a square matrix of couplings. " + advice_on_edges(file, no_fields, called_as_couplings(names)) +
          "Of a model with other parameters";
  } else if (std::ranges::any_of(arrays, tells_states)) {
    how = "Of units of several states";
  } else {
    const NpzShape* fields = probable_fields(arrays, *couplings);
    how =
        fmt::format("Of spins name that of the couplings{}, as in harmonium import {}{} --output {}. Of another model",
                    fields ? ", and that of the fields where there are any" : "", array_of(file, couplings->name),
                    fields ? " --fields " + array_of(file, fields->name) : "", request.output);
  }
  throw ConfigError(fmt::format(
      "import {}: it holds {} arrays: {:.200}. {} say what it is in a configuration, whose tensors are called as the "
      "arrays: {}.",
      file, names.size(), fmt::format("{}", fmt::join(names, ", ")), how, command_of_config(file, request)));
}

const NpzShape* shape_named(const ArrayShapes& arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &NpzShape::name);
  return found == arrays.end() ? nullptr : &*found;
}

/// Puts the couplings and the fields in the place of an archive that was named alone.
EdgeArrays name_arrays(ImportRequest& request, const ArrayShapes& arrays) {
  const std::string file = request.edges;
  const std::vector<std::string> names = npz_arrays(file), couplings = called_as_couplings(names);
  if (names.size() < 2) return {};
  std::vector<std::string> fields, edges;
  for (const std::string& name : names) {
    if (is_among(of_fields, name)) fields.push_back(name);
    if (is_called_edges(name)) edges.push_back(name);
  }
  const bool all_known = couplings.size() + fields.size() + edges.size() == names.size();
  const bool few = couplings.size() <= 1 && fields.size() <= 1 && edges.size() <= 1;
  if (!all_known || !few) refuse_archive(names, arrays, request);
  EdgeArrays found;
  if (edges.empty()) {
    request.edges = array_of(file, couplings.front());
  } else {
    const NpzShape* nodes = shape_named(arrays, edges.front());
    const NpzShape* weights = couplings.empty() ? nullptr : shape_named(arrays, couplings.front());
    if (!nodes || (!weights && !couplings.empty()) || !are_edges(*nodes, weights))
      refuse_archive(names, arrays, request);
    found = {array_of(file, nodes->name), weights ? array_of(file, weights->name) : ""};
    request.edges = found.edges;
  }
  if (request.fields.empty() && !fields.empty()) request.fields = array_of(file, fields.front());
  return found;
}

/// Nodes alone are neither a matrix nor edges with couplings.
void check_has_couplings(const ImportRequest& request, const NamedArray& named, const ArrayShapes& arrays) {
  const NpzShape* own = shape_named(arrays, named.array);
  if (!own || own->shape.size() != 2 || own->shape[1] != 2 || own->shape[0] == 2) return;
  const NpzShape* weights = nullptr;
  for (const NpzShape& a : arrays)
    if (is_vector_of(a, own->shape[0]) && !is_among(of_fields, a.name) && (!weights || is_among(of_couplings, a.name)))
      weights = &a;
  const std::string other = weights ? weights->name : "J";
  throw ConfigError(fmt::format(
      "import {}: it has shape ({}), and an edge is two nodes and their coupling. Give np.c_[{}, {}] as one N x 3 "
      "array, named by {}:array=NAME, or an archive of two arrays, 'edges' and 'J'.",
      request.edges, fmt::join(own->shape, ", "), named.array, other, named.file.string()));
}

/// Throws where the configuration in the archive says that the tensor is of no spins.
void check_configured_units(const ImportRequest& request, const NamedArray& named, const Registries& builtin) {
  const std::optional<Value> config = archived_config(named.file);
  if (!config) return;
  Value effective, spec = section(*config, "model", "", "say what the arrays are of, with a 'type'");
  spec.erase("masks");
  const auto model = with_plugins(builtin, request, *config).make<EnergyModel>(spec, effective);
  for (const ParameterBlock& block : model->parameter_layout().blocks()) {
    if (block.name != named.array || block.layers.empty()) continue;
    const Layer& layer = model->layout()[block.layers.front()];
    if (layer.unit->name() != "spin")
      throw ConfigError(fmt::format(
          "import {}: the units of its layer '{}' are {} (array '{}'), and a matrix alone makes spins. The archive "
          "keeps the model: harmonium import {} --output {}.",
          request.edges, layer.name, layer.unit->name(), archived_config_name, named.file.string(), request.output));
  }
}

}  // namespace

EdgeArrays take_archive(ImportRequest& request, const Registries& registries) {
  NamedArray named = named_array(request.edges);
  if (named.array.empty() && !request.edges.ends_with(".npz")) return {};
  const ArrayShapes arrays = npz_shapes(named.file);
  if (named.array.empty()) {
    if (EdgeArrays edges = name_arrays(request, arrays); !edges.edges.empty()) return edges;
    named = named_array(request.edges);
  }
  if (named.array.empty()) return {};
  check_has_couplings(request, named, arrays);
  check_configured_units(request, named, registries);
  const auto own = std::ranges::find(arrays, named.array, &NpzShape::name);
  if (own == arrays.end() || !is_square(*own)) return {};  // which reading it tells
  for (const NpzShape& other : arrays)
    if (const std::uint64_t units = units_of_states(*own, other))
      throw ConfigError(fmt::format(
          "import {}: its array '{}' of shape ({}) is that of {} units of {} states, and a matrix alone makes {} "
          "spins. Say what the units are, as in model = {{ type = \"fully_visible\", num_visible = {}, "
          "visible_units = {{ type = \"categorical\", num_states = {} }} }}, and call the arrays as its tensors, "
          "weight.visible.visible and bias.visible: {}.",
          request.edges, other.name, fmt::join(other.shape, ", "), units, own->shape[0] / units, own->shape[0], units,
          own->shape[0] / units, command_of_config(named.file.string(), request)));
  if (const NpzShape* fields = probable_fields(arrays, *own); fields && request.fields.empty() && request.display)
    request.display->warn(
        fmt::format("the model has no fields. Where the array '{}' of {} holds them, add --fields {}.", fields->name,
                    named.file.string(), array_of(named.file.string(), fields->name)));
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
