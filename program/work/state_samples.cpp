#include <harmonium/program/work/state_samples.hpp>

#include <cstdint>
#include <filesystem>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/program/work/sample_file.hpp>
#include <harmonium/program/work/table_samples.hpp>
#include <harmonium/program/work/unit_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

template <class T>
Matrix<T> states_of(const std::vector<UnitOfRow>& units, const SamplingPlan& plan, const Sampling& sampling) {
  const std::span<const Real> all(sampling.samples());
  Matrix<T> states = zeros<T>(plan.request().num_samples, units.size());
  for (Index r = 0; r < plan.request().num_samples; ++r)
    for (Index u = 0; u < units.size(); ++u)
      states(r, u) = static_cast<T>(units[u].state(all.subspan(r * plan.columns(), plan.columns())));
  return states;
}

void write_csv_states(const std::vector<UnitOfRow>& units, const SamplingPlan& plan, const Sampling& sampling) {
  const std::vector<std::string> words = class_words(plan.header().config);
  const std::span<const Real> all(sampling.samples());
  write_csv_samples(plan, sampling, names_of_state_columns(plan.header(), plan.model().layout()), [&](Index r) {
    return state_fields(units, all.subspan(r * plan.columns(), plan.columns()), words);
  });
}

}  // namespace

void write_state_samples(const SamplingPlan& plan, const Sampling& sampling) {
  const SampleRequest& request = plan.request();
  const std::filesystem::path output = request.output;
  const std::vector<UnitOfRow> units = observed_units(plan.model().layout());
  if (output.extension() == ".csv") {
    write_csv_states(units, plan, sampling);
    return;
  }
  if (request.energies) write_npy_vector(energies_path(request), sampling.energies());
  const auto write = [&]<class T>(T) {
    const Matrix<T> states = states_of<T>(units, plan, sampling);
    write_npy(output, as_matrix(states));
  };
  if (have_byte_states(units)) write(std::uint8_t{});
  else write(Real{});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
