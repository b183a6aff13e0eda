#include <harmonium/program/work/import_tables.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_fields.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/program/work/exported_layers.hpp>
#include <harmonium/program/work/imported_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A line of a table for messages, of many fields the first and the last.
std::string line_of(const Words& fields) {
  if (fields.size() <= 5) return fmt::format("{}", fmt::join(fields, ","));
  return fmt::format("{},{},...,{}", fields[0], fields[1], fields.back());
}

/// The lines of a table, of which each has as many fields as it should.
class TableLines {
 public:
  explicit TableLines(const fs::path& path) : lines_(path) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw DataError(fmt::format("{}:{}: {}.", lines_.name(), lines_.number(), why));
  }
  /// Says what the columns are, and a line of them as it may be.
  void columns(Words names, const Words& example) {
    names_ = std::move(names);
    example_ = line_of(example);
  }
  /// Nothing at the end.
  std::optional<Words> next() {
    const std::optional<std::string_view> line = lines_.next();
    if (!line) return {};
    Words found = csv_fields(lines_, *line, ',');
    if (found.size() != names_.size())
      refuse(fmt::format("it has {} field{}, and {} were expected: {}, as in '{}'", found.size(),
                         found.size() == 1 ? "" : "s", names_.size(), line_of(names_), example_));
    return found;
  }
  Words row(const std::string& what) {
    std::optional<Words> found = next();
    if (!found) throw DataError(fmt::format("{}: it ends where {} was expected.", lines_.name(), what));
    return std::move(*found);
  }
  void head() {
    if (row("its first line") != names_)
      refuse(fmt::format("its first line was expected to be '{}'", fmt::join(names_, ",")));
  }
  void end() {
    if (lines_.next()) refuse("the model has no more units than the lines before");
  }
  Real number(const std::string& field) const {
    const auto [value, fault] = csv_number(without_blanks(field));
    if (fault != NumberFault::none || !std::isfinite(static_cast<Real>(value)))
      refuse(fmt::format("'{}' is no finite number", field));
    return static_cast<Real>(value);
  }

 private:
  LineReader lines_;
  Words names_;
  std::string example_;
};

/// What the rows or columns of a table are called, which are units in their order: by layer and number, or else all by other names,
/// as those of the data's columns.
class UnitNames {
 public:
  UnitNames(const TableLines& lines, Words numbered) : lines_(lines), numbered_(std::move(numbered)) {}

  void check(Index at, const std::string& name) {
    if (at == 0 && std::ranges::find(numbered_, name) == numbered_.end()) {
      first_ = name;
      taken_.insert(numbered_.begin(), numbered_.end());
    }
    if (taken_.contains(name)) lines_.refuse(fmt::format("'{}' stands among units that are called '{}'", name, first_));
    if (taken_.empty() && name != numbered_[at])
      lines_.refuse(fmt::format("'{}' stands where '{}' was expected", name, numbered_[at]));
  }

 private:
  const TableLines& lines_;
  Words numbered_;
  std::string first_;
  std::set<std::string> taken_;  ///< where units have other names: those that none of them has
};

class Tables {
 public:
  Tables(const fs::path& folder, const EnergyModel& model)
      : folder_(folder), model_(model), theta_(model.parameters().size(), Real{0}) {}

  void read() {
    const std::vector<ParameterBlock>& blocks = model_.parameter_layout().blocks();
    for (Index k = 0; k < blocks.size(); ++k) {
      const ParameterBlock& b = blocks[k];
      if (!fs::exists(folder_ / (b.name + ".csv")))
        throw DataError(fmt::format("{}: there is no {}.csv, the model's tensor of shape {}. Export the model again.",
                                    folder_.string(), b.name, text_of(shape_of(b))));
      TableLines lines(path_of(b.name));
      if (b.role == ParameterRole::edges) edges(b, lines);
      else if (b.symmetry != Symmetry::none) pairs(k, lines);
      else if (b.cols == 1) vector(b, lines);
      else matrix(b, lines, std::span(theta_).subspan(b.offset, b.size()));
      if (b.role == ParameterRole::coupling && fs::exists(folder_ / (mask_of(b) + ".csv"))) mask(k);
    }
    check_left_over();
  }

  ImportedParameters parameters() && { return {std::move(theta_), std::move(masks_)}; }

