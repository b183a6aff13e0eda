#include <harmonium/models/stack.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using Machines = std::vector<std::unique_ptr<EnergyModel>>;

/// Throws where the observed layers of machine k are not the latent ones of machine k − 1.
void check_joint(const Machines& machines, Index k) {
  const Layout &below = machines[k - 1]->layout(), &own = machines[k]->layout();
  const std::vector<LayerId> latent = below.ids(below.latent()), observed = own.ids(own.observed());
  if (latent.size() != observed.size())
    throw ConfigError(fmt::format("machine {} observes {} layers, and machine {} has {} latent ones. Give it as many.",
                                  k + 1, observed.size(), k, latent.size()));
  for (Index l = 0; l < latent.size(); ++l) {
    const Layer &from = below[latent[l]], &to = own[observed[l]];
    if (from.size != to.size)
      throw ConfigError(
          fmt::format("machine {} has {} units '{}', and layer '{}' of machine {} below it {}. Give both the same.",
                      k + 1, to.size, to.name, from.name, k, from.size));
    if (!(from.unit->configuration() == to.unit->configuration()) || from.unit->width() != to.unit->width())
      throw ConfigError(fmt::format(
          "machine {} observes units '{}', and layer '{}' of machine {} below it has units '{}'. Give both the same.",
          k + 1, to.unit->name(), from.name, k, from.unit->name()));
  }
}

/// Throws where a machine below the top is not made for it: draws go up and down through it, in one step and exactly.
void check_below(const EnergyModel& machine, Index k) {
  const Layout& layout = machine.layout();
  const LayerSet observed = layout.observed(), latent = layout.latent();
  const BlockConditionals* conditionals = machine.block_conditionals();
  if (latent.empty())
    throw ConfigError(fmt::format("machine {} has no latent units, and the next one nothing to stand on.", k + 1));
  if (!conditionals || !conditionals->independent(latent, observed) || !conditionals->independent(observed, latent))
    throw ConfigError(
        fmt::format("machine {} has units that are coupled within its latent or its observed layers. Below the top a "
                    "stack takes restricted machines.",
                    k + 1));
  if (!machine.free_energy() || !machine.free_energy()->closed(observed) || !machine.free_energy()->closed(latent))
    throw ConfigError(
        fmt::format("machine {} has no free energy in closed form of its observed and of its latent units.", k + 1));
}

const Machines& checked(const Machines& machines) {
  if (machines.size() < 2) throw ConfigError("'machines' must be two or more; a single one is a model by itself.");
  for (Index k = 0; k < machines.size(); ++k) {
    if (k > 0) check_joint(machines, k);
    if (k + 1 < machines.size()) check_below(*machines[k], k);
    for (const ParameterBlock& block : machines[k]->parameter_layout().blocks())
      if (block.mask)
        throw ConfigError(
            fmt::format("tensor '{}' of machine {} has a mask, which a stack cannot keep.", block.name, k + 1));
  }
  const EnergyModel& top = *machines.back();
  if (!top.free_energy() || !top.free_energy()->closed(top.layout().observed()))
    throw ConfigError(
        "the top machine has no free energy of its observed units. Give it latent units that are "
        "independent given these.");
  return machines;
}

Layout layout_of(const Machines& machines) {
  std::vector<Layer> layers;
  for (Index k = 0; k < machines.size(); ++k)
    for (Layer layer : machines[k]->layout().layers()) {
      if (layer.role == Role::latent) layer.name += std::to_string(k + 1);
      else if (k > 0) continue;
      layers.push_back(std::move(layer));
    }
  return Layout(std::move(layers));
}

/// Of each machine, the stack's layer that each of its own is; layers stand in the order of `layout_of`.
std::vector<PerLayer<LayerId>> places_of_layers(const Machines& machines) {
  std::vector<PerLayer<LayerId>> places;
  std::vector<LayerId> latent_below;
  Index next = 0;
  for (const auto& machine : machines) {
    std::vector<LayerId> latent;
    Index observed = 0;
    PerLayer<LayerId> own;
    for (const Layer& layer : machine->layout().layers()) {
      const bool from_below = layer.role == Role::observed && !places.empty();
      own.push_back(from_below ? latent_below[observed++] : static_cast<LayerId>(next++));
      if (layer.role == Role::latent) latent.push_back(own.back());
    }
    latent_below = std::move(latent);
    places.push_back(std::move(own));
  }
  return places;
}

/// The tensors of all machines. Below the top a tensor has no other part in the energy than its name says: G_k is of it too.
ParameterLayout tensors_of(const Machines& machines) {
  const std::vector<PerLayer<LayerId>> places = places_of_layers(machines);
  ParameterLayout all;
  for (Index k = 0; k < machines.size(); ++k)
    for (ParameterBlock block : machines[k]->parameter_layout().blocks()) {
      block.name = fmt::format("machine{}.{}", k + 1, block.name);
      for (LayerId& l : block.layers) l = places[k][l];
      if (k + 1 < machines.size()) {
        block.role = ParameterRole::other;
        block.edges = nullptr;
      }
      all.add(std::move(block));
    }
  return all;
}

}  // namespace

void StackOptions::bind(OptionBinder& o) {
  o.components("machines", machines, "from that of the data to the top one, each a table with a 'type'");
}

Stack::Stack(Options options)
    : ModelBase(layout_of(checked(options.machines)), tensors_of(checked(options.machines))),
      machines_(std::move(options.machines)),
      layers_(places_of_layers(machines_)) {
  Index first = 0;
  for (const auto& machine : machines_) {
    first_.push_back(first);
    first += machine->parameter_layout().size();
  }
  ModelBase::update_parameters([&](std::span<Real> theta) {
    for (Index k = 0; k < machines_.size(); ++k) std::ranges::copy(machines_[k]->parameters(), part(k, theta).begin());
  });
}

