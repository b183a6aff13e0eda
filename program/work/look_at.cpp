#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/survey.hpp>
#include <harmonium/program/work/numbered_pairs.hpp>
#include <harmonium/program/work/proposal.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Bits are proposed where they keep more of the variance than those of values that are spread evenly.
constexpr double min_kept = 0.75;

[[noreturn]] void ask(const Dataset& data, const std::string& question) {
  throw ConfigError(fmt::format("{}: {}", data.name(), question));
}

/// A column as the file counts them; one that was taken out for the labels is not counted.
std::string column_words(const Dataset& data, Index c) {
  return fmt::format("column {} (counted from 1{})", c + 1, data.num_classes() > 0 ? ", without labels" : "");
}

bool are_levels(const DataSurvey& seen) { return seen.min >= 0 && (seen.max <= 1 || (seen.whole && seen.max <= 255)); }

/// What to set for bits, by the middle of the range that the values have.
std::string setting_of_bits(const DataSurvey& seen) {
  const std::string range =
      seen.max <= 1 || seen.max == 255 ? "" : fmt::format(" --set 'data.range=[{:g}, {:g}]'", seen.min, seen.max);
  return "--set data.binarize=threshold" + range;
}

/// The last column, or the first, where it looks as one of classes does and no other column is like it; none where there are
/// labels.
std::optional<Index> column_of_classes(const Dataset& data, const DataSurvey& seen) {
  if (data.num_classes() > 0) return {};
  const auto& columns = seen.columns;
  for (const Index c : {columns.size() - 1, Index{0}}) {
    const bool alone =
        std::ranges::count_if(columns, [&](const ColumnSurvey& other) {
          return other.min == columns[c].min && other.max == columns[c].max && other.looks_like_classes();
        }) == 1;
    if (alone && columns[c].looks_like_classes() && columns[c].counts.size() * 5 <= data.rows()) return c;
  }
  return {};
}

/// Columns of numbers that are none of a sample's.
void ask_what_columns_are(const Dataset& data, const DataSurvey& seen, bool is_csv) {
  const auto& columns = seen.columns;
  for (Index c = 0; c < columns.size(); ++c)
    if (data.rows() >= 8 && columns[c].counts_rows)
      ask(data, fmt::format("{} counts the rows, from {:g} to {:g}. Take it out of the file.", column_words(data, c),
                            columns[c].min, columns[c].max));
  if (begins_with_pairs(data, columns))
    ask(data,
        "its first two columns number pairs, all of them once, as of the entries of a matrix: such a file is a table "
        "about pairs, and its rows are no samples. If they are, take the two columns out of it, or add --set "
        "data.standardize=true.");
  const std::optional<Index> classes = column_of_classes(data, seen);
  if (!classes) return;
  const ColumnSurvey& column = columns[*classes];
  const std::string which = *classes == 0 ? "first" : "last";
  ask(data, fmt::format("its {} column holds the whole numbers from {:g} to {:g}, about as often each: are they "
                        "classes? If so, {}. If they are values like the others, take them as such: "
                        "{}.",
                        which, column.min, column.max,
                        is_csv ? fmt::format("add --set data.label_column={}", *classes == 0 ? "1" : which)
                               : "put them into a file of their own, and add --set data.labels=FILE",
                        are_levels(seen) && seen.kept_by_threshold >= min_kept ? setting_of_bits(seen)
                                                                               : "--set data.standardize=true"));
}

/// Columns on another scale than the rest, of which a threshold for all would make zeros.
auto column_of_another_scale(const Dataset& data, const DataSurvey& seen, Values values) {
  const double all = seen.max - seen.min;
  return std::ranges::find_if(seen.columns, [&](const ColumnSurvey& column) {
    if (values == Values::real) return column.is_yes_or_no(data.rows());
    return 4 * (column.max - column.min) <= all && column.variety(data.rows()) >= 0.05;
  });
}

