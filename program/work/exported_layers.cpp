#include <harmonium/program/work/exported_layers.hpp>

#include <optional>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Nothing where a line is none. Only the name of a layer may have commas.
std::optional<ExportedLayer> exported_layer(std::string_view line) {
  constexpr std::size_t none = std::string_view::npos;
  const std::size_t last = line.rfind(',');
  const std::size_t before = last == 0 || last == none ? none : line.rfind(',', last - 1);
  if (before == none) return {};
  const std::optional<Index> size = parsed_number<Index>(line.substr(before + 1, last - before - 1));
  if (!size || *size == 0) return {};
  return ExportedLayer{std::string(line.substr(0, before)), *size, std::string(line.substr(last + 1))};
}

}  // namespace

std::vector<ExportedLayer> read_exported_layers(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / exported_layers_file;
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found) return {};
  LineReader lines(path);
  if (lines.next() != exported_layers_head) return {};  // another's file of this name
  std::vector<ExportedLayer> layers;
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::optional<ExportedLayer> layer = exported_layer(*line);
    if (!layer)
      throw DataError(fmt::format("{}:{}: '{}': a layer, its size and its units were expected, as in 'visible,5,spin'.",
                                  lines.name(), lines.number(), *line));
    layers.push_back(*layer);
  }
  return layers;
}

std::vector<std::string> names_along(const Layout& layout, const ParameterBlock& block, Index which, Index count,
                                     FunctionRef<std::vector<std::string>(LayerId)> of_layer) {
  if (which < block.layers.size() && layout[block.layers[which]].columns() == count)
    return of_layer(block.layers[which]);
  std::vector<std::string> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
