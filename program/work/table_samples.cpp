#include <harmonium/program/work/table_samples.hpp>

#include <span>

#include <fmt/format.h>

#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/program/work/row_texts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
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
  const RowTexts rows(plan.header(), plan.model().layout(), plan.request().model);
  const std::span<const Real> all(sampling.samples());
  write_csv_samples(plan, sampling, rows.names(),
                    [&](Index r) { return rows.texts(all.subspan(r * plan.columns(), plan.columns())); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
