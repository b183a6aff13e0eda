#include <harmonium/program/work/transposed_start.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The only layer of a role; nothing where there are none or several.
std::optional<LayerId> only(const Layout& layout, LayerSet layers) {
  const std::vector<LayerId> ids = layout.ids(layers);
  if (ids.size() != 1) return {};
  return ids.front();
}

/// The tensor of `of` with the part in its energy that `block` has in that of a machine turned over, its layers being
/// exchanged; null where there is none.
const ParameterBlock* counterpart(const ParameterBlock& block, const ParameterLayout& of) {
  std::vector<LayerId> exchanged = block.layers;  // two layers, 0 and 1, in both machines
  for (LayerId& l : exchanged) l = l == LayerId{0} ? LayerId{1} : LayerId{0};
  std::ranges::reverse(exchanged);
  const Index rows = block.layers.size() == 1 ? block.rows : block.cols;
  for (const ParameterBlock& b : of.blocks())
    if (b.role == block.role && b.layers == exchanged && !b.mask && b.rows == rows && b.size() == block.size())
      return &b;
  return nullptr;
}

/// Whether both have the same tensors but for the exchange of layers, and no others than an RBM.
bool correspond(const EnergyModel& below, const EnergyModel& turned) {
  const ParameterLayout &from = below.parameter_layout(), &to = turned.parameter_layout();
  if (from.blocks().size() != to.blocks().size()) return false;
  return std::ranges::all_of(to.blocks(), [&](const ParameterBlock& block) {
    return block.role != ParameterRole::other && block.role != ParameterRole::edges && counterpart(block, from);
  });
}

void copy_turned(const EnergyModel& below, EnergyModel& turned) {
  turned.update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& block : turned.parameter_layout().blocks()) {
      const ParameterBlock& own = *counterpart(block, below.parameter_layout());
      const Real* from = below.parameters().data() + own.offset;
      Real* to = theta.data() + block.offset;
      if (block.layers.size() == 1) {
        std::copy_n(from, block.rows, to);
        continue;
      }
      for (Index i = 0; i < own.rows; ++i)
        for (Index j = 0; j < own.cols; ++j) to[j * block.cols + i] = from[i * own.cols + j];
    }
  });
}

}  // namespace

bool write_transposed_start(const EnergyModel& below, const Value& config_below, const Value& next,
                            const std::string& path, const Registries& registries) {
  const Layout& layout = below.layout();
  const auto observed = only(layout, layout.observed()), latent = only(layout, layout.latent());
  const Value* type = next.find("type");
  if (!observed || !latent || *observed != LayerId{0} || !type || !(*type == make_value("rbm"))) return false;
  Value spec = next, effective;
  spec.set("num_hidden", make_value(static_cast<std::int64_t>(layout[*observed].size)));
  const std::unique_ptr<EnergyModel> turned = registries.make<EnergyModel>(spec, effective);
  const Layer& top = turned->layout()[LayerId{1}];
  const auto wanted = next.find("num_hidden") ? next.find("num_hidden")->number() : std::nullopt;
  const bool same_units = top.unit->configuration() == layout[*observed].unit->configuration() &&
                          top.unit->name() == layout[*observed].unit->name();
  if (!same_units || !wanted || *wanted < static_cast<double>(top.size) || turned->layout().size() != 2) return false;
  if (!correspond(below, *turned)) return false;
  copy_turned(below, *turned);
  Value config = make_table({{"model", std::move(effective)}});
  if (const Value* precision = config_below.find("precision")) config.set("precision", *precision);
  write_model(path, *turned, config);
  return true;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