/// How an array of columns of several kinds is had as what takes each by its own.
constexpr const char* way_by_kinds =
    "Written as a CSV file with a line of names (numpy.savetxt with delimiter and header), which 'harmonium init "
    "FILE.csv --set data.type=table' takes, each column has units of its kind, real ones standardized.";

void ask_for_one_scale(const Dataset& data, const DataSurvey& seen, Values values, bool is_csv) {
  const auto other = column_of_another_scale(data, seen, values);
  if (other == seen.columns.end()) return;
  const auto wide =
      std::ranges::max_element(seen.columns, {}, [](const ColumnSurvey& column) { return column.max - column.min; });
  const auto at = [&](auto column) { return column_words(data, static_cast<Index>(column - seen.columns.begin())); };
  ask(data,
      fmt::format("{} goes from {:g} to {:g} and {} from {:g} to {:g}: one kind of unit does not serve both. Bring "
                  "them to one scale in the file, or leave one of them out; --set data.standardize=true takes all "
                  "as numbers{}.{}{}",
                  at(other), other->min, other->max, at(wide), wide->min, wide->max,
                  data.num_classes() == 0 && other->is_yes_or_no(data.rows())
                      ? ", and data.label_column or data.labels names a column of classes"
                      : "",
                  is_csv ? "" : " ", is_csv ? "" : way_by_kinds));
}

/// Few whole numbers: names of states, ranks, or amounts. Empty where they are others.
std::string what_numbers_mean(const DataSurvey& seen) {
  if (!seen.whole || seen.max - seen.min > 9) return "";
  const double num_states = seen.max - seen.min + 1;
  const std::string of_ranks = num_states < 3
                                   ? ""
                                   : fmt::format(
                                         "; of ranks, or spins of several levels, make units of these (--set "
                                         "'model.visible_units={{type=\"levels\",num_states={:g},low={:g}}}')",
                                         num_states, seen.min);
  const std::string of_states =
      seen.min == 0
          ? fmt::format("take units of these (--set 'model.visible_units={{type=\"categorical\",num_states={:g}}}')",
                        std::max(num_states, 2.0))
          : fmt::format("subtract {:g}, so that they count from 0", seen.min);
  return fmt::format(
      "its values are the whole numbers from {:g} to {:g}, and what they stand for is not to be seen. Of names of "
      "states {}; of amounts make bits ({}) or numbers (--set data.standardize=true){}.",
      seen.min, seen.max, of_states, setting_of_bits(seen), of_ranks);
}

/// What the values are, whatever was asked.
Values kind_of(const Dataset& data, const DataSurvey& seen) {
  if (data.is_binary())
    return data.binarize() == Binarize::none && one_hot_states(data) > 0 ? Values::states : Values::bits;
  const double both[] = {-1, 1};
  if (!data.first_outside(both)) return Values::spins;
  return are_levels(seen) && seen.kept_by_threshold >= min_kept ? Values::gray : Values::real;
}

/// The kind of unit that a configuration asks for, and its states.
std::pair<std::string, Index> asked_units(const Value& asked) {
  const Value* model = asked.find("model");
  const Value* units = model ? model->find("visible_units") : nullptr;
  const Value* name = units && units->is_table() ? units->find("type") : units;
  const Value* states = units && units->is_table() ? units->find("num_states") : nullptr;
  const auto* number = states ? std::get_if<std::int64_t>(&states->data) : nullptr;
  return {name && name->is_string() ? std::get<std::string>(name->data) : "",
          number && *number > 0 ? static_cast<Index>(*number) : 2};
}

}  // namespace

namespace {

DataSurvey survey_of(const Dataset& data) {
  const double high = data.max().value;
  const bool gray_bytes = data.is_bytes() && high == 255;
  return survey(data, 0, gray_bytes || high > 1 ? high : 1);
}

}  // namespace

