#include <harmonium/framework/inference/latent_mixture.hpp>

#include <algorithm>
#include <functional>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/latent_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

// What is known of the states of a part stays in a processor's cache while some rows go by.
constexpr std::uint64_t states_of_part = 128, parts_at_once = 8;
constexpr Index mixed_rows_of_task = 16;
constexpr double operations_of_a_term = 20.0;  // of its exponential

/// to += factor · from.
void add_multiple(double factor, const double* from, std::span<double> to) {
  for (Index a = 0; a < to.size(); ++a) to[a] += factor * from[a];
}

}  // namespace

LatentMixture::LatentMixture(const EnergyModel& model, const ExactFields& fields, LayerSet summed_over)
    : model_(&model), fields_(&fields), states_(model.layout(), summed_over) {}

std::optional<LayerSet> LatentMixture::latent_layers(const EnergyModel& model) {
  const Layout& layout = model.layout();
  if (!exact_fields(model) || !model.free_energy() || !model.block_conditionals()) return {};
  return set_of_fewest_states(layout, layout.latent(), [&](LayerSet one) {
    return model.free_energy()->closed(one) && model.block_conditionals()->independent(layout.all() - one, one);
  });
}

std::optional<LatentMixture> LatentMixture::of(const EnergyModel& model) {
  const std::optional<LayerSet> set = latent_layers(model);
  if (!set || model.layout().log2_states(*set) > most_enumerated_bits) return {};
  return LatentMixture(model, *exact_fields(model), *set);
}

double LatentMixture::operations_of_row() const {
  const Layout& layout = model_->layout();
  return static_cast<double>(states_.size()) *
         (static_cast<double>(layout.columns(layout.observed())) + operations_of_a_term);
}

double LatentMixture::operations_of_states() const {
  // The free energy finds the fields, and they are found once more.
  return 2.0 * static_cast<double>(states_.size()) * model_->free_energy()->operations(states_.layers());
}

double LatentMixture::bytes() const {
  const Layout& layout = model_->layout();
  const auto states = static_cast<double>(std::min(states_.size(), states_of_part * parts_at_once));
  return states * (3.0 * static_cast<double>(layout.columns(layout.all())) + 1.0) * sizeof(double);
}

LatentMixture::Part LatentMixture::part(std::uint64_t begin, std::uint64_t end, double beta) const {
  const Layout& layout = model_->layout();
  Chains states(layout, end - begin);
  states_.write(begin, end, states);
  Part part{std::vector<double>(states.size()), PerLayer<std::vector<double>>(layout.size()),
            PerLayer<std::vector<double>>(layout.size()), begin};
  model_->free_energy()->evaluate(states_.layers(), beta, states, part.weights);
  std::ranges::transform(part.weights, part.weights.begin(), std::negate());
  const ExactRows exact{ConstChainView(states)};
  for (const LayerId l : layout.ids(layout.observed())) add_layer(l, exact, beta, part);
  return part;
}

std::vector<double> LatentMixture::add_fields(LayerId layer, const ExactRows& states, double beta, Part& part) const {
  const Index size = states.rows(), columns = model_->layout()[layer].columns();
  std::vector<double> values(size * columns);
  const MatrixView<double> linear{values.data(), size, columns, columns};
  fields_->exact_fields(layer, states_.layers(), states, linear);
  part.fields[layer].resize(columns * size);
  for (Index c = 0; c < columns; ++c)
    for (Index a = 0; a < size; ++a) part.fields[layer][c * size + a] = beta * linear(a, c);
  return values;
}

void LatentMixture::add_layer(LayerId layer, const ExactRows& states, double beta, Part& part) const {
  const Layer& own = model_->layout()[layer];
  const Index size = states.rows(), columns = own.columns(), width = own.unit->width();
  std::vector<double> values = add_fields(layer, states, beta, part);
  const MatrixView<double> linear{values.data(), size, columns, columns};
  const std::vector<double> gamma = fields_->exact_curvatures(layer), scale(size, beta);
  BasicFields<const double> fields{linear};
  fields.scale = beta == 1.0 ? nullptr : scale.data();
  if (own.unit->has_curvature()) fields.curvature = {gamma.data(), size, columns, 0};

  // The free energy has all observed units summed out: what they add is taken back, unit by unit.
  part.log_sums[layer].assign(own.size * size, 0.0);
  for (Index u = 0; u < own.size; ++u) {
    const std::span<double> sums = std::span(part.log_sums[layer]).subspan(u * size, size);
    own.unit->add_log_partition(fields.columns(u * width, (u + 1) * width), sums);
    add_multiple(-1.0, sums.data(), part.weights);
  }
}

