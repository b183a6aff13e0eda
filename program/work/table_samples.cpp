#include <harmonium/program/work/table_samples.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/table_source.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Where a row of all observed columns has those of the table and those of the classes.
struct TableRow {
  TableSchema schema;
  std::vector<std::string> words;  // of the classes
  Index place = 0, labels = 0;

  std::vector<std::string> texts(std::span<const Real> row) const {
    std::vector<Real> own(row.begin(), row.end());
    const auto begin = own.begin() + static_cast<std::ptrdiff_t>(place),
               end = begin + static_cast<std::ptrdiff_t>(labels);
    const auto label = static_cast<Index>(std::max_element(begin, end) - begin);
    own.erase(begin, end);
    std::vector<std::string> texts = schema.decode<Real>(own);
    if (labels > 0) texts.push_back(label < words.size() ? words[label] : fmt::format("{}", label));
    return texts;
  }
};

TableRow table_row(const SamplingPlan& plan) {
  const ModelHeader& header = plan.header();
  const Layout& layout = plan.model().layout();
  TableRow row{.schema = {}, .words = class_words(header.config)};
  try {
    row.schema = schema_of(*header.config.find("data"));
  } catch (const ConfigError& error) {
    throw DataError(fmt::format("{}: config: {}", plan.request().model, error.what()));
  }
  row.place = label_place(layout).value_or(plan.columns());
  row.labels = label_columns(layout);
  if (row.schema.width() + row.labels != plan.columns())
    throw DataError(fmt::format("{}: its columns of data make {} columns of numbers, but its model observes {}",
                                plan.request().model, row.schema.width(), plan.columns() - row.labels));
  return row;
}

}  // namespace

std::vector<std::string> class_words(const Value& config) {
  const Value* data = config.find("data");
  return words_in(data ? data->find("classes") : nullptr);
}

bool is_table(const ModelHeader& header) {
  const Value* data = header.config.find("data");
  const Value* type = data ? data->find("type") : nullptr;
  return type && *type == make_value("table");
}

void write_csv_samples(const SamplingPlan& plan, const Sampling& sampling, std::vector<std::string> names,
                       const std::function<std::vector<std::string>(Index)>& fields_of) {
  constexpr std::size_t gathered = std::size_t{1} << 20;
  const SampleRequest& request = plan.request();
  AtomicFile file(request.output);
  std::string text;
  if (!names.empty()) {
    if (request.energies) names.emplace_back("energy");
    text = csv_line(names);
  }
  for (Index r = 0; r < request.num_samples; ++r) {
    std::vector<std::string> fields = fields_of(r);
    if (request.energies) fields.push_back(fmt::format("{}", sampling.energies()[r]));
    text += csv_line(fields);
    if (text.size() < gathered) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

void write_table_samples(const SamplingPlan& plan, const Sampling& sampling) {
  const ModelHeader& header = plan.header();
  const TableRow row = table_row(plan);
  std::vector<std::string> names;
  if (!header.column_names.empty()) {
    for (const TableColumn& column : row.schema.columns()) names.push_back(column.name);
    if (row.labels > 0) names.push_back(label_column_name(header));
  }
  const std::span<const Real> all(sampling.samples());
  write_csv_samples(plan, sampling, std::move(names),
                    [&](Index r) { return row.texts(all.subspan(r * plan.columns(), plan.columns())); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
