#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/listed_levels.hpp>
#include <harmonium/framework/files/folder_of_sweep.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/inspected_model.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* inspect_more =
    "Says what is in the file and what would be made of it: each column's kind, range or levels, missing entries, and "
    "the\n"
    "units that suit it; columns that tell nothing; and a configuration by which a model of it can be trained. Columns "
    "of\n"
    "rows that are of one kind, such as pixels, are told together; --json has each.\n"
    "Of a model file, or the folder of a run: the energy, layers and their units, each tensor of the parameters with "
    "its\n"
    "shape, norm, mean and range, what made the file, and its configuration.";

constexpr std::size_t most_lines = 60;  // columns that are told one by one

/// "setosa 33 %, versicolor 33 %", the first few.
std::string levels_words(const InspectedColumn& column, std::uint64_t rows) {
  constexpr std::size_t most = 5;
  std::string text;
  const double all = static_cast<double>(std::max<std::uint64_t>(rows - column.missing, 1));
  for (std::size_t k = 0; k < std::min(most, column.levels.size()); ++k)
    text += fmt::format("{}{} {:.3g} %", k == 0 ? "" : ", ", listed_levels({&column.levels[k].first, 1}),
                        100.0 * static_cast<double>(column.levels[k].second) / all);
  if (column.levels.size() > most) text += fmt::format(", and {} more", column.levels.size() - most);
  return text;
}

std::string holds_words(const InspectedColumn& column, std::uint64_t rows) {
  if (!column.trouble.empty()) return column.trouble;
  if (column.constant && column.min) return fmt::format("{:g} in every row", *column.min);
  if (!column.levels.empty()) return levels_words(column, rows);
  if (column.min) return fmt::format("{:.6g} to {:.6g}, mean {:.6g}", *column.min, *column.max, *column.mean);
  return "";
}

std::string table_text(const Inspection& found) {
  std::size_t name_width = 6, kind_width = 4, holds_width = 5;
  std::vector<std::string> holds;
  std::vector<InspectedColumn> columns = found.columns;
  if (found.classes) columns.push_back(*found.classes);
  for (const InspectedColumn& column : columns) {
    holds.push_back(holds_words(column, found.num_rows));
    name_width = std::max(name_width, column.name.size());
    kind_width = std::max(kind_width, column.kind.size());
    holds_width = std::max(holds_width, holds.back().size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>7}  units\n", "column", name_width, "kind", kind_width,
                                 "holds", holds_width, "missing");
  for (std::size_t c = 0; c < columns.size(); ++c)
    text +=
        fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>7}  {}\n", columns[c].name, name_width, columns[c].kind, kind_width,
                    holds[c], holds_width, columns[c].missing, columns[c].units.empty() ? "none" : columns[c].units);
  return text;
}

/// All columns in a few lines.
std::string summary_text(const Inspection& found) {
  double min = *found.columns[0].min, max = *found.columns[0].max, sum = 0.0;
  std::uint64_t missing = 0;
  for (const InspectedColumn& column : found.columns) {
    min = std::min(min, *column.min);
    max = std::max(max, *column.max);
    sum += *column.mean;
    missing += column.missing;
  }
  std::string text = fmt::format("values   {:.6g} to {:.6g}, mean {:.6g}\n", min, max,
                                 sum / static_cast<double>(found.columns.size()));
  if (missing > 0) text += fmt::format("missing  {} entries\n", missing);
  text += fmt::format("units    {}\n", found.columns[0].units);
  if (found.classes)
    text += fmt::format("classes  {} of '{}': {}\n", found.classes->levels.size(), found.classes->name,
                        levels_words(*found.classes, found.num_rows));
  return text;
}

std::string inspection_text(const Inspection& found) {
  std::string text = fmt::format("{}: {}, {} rows of {} columns: {}\n\n", found.name, found.type, found.num_rows,
                                 fmt::join(found.shape, " x "), found.summary);
  const bool one_by_one =
      found.columns.size() <= most_lines && (found.named || found.type == "table" || found.columns.size() <= 8);
  text += one_by_one ? table_text(found) : summary_text(found);
  for (const std::string& warning : found.warnings) text += fmt::format("\nnote: {}", warning);
  if (!found.warnings.empty()) text += "\n";
  return text + "\nA configuration that trains a model of it:\n\n" + write_toml(found.proposed);
}

std::string column_json(const InspectedColumn& column) {
  std::string levels;
  for (const auto& [level, rows] : column.levels)
    levels += fmt::format("{}{{\"level\": {}, \"rows\": {}}}", levels.empty() ? "" : ", ", json_string(level), rows);
  const auto text_or_null = [](const std::string& text) { return text.empty() ? "null" : json_string(text); };
  return fmt::format(
      "{{\"name\": {}, \"kind\": {}, \"units\": {}, \"missing\": {}, \"min\": {}, \"max\": {}, \"mean\": {}, "
      "\"constant\": {}, \"levels\": [{}], \"trouble\": {}}}",
      json_string(column.name), json_string(column.kind), text_or_null(column.units), column.missing,
      json_number(column.min), json_number(column.max), json_number(column.mean), column.constant, levels,
      text_or_null(column.trouble));
}

std::string inspection_json(const Inspection& found) {
  std::vector<std::string> columns, warnings;
  for (const InspectedColumn& column : found.columns) columns.push_back(column_json(column));
  for (const std::string& warning : found.warnings) warnings.push_back(json_string(warning));
  return fmt::format(
      "{{\"name\": {}, \"type\": {}, \"num_rows\": {}, \"shape\": [{}], \"summary\": {},\n \"columns\": [\n  {}],\n "
      "\"classes\": {},\n \"warnings\": [{}],\n \"configuration\": {}}}\n",
      json_string(found.name), json_string(found.type), found.num_rows, fmt::join(found.shape, ", "),
      json_string(found.summary), fmt::join(columns, ",\n  "), found.classes ? column_json(*found.classes) : "null",
      fmt::join(warnings, ", "), json_string(write_toml(found.proposed)));
}

class Inspect final : public RequestCommand<InspectRequest> {
 public:
  Inspect()
      : RequestCommand("inspect", "Say what is in a data file, and what would be made of it, or in a model",
                       inspect_more, {"harmonium inspect data.csv", "harmonium inspect runs/first"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "DATA|MODEL", request_.data,
             "A data file, a folder of pictures, or NAME:KEY=VALUE,...; a model file or a run's folder")
        ->required()
        ->check(not_empty());
    command.add_flag("--json", json_, "Print one JSON object, with every column");
    add_common(command, request_, quiet_, "data.label_column=last");
  }
  bool writes_files() const override { return false; }
  int run(Terminal&) override {
    if (names_model(request_.data)) {
      if (!request_.set.empty())
        throw ConfigError(fmt::format("--set {}: it is about data, and {} is a model. Leave it out.", request_.set[0],
                                      request_.data));
      DescribeModelRequest own;
      static_cast<CommonRequest&>(own) = static_cast<const CommonRequest&>(request_);
      own.model = model_named(request_.data);
      const ModelDescription found = program(precision_of_model(own.model)).describe_model(own);
      write_out(json_ ? model_json(found) : model_text(found));
      return 0;
    }
    refuse_sweep(request_.data);
    const Inspection found = program(Precision::float64).inspect(request_);
    write_out(json_ ? inspection_json(found) : inspection_text(found));
    return 0;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> inspect_command() { return std::make_unique<Inspect>(); }

}  // namespace v1
}  // namespace harmonium
