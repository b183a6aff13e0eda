#include <harmonium/program/work/export_tables.hpp>

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/exported_layers.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A field of CSV, in quotation marks where it must be.
std::string csv_field(const std::string& text) {
  return text.find_first_of(",\"\n\r") == std::string::npos ? text : csv_quoted(text);
}

/// What the columns of a layer are called: by the data's names, which are those of the first observed layers, and the words of its
/// classes, else as everywhere, by the layer and a number from 0.
std::vector<std::string> names_of_columns(const Layout& layout, LayerId l, const ModelHeader& header) {
  const Layer& layer = layout[l];
  const std::vector<std::string>& data = header.column_names;
  if (layer.name == label_layer && class_words(header.config).size() == layer.columns())
    return names_of_classes(header, layout);
  const Index first = layer.role == Role::observed ? layout.first_columns(layout.observed())[l] : data.size();
  if (first + layer.columns() > data.size()) {
    LayerSet own;
    return names_of_units(layout, own.add(l));
  }
  std::vector<std::string> names;
  std::ranges::copy(std::span(data).subspan(first, layer.columns()), std::back_inserter(names));
  return names;
}

}  // namespace

std::vector<std::string> TensorTexts::names(const ParameterBlock& block, Index which, Index count) const {
  return names_along(model_.layout(), block, which, count,
                     [&](LayerId layer) { return names_of_columns(model_.layout(), layer, header_); });
}

std::string TensorTexts::vector(const ParameterBlock& block) const {
  std::string text = "unit,value\n";
  const std::vector<std::string> rows = names(block, 0, block.rows);
  for (Index r = 0; r < block.rows; ++r) text += fmt::format("{},{}\n", csv_field(rows[r]), value(block, r));
  return text;
}

template <class Entry>
std::string TensorTexts::matrix(const ParameterBlock& block, const Entry& entry) const {
  std::string text = "unit";
  for (const std::string& name : names(block, 1, block.cols)) text += "," + csv_field(name);
  text += "\n";
  const std::vector<std::string> rows = names(block, 0, block.rows);
  for (Index r = 0; r < block.rows; ++r) {
    text += csv_field(rows[r]);
    for (Index c = 0; c < block.cols; ++c) fmt::format_to(std::back_inserter(text), ",{}", entry(r * block.cols + c));
    text += "\n";
  }
  return text;
}

/// Couplings within a layer: each pair that exists, once. States of one unit are no pair.
std::string TensorTexts::pairs(const ParameterBlock& block) const {
  std::string text = "unit,other,value\n";
  const std::vector<std::string> own = names(block, 0, block.rows);
  const Index width = block.role == ParameterRole::coupling ? model_.layout()[block.layers[0]].unit->width() : Index{1};
  for (Index r = 0; r < block.rows; ++r)
    for (Index c = (r / width + 1) * width; c < block.cols; ++c)
      if (!block.mask || (*block.mask)[r * block.cols + c] != 0)
        text += fmt::format("{},{},{}\n", csv_field(own[r]), csv_field(own[c]), value(block, r * block.cols + c));
  return text;
}

std::string TensorTexts::edges(const ParameterBlock& block) const {
  std::string text = "unit,other,value\n";
  const Layer& layer = model_.layout()[block.layers[0]];
  for (const Edge& e : *block.edges)
    text += fmt::format("{},{},{}\n", csv_field(fmt::format("{}[{}]", layer.name, e.a)),
                        csv_field(fmt::format("{}[{}]", layer.name, e.b)), value(block, e.entry));
  return text;
}

std::string TensorTexts::of(Index tensor) const {
  const ParameterBlock& block = model_.parameter_layout()[tensor];
  if (block.role == ParameterRole::edges) return edges(block);
  if (block.symmetry != Symmetry::none) return pairs(block);
  if (block.cols == 1) return vector(block);
  return matrix(block, [&](Index at) { return value(block, at); });
}

std::string TensorTexts::mask_of(Index tensor) const {
  const ParameterBlock& block = model_.parameter_layout()[tensor];
  if (!block.mask || block.symmetry != Symmetry::none) return "";
  return matrix(block, [&](Index at) { return static_cast<int>((*block.mask)[at]); });
}

std::string layers_text(const Layout& layout) {
  std::string text = fmt::format("{}\n", exported_layers_head);
  for (const Layer& layer : layout.layers())
    text += fmt::format("{},{},{}\n", csv_field(layer.name), layer.size, layer.unit->name());
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