 private:
  fs::path path_of(const std::string& tensor) {
    read_.insert(tensor + ".csv");
    return folder_ / (tensor + ".csv");
  }
  Words names(const ParameterBlock& b, Index which, Index count) const {
    return names_along(model_.layout(), b, which, count, [&](LayerId layer) {
      LayerSet own;
      return names_of_units(model_.layout(), own.add(layer));
    });
  }
  void vector(const ParameterBlock& b, TableLines& lines) {
    Words called = names(b, 0, b.rows);
    lines.columns({"unit", "value"}, {called.front(), "0.5"});
    lines.head();
    UnitNames units(lines, std::move(called));
    for (Index r = 0; r < b.rows; ++r) {
      const Words line = lines.row(fmt::format("unit {} of {}", r, b.rows));
      units.check(r, line[0]);
      theta_[b.offset + r] = lines.number(line[1]);
    }
    lines.end();
  }
  void matrix(const ParameterBlock& b, TableLines& lines, std::span<Real> out) const {
    Words expected{"unit"}, of_columns = names(b, 1, b.cols), of_rows = names(b, 0, b.rows), example{of_rows.front()};
    expected.insert(expected.end(), of_columns.begin(), of_columns.end());
    example.insert(example.end(), b.cols, "0.5");
    lines.columns(std::move(expected), example);
    const Words head = lines.row("its first line");
    if (head[0] != "unit") lines.refuse("its first line was expected to begin with 'unit'");
    UnitNames columns(lines, std::move(of_columns)), rows(lines, std::move(of_rows));
    for (Index c = 0; c < b.cols; ++c) columns.check(c, head[c + 1]);
    for (Index r = 0; r < b.rows; ++r) {
      const Words line = lines.row(fmt::format("row {} of {}", r, b.rows));
      rows.check(r, line[0]);
      for (Index c = 0; c < b.cols; ++c) out[r * b.cols + c] = lines.number(line[c + 1]);
    }
    lines.end();
  }
  void mask(Index tensor) {
    const ParameterBlock& b = model_.parameter_layout()[tensor];
    TableLines lines(path_of(mask_of(b)));
    std::vector<Real> numbers(b.size());
    matrix(b, lines, numbers);
    std::vector<std::uint8_t>& own = masks_[tensor];
    std::ranges::transform(numbers, std::back_inserter(own), [](Real x) { return x != 0 ? 1 : 0; });
    check_absent(folder_.string(), b, theta_, own, mask_of(b) + ".csv");
  }
  void pairs(Index tensor, TableLines& lines) {
    const ParameterBlock& b = model_.parameter_layout()[tensor];
    const Index width = b.role == ParameterRole::coupling ? model_.layout()[b.layers[0]].unit->width() : Index{1};
    std::map<std::string, Index> places;
    const Words called = names(b, 0, b.rows);
    for (const std::string& name : called) places.emplace(name, places.size());
    const auto place_of = [&](const std::string& name) {
      const auto found = places.find(name);
      if (found == places.end())
        lines.refuse(
            fmt::format("'{}' is no unit of the layer. 'harmonium export --numbered' calls them '{}' and so on", name,
                        places.begin()->first));
      return found->second;
    };
    std::vector<std::uint8_t> listed(b.size(), 0);
    Index count = 0;
    lines.columns({"unit", "other", "value"}, {called.front(), called[std::min(width, b.rows - 1)], "0.5"});
    lines.head();
    for (; const std::optional<Words> line = lines.next(); ++count) {
      const Index r = place_of((*line)[0]), c = place_of((*line)[1]);
      if (r / width == c / width) lines.refuse(fmt::format("'{}' is not coupled with itself", (*line)[0]));
      if (listed[r * b.cols + c] != 0) lines.refuse(fmt::format("'{}' and '{}' stand twice", (*line)[0], (*line)[1]));
      listed[r * b.cols + c] = listed[c * b.cols + r] = 1;
      theta_[b.offset + r * b.cols + c] = theta_[b.offset + c * b.cols + r] = lines.number((*line)[2]);
    }
    if (count < b.rows * (b.cols - width) / 2) masks_[tensor] = std::move(listed);
  }
  void edges(const ParameterBlock& b, TableLines& lines) {
    const std::string& layer = model_.layout()[b.layers[0]].name;
    ImportedEdgeValues values(b, theta_);
    lines.columns({"unit", "other", "value"}, {layer + "[0]", layer + "[1]", "0.5"});
    lines.head();
    for (const Edge& e : *b.edges) {
      const std::string from = fmt::format("{}[{}]", layer, e.a), to = fmt::format("{}[{}]", layer, e.b);
      const Words line = lines.row(fmt::format("the edge '{},{}'", from, to));
      if (line[0] != from || line[1] != to)
        lines.refuse(fmt::format("'{},{}' stands where '{},{}' was expected", line[0], line[1], from, to));
      const Real value = lines.number(line[2]);
      if (!values.take(e, value)) lines.refuse(fmt::format("{} is {}", value, other_value_than_shared));
    }
    lines.end();
  }
  /// Tables of another model, which an earlier export left.
  void check_left_over() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() != ".csv" || read_.contains(name)) continue;
      if (LineReader(entry.path()).next().value_or("").starts_with("unit,"))
        throw DataError(fmt::format("{}: {} belongs to no part of the model. Remove it, or export to a new folder.",
                                    folder_.string(), name));
    }
  }

  const fs::path& folder_;
  const EnergyModel& model_;
  std::vector<Real> theta_;
  std::map<Index, std::vector<std::uint8_t>> masks_;
  std::set<std::string> read_;
};

void check_layers(const fs::path& folder, const Layout& layout) {
  const std::vector<ExportedLayer> said = read_exported_layers(folder);
  const auto same = [](const ExportedLayer& a, const Layer& b) {
    return a.name == b.name && a.size == b.size && a.units == b.unit->name();
  };
  if (!said.empty() && !std::ranges::equal(said, layout.layers(), same))
    throw DataError(fmt::format("{}: {} has other layers than the [model] beside it. Export the model again.",
                                folder.string(), exported_layers_file));
}

}  // namespace

void read_exported_tables(const fs::path& folder, EnergyModel& model) {
  check_layers(folder, model.layout());
  Tables tables(folder, model);
  tables.read();
  put_parameters(folder.string(), std::move(tables).parameters(), model);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