std::span<Real> Stack::part(Index k, std::span<Real> theta) const {
  return theta.subspan(first_[k], machines_[k]->parameter_layout().size());
}

void Stack::refresh() {
  for (Index k = 0; k < machines_.size(); ++k)
    machines_[k]->update_parameters([&](std::span<Real> theta) {
      std::ranges::copy(parameters().subspan(first_[k], theta.size()), theta.begin());
    });
}

LayerSet Stack::own_layers(Index k, LayerSet kept) const {
  LayerSet own;
  for (const LayerId l : machines_[k]->layout().ids())
    if (kept.contains(layers_[k][l])) own.add(l);
  return own;
}

void Stack::add_energy_below(Index k, bool summed, double beta, ConstChainView x, std::span<double> out) const {
  const EnergyModel& machine = *machines_[k];
  const LayerSet latent = machine.layout().latent();
  const FreeEnergy& free_energy = *machine.free_energy();
  const Chains rows = rows_of_machine(k, summed ? latent : machine.layout().all(), x);
  std::vector<double> own(x.rows()), normalizer(x.rows());
  if (summed && beta == 1.0) return;  // p_1(h_0 | h_1) sums to 1
  if (summed) free_energy.evaluate(latent, beta, rows, own);
  else machine.energy(rows, own);
  free_energy.evaluate(latent, 1.0, rows, normalizer);
  for (Index r = 0; r < x.rows(); ++r) out[r] += (summed ? own[r] : beta * own[r]) - beta * normalizer[r];
}

void Stack::energy(ConstChainView x, std::span<double> out) const {
  const Index top = machines_.size() - 1;
  machines_[top]->energy(rows_of_machine(top, machines_[top]->layout().all(), x), out);
  for (Index k = 0; k < top; ++k) add_energy_below(k, false, 1.0, x, out);
}

void Stack::add_gradient_below(Index k, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                               const Executor& executor) const {
  const EnergyModel& machine = *machines_[k];
  const Chains rows = rows_of_machine(k, machine.layout().all(), x);
  machine.add_gradient(rows, weights, part(k, gradient), executor);
  std::vector<double> minus(weights.size());
  std::ranges::transform(weights, minus.begin(), [](double w) { return -w; });
  machine.free_energy()->add_gradient(machine.layout().latent(), rows, minus, part(k, gradient), executor);
}

void Stack::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                         const Executor& executor) const {
  const Index top = machines_.size() - 1;
  for (Index k = 0; k < top; ++k) add_gradient_below(k, x, weights, gradient, executor);
  machines_[top]->add_gradient(rows_of_machine(top, machines_[top]->layout().all(), x), weights, part(top, gradient),
                               executor);
}

bool Stack::closed(LayerSet kept) const {
  const Index top = machines_.size() - 1;
  const LayerSet between = layout().all() - layout().observed() - layers_of(top, machines_[top]->layout().latent());
  if ((between & kept) != between) return false;
  const LayerSet data = layout().observed() & kept;
  if (!data.empty() && data != layout().observed()) return false;
  return machines_[top]->free_energy()->closed(own_layers(top, kept));
}

void Stack::evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const {
  const Index top = machines_.size() - 1;
  const LayerSet of_top = own_layers(top, kept);
  machines_[top]->free_energy()->evaluate(of_top, beta, rows_of_machine(top, of_top, x), out);
  const bool without_data = (layout().observed() & kept).empty();
  for (Index k = 0; k < top; ++k) add_energy_below(k, k == 0 && without_data, beta, x, out);
}

void Stack::add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                         const Executor& executor) const {
  const Index top = machines_.size() - 1;
  const LayerSet of_top = own_layers(top, kept);
  for (Index k = (layout().observed() & kept).empty() ? 1 : 0; k < top; ++k)
    add_gradient_below(k, x, weights, gradient, executor);
  machines_[top]->free_energy()->add_gradient(of_top, rows_of_machine(top, of_top, x), weights, part(top, gradient),
                                              executor);
}

double Stack::operations(LayerSet kept) const {
  const Index top = machines_.size() - 1;
  double sum = machines_[top]->free_energy()->operations(own_layers(top, kept));
  for (Index k = 0; k < top; ++k) sum += 2.0 * machines_[k]->free_energy()->operations(machines_[k]->layout().latent());
  return sum;
}

std::unique_ptr<EnergyModel> Stack::copy() const {
  StackOptions own;
  for (const auto& machine : machines_) {
    own.machines.push_back(machine->copy());
    if (!own.machines.back()) return nullptr;
  }
  return std::make_unique<Stack>(std::move(own));
}

const void* Stack::extension(std::string_view id) const {
  return id == extension_id ? static_cast<const StackedMachines*>(this) : nullptr;
}

std::string Stack::formula() const {
  std::string text;
  for (Index k = 1; k < machines_.size(); ++k) text += fmt::format("E_{0} + log sum_h{1} exp(-E_{0}) + ", k, k - 1);
  return text + fmt::format("E_{}, E_k the energy of machine k", machines_.size());
}

Value Stack::configuration() const {
  Value tables;
  tables.data = Value::List{};
  for (const auto& machine : machines_) {
    Value own = machine->configuration();
    if (own.is_empty()) return {};
    std::get<Value::List>(tables.data).push_back(std::move(own));
  }
  return make_table({{"type", make_value("stack")}, {"machines", std::move(tables)}});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
