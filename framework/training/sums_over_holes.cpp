#include <harmonium/framework/training/sums_over_holes.hpp>

#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/framework/inference/latent_mixture.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/parts_of_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Why the latent states of a model are not summed over in place of what a row lacks, and what to do.
std::string why_latent_states_do_not_serve(const EnergyModel& model) {
  const char* const estimated = "'harmonium evaluate RUN', which estimates their sums.";
  const Layout& layout = model.layout();
  const std::optional<LayerSet> set = LatentMixture::latent_layers(model);
  if (!set)
    return fmt::format(
        "there are no latent units of finitely many states given which the observed units are independent. Such rows "
        "are left to {}",
        estimated);
  const std::vector<LayerId> layers = layout.ids(*set);
  if (layers.size() > 1)
    return fmt::format(
        "the latent units given which the observed ones are independent have 2^{:.4g} states. Give their layers so few "
        "units that these are 2^{:g}, or leave such rows to {}",
        layout.log2_states(*set), most_enumerated_bits, estimated);
  const Layer& layer = layout[layers.front()];
  const double bits_of_unit = layout.log2_states(*set) / static_cast<double>(layer.size);
  return fmt::format(
      "the {} units of layer '{}' have more states than that. Give it at most {:.0f} units, or leave such rows to {}",
      layer.size, layer.name, std::floor(most_enumerated_bits / bits_of_unit), estimated);
}

}  // namespace

HolesRefused::~HolesRefused() = default;

void check_summable(double operations, const EnergyModel& model, const char* who) {
  if (std::isinf(operations))
    throw HolesRefused(fmt::format(
        "observer '{}': what a row lacks is a real number, or can be filled in in more than {:g} ways, and {}", who,
        most_completions, why_latent_states_do_not_serve(model)));
}

void memory_of_holes(const RunOutline& run, MemoryNeed& need) {
  if (any_holes(run.data)) need.add_passing("sums over what rows lack", bytes_of_seen(run.model), "the model");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