Findings first_look(const Dataset& data) {
  const DataSurvey seen = survey_of(data);
  Findings found;
  found.max = seen.max;
  found.kept = are_levels(seen) ? seen.kept_by_threshold : 0;
  found.image = data.sample_shape().size() > 1;
  found.values = kind_of(data, seen);
  found.made_bits = data.binarize() != Binarize::none;
  if (found.values == Values::states) found.states = one_hot_states(data);
  return found;
}

std::string question_of_classes(const Dataset& data) {
  const DataSurvey seen = survey_of(data);
  const Values values = kind_of(data, seen);
  if (data.sample_shape().size() > 1 || (values != Values::gray && values != Values::real)) return "";
  const std::optional<Index> c = column_of_classes(data, seen);
  if (!c) return "";
  return fmt::format(
      "the {} column holds the whole numbers from {:g} to {:g}, about as often each: are they classes? Below they are "
      "a "
      "value like the others.",
      *c == 0 ? "first" : "last", seen.columns[*c].min, seen.columns[*c].max);
}

std::string question_of_numbers(const Dataset& data) {
  const DataSurvey seen = survey_of(data);
  const Values values = kind_of(data, seen);
  const bool asked =
      data.binarize() == Binarize::none && !data.transform() && (values == Values::gray || values == Values::real);
  return asked ? what_numbers_mean(seen) : "";
}

std::string note_of_scales(const Dataset& data) {
  const DataSurvey seen = survey_of(data);
  const bool mixed = data.sample_shape().size() < 2 && kind_of(data, seen) == Values::real &&
                     column_of_another_scale(data, seen, Values::real) != seen.columns.end();
  return mixed ? fmt::format("columns of 0 and 1 stand beside real ones, and are taken for numbers like these. {}",
                             way_by_kinds)
               : "";
}

Dataset with_asked_states(const Dataset& data, const Value& asked) {
  const auto [units, states] = asked_units(asked);
  if (units != "categorical" || data.transform() || !holds_states(data, states)) return data;
  return data.with_one_hot_columns(std::vector<Index>(data.cols(), states));
}

Findings look_at(const Dataset& data, const Value& asked, Scales scales) {
  const DataSurvey seen = survey_of(data);
  const auto [units, states] = asked_units(asked);
  const Value& source = *asked.find("data");
  Findings found = first_look(data);
  found.told =
      !units.empty() || std::ranges::any_of(std::initializer_list<const char*>{"binarize", "standardize", "whiten"},
                                            [&](const char* key) { return source.find(key) != nullptr; });
  if (data.rows() < 2) ask(data, "it has a single row, and nothing can be learned of one. Give more.");
  if (seen.min == seen.max)
    ask(data, fmt::format("every value is {:g}{}: there is nothing to learn.", seen.min,
                          data.binarize() == Binarize::none ? "" : " after data.binarize (look at data.range)"));
  if (!found.told) {
    if (data.cols() == 1)
      ask(data,
          "it has a single column, so that there is nothing to couple. If it holds the classes or the weights of "
          "another file's rows, give that file, and add --set data.labels or data.weights with the name of this.");
    const Value* type = source.find("type");
    if (found.values == Values::gray || found.values == Values::real) {
      const bool is_csv = type && *type == make_value("csv");
      if (!found.image) ask_what_columns_are(data, seen, is_csv);
      found.mixed = scales == Scales::may_be_mixed && !found.image &&
                    column_of_another_scale(data, seen, found.values) != seen.columns.end();
      if (found.mixed) return found;
      if (!found.image) ask_for_one_scale(data, seen, found.values, is_csv);
      if (const std::string question = what_numbers_mean(seen); !question.empty()) ask(data, question);
    }
  }
  if (data.transform() || units == "gaussian") found.values = Values::real;
  else if (units == "spin" || units == "levels") found.values = Values::spins;
  else if (units == "categorical") found.values = Values::states;
  else if (found.told && (units == "binary" || source.find("binarize")) && found.values != Values::gray)
    found.values = Values::bits;
  found.states = found.values != Values::states ? 1 : units == "categorical" ? states : one_hot_states(data);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
