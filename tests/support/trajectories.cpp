#include <harmonium/tests/support/trajectories.hpp>

#include <algorithm>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/run/run_logs.hpp>
#include <harmonium/plugins/builtin/model_files.hpp>

namespace harmonium::testing {

std::unique_ptr<EnergyModel> with_parameters(const EnergyModel& model, std::span<const Real> theta) {
  std::unique_ptr<EnergyModel> copy = model.copy();
  copy->update_parameters([&](std::span<Real> out) { std::ranges::copy(theta, out.begin()); });
  return copy;
}

void write_trajectory(const std::filesystem::path& folder, const EnergyModel& model,
                      const std::vector<KeptMachine>& kept) {
  std::filesystem::create_directories(folder / "checkpoints");
  std::ofstream list(folder / checkpoint_list);
  for (const KeptMachine& one : kept) {
    const auto file = folder / "checkpoints" / fmt::format("{}.h5", one.update);
    save(*with_parameters(model, one.theta), file);
    list << checkpoint_line(one.update, sha256_of_file(file)) << '\n';
  }
}

std::vector<KeptMachine> made_trajectory(const EnergyModel& model, Index num, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  std::vector<KeptMachine> kept;
  for (Index i = 0; i < num; ++i) {
    const double part = static_cast<double>(i + 1) / static_cast<double>(num + 1);
    std::vector<Real> theta(model.parameters().begin(), model.parameters().end());
    for (const ParameterBlock& block : model.parameter_layout().blocks())
      for (Real& t : std::span(theta).subspan(block.offset, block.size())) {
        const double off = block.symmetry == Symmetry::none ? 0.1 * normal(words) : 0.0;
        t = static_cast<Real>((is_coupling(block) ? part : 1.0) * (static_cast<double>(t) + off));
      }
    kept.push_back({std::uint64_t{10} << i, std::move(theta)});
  }
  return kept;
}

}  // namespace harmonium::testing
