#include <harmonium/models/stack.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/posterior.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void StackOptions::bind(OptionBinder& o) {
  std::optional<bool> given = untied ? std::optional(true) : std::nullopt;
  o.option(
      "untied", given,
      "whether the machines below the top have recognition weights of their own, as after fine-tuning; false unless "
      "given");
  untied = given.value_or(false);
  o.components("machines", machines, "from that of the data to the top one, each a table with a 'type'");
}

Stack::Stack(Options options)
    : ModelBase(layout_of_stack(checked_stack(options.machines)),
                tensors_of_stack(checked_stack(options.machines), options.untied)),
      machines_(std::move(options.machines)),
      upward_(options.untied ? copies(machines_.size() - 1) : StackOfMachines()),
      layers_(places_in_stack(machines_)) {
  Index first = 0;
  for (const StackOfMachines* all : {&machines_, &upward_})
    for (const auto& machine : *all) {
      first_.push_back(first);
      first += machine->parameter_layout().size();
    }
  ModelBase::update_parameters([&](std::span<Real> theta) {
    for (Index k = 0; k < machines_.size(); ++k) std::ranges::copy(machines_[k]->parameters(), part(k, theta).begin());
    for (Index k = 0; k < upward_.size(); ++k)
      std::ranges::copy(upward_[k]->parameters(), recognition_part(k, theta).begin());
  });
}

StackOfMachines Stack::copies(Index count) const {
  StackOfMachines all;
  for (Index k = 0; k < count; ++k) {
    all.push_back(machines_[k]->copy());
    if (!all.back())
      throw ConfigError(fmt::format(
          "machine {} cannot be copied, so that it has no recognition weights of its own. Leave 'untied' out.", k + 1));
  }
  return all;
}

std::span<Real> Stack::part(Index k, std::span<Real> theta) const {
  return theta.subspan(first_[k], machines_[k]->parameter_layout().size());
}

std::span<Real> Stack::recognition_part(Index k, std::span<Real> theta) const {
  if (k >= upward_.size()) return part(k, theta);
  return theta.subspan(first_[machines_.size() + k], upward_[k]->parameter_layout().size());
}

void Stack::refresh() {
  const auto set = [&](EnergyModel& machine, Index first) {
    machine.update_parameters(
        [&](std::span<Real> theta) { std::ranges::copy(parameters().subspan(first, theta.size()), theta.begin()); });
  };
  for (Index k = 0; k < machines_.size(); ++k) set(*machines_[k], first_[k]);
  for (Index k = 0; k < upward_.size(); ++k) set(*upward_[k], first_[machines_.size() + k]);
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
  StackOptions own{.untied = untied()};
  for (const auto& machine : machines_) {
    own.machines.push_back(machine->copy());
    if (!own.machines.back()) return nullptr;
  }
  auto made = std::make_unique<Stack>(std::move(own));
  made->update_parameters([&](std::span<Real> theta) { std::ranges::copy(parameters(), theta.begin()); });
  return made;
}

std::unique_ptr<EnergyModel> Stack::untied_copy() const {
  if (untied()) return copy();
  return std::make_unique<Stack>(StackOptions{copies(machines_.size()), true});
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
  Value table = make_table({{"type", make_value("stack")}, {"machines", std::move(tables)}});
  if (untied()) table.set("untied", make_value(true));
  return table;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
