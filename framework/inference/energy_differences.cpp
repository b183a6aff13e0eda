#include <harmonium/framework/inference/energy_differences.hpp>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// D of each row, `energy(begin, rows, out)` being E of some of them.
template <class Energy>
std::vector<double> differences(const Target& target, const Chains& chains, const Executor& executor,
                                const Energy& energy) {
  std::vector<double> difference(chains.size()), base(target.base ? chains.size() : 0);
  const ConstChainView rows = chains.real();
  executor.for_each_piece(chains.size(), Tiling::of(chains.size()).rows, [&](Index begin, Index end) {
    const ConstChainView x = rows.slice(begin, end);
    const auto own = std::span(difference).subspan(begin, end - begin);
    energy(begin, x, own);
    if (target.base) {
      const auto of_base = std::span(base).subspan(begin, end - begin);
      target.base->energy(x, of_base);
      in_place(own) -= as_xtensor(of_base);
    }
    check_energies(own, x);
  });
  return difference;
}

/// The first layers that are independent given all others and that the energy follows from the fields of.
LayerSet layers_that_tell(const EnergyModel& model) {
  LayerSet found;
  const LayerKernel* kernel = model.layer_kernel();
  const BlockConditionals* conditionals = model.block_conditionals();
  if (!kernel || !conditionals) return found;
  for (const LayerId l : model.layout().ids()) {
    LayerSet wider = found;
    wider.add(l);
    const bool independent = conditionals->independent(wider, model.layout().all() - wider);
    if (independent && kernel->draws(l) && kernel->energy_follows(wider)) found = wider;
  }
  return found;
}

}  // namespace

std::vector<double> energy_differences(const Target& target, const Chains& chains, const Executor& executor) {
  return differences(target, chains, executor,
                     [&](Index, ConstChainView x, std::span<double> out) { target.model.energy(x, out); });
}

std::vector<double> differences_after(Sampler& sampler, const Target& target, Chains& chains, const Execution& moves) {
  const LayerKernel* kernel = target.model.layer_kernel();
  std::vector<double> products(kernel ? chains.size() : 0);
  LastMeans last;
  last.products = products;
  sampler.advance(target, chains, 1, moves, kernel ? &last : nullptr);
  if (last.multiplied.empty()) return energy_differences(target, chains, moves.executor);
  return differences(target, chains, moves.executor, [&](Index begin, ConstChainView x, std::span<double> out) {
    kernel->energy(last.multiplied, std::span<const double>(products).subspan(begin, x.rows()), x, out);
  });
}

std::vector<double> differences_by_fields(const Target& target, Chains& chains, const Executor& executor) {
  const LayerSet told = layers_that_tell(target.model);
  if (told.empty()) return energy_differences(target, chains, executor);
  const Layout& layout = target.model.layout();
  const LayerKernel& kernel = *target.model.layer_kernel();
  for (const LayerId l : layout.ids())
    if (told.contains(l)) chains.write(l);  // before threads ask for it
  return differences(target, chains, executor, [&](Index begin, ConstChainView x, std::span<double> out) {
    std::vector<double> products(x.rows(), 0.0);
    for (const LayerId l : layout.ids()) {
      if (!told.contains(l)) continue;
      LayerKernel::Draw field{l, 0, layout[l].size};
      field.states = false;
      field.products = products;
      kernel.redraw(field, ChainView(chains, begin, begin + x.rows()));
    }
    kernel.energy(told, products, x, out);
  });
}

void check_energy(const EnergyModel& model) {
  const Chains row(model.layout(), 1);
  model.energy(row.real().slice(0, 0), {});  // of no rows: it costs nothing
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