void LatentMixture::log_terms(const Part& part, const Chains& rows, const HeldMask& seen, Index row,
                              std::span<double> out) const {
  const Layout& layout = model_->layout();
  const Index size = out.size();
  std::ranges::copy(part.weights, out.begin());
  for (const LayerId l : layout.ids(layout.observed())) {
    const Index width = layout[l].unit->width();
    const MatrixView<const std::uint8_t> held = seen.units(l, row, row + 1);
    const Real* x = rows.read(l).row(row);
    for (Index u = 0; u < layout[l].size; ++u) {
      if (!seen.holds(l) && (held.empty() || held(0, u) == 0)) {
        add_multiple(1.0, &part.log_sums[l][u * size], out);
        continue;
      }
      for (Index c = u * width; c < (u + 1) * width; ++c)
        if (x[c] != 0) add_multiple(static_cast<double>(x[c]), &part.fields[l][c * size], out);
    }
  }
}

std::vector<double> LatentMixture::of_all_states(const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                                                 double beta) const {
  const Layout& layout = model_->layout();
  const std::vector<double> base = log_base(layout, rows, &seen);
  std::vector<double> sums;
  for (const Index r : which) sums.push_back(base[r]);
  for (const LayerId l : layout.ids(layout.observed())) {
    if (!layout[l].unit->has_curvature()) continue;
    const std::vector<double> gamma = fields_->exact_curvatures(l);
    const Index width = layout[l].unit->width();
    for (Index i = 0; i < which.size(); ++i) {
      const MatrixView<const std::uint8_t> held = seen.units(l, which[i], which[i] + 1);
      const auto x = rows.read(l)[which[i]];
      for (Index c = 0; c < gamma.size(); ++c) {
        const auto value = static_cast<double>(x[c]);
        if (seen.holds(l) || (!held.empty() && held(0, c / width) != 0))
          sums[i] -= 0.5 * beta * gamma[c] * value * value;
      }
    }
  }
  return sums;
}

void LatentMixture::for_each_part(const Chains& rows, const HeldMask& seen, std::span<const Index> which, double beta,
                                  const Executor& executor, FunctionRef<void(Part&)> finish, OfPart body) const {
  rows.real();
  constexpr std::uint64_t at_once = states_of_part * parts_at_once;
  for (std::uint64_t begin = 0; begin < states_.size(); begin += at_once) {
    const std::uint64_t end = std::min(begin + at_once, states_.size());
    std::vector<Part> parts((end - begin + states_of_part - 1) / states_of_part);
    executor.for_each_piece(parts.size(), 1, [&](Index first, Index last) {
      for (Index p = first; p < last; ++p) {
        const std::uint64_t from = begin + p * states_of_part;
        parts[p] = part(from, std::min(from + states_of_part, end), beta);
        finish(parts[p]);
      }
    });
    executor.for_each_piece(which.size(), mixed_rows_of_task, [&](Index first, Index last) {
      std::vector<double> terms(states_of_part);
      for (const Part& p : parts) {
        const std::span<double> of_part = std::span(terms).first(p.weights.size());
        for (Index i = first; i < last; ++i) {
          log_terms(p, rows, seen, which[i], of_part);
          body(p, i, of_part);
        }
      }
      executor.check_stop();
    });
  }
}

std::vector<double> LatentMixture::free_energies(const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                                                 double beta, const Executor& executor) const {
  std::vector<LogSumExp> sums(which.size());
  for_each_part(
      rows, seen, which, beta, executor, [](Part&) {},
      [&](const Part&, Index i, std::span<const double> terms) { sums[i].add(logsumexp(terms)); });
  std::vector<double> energies = of_all_states(rows, seen, which, beta);
  for (Index i = 0; i < which.size(); ++i) energies[i] = -energies[i] - sums[i].value();
  return energies;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
