#include <harmonium/framework/inference/conditional_energies.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <harmonium/framework/inference/state_energies.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index states_of_piece = 256;  // whose fields stay in the cache

bool is_summed_out(const UnitType& unit) { return unit.num_states() > 0 || is_normal(unit); }

/// log z, and −⟨a⟩ and Var(a), of a unit whose states have these a.
WeighedEnergy energy_of_unit(double beta, std::span<const double> a) {
  if (a.size() == 1) return {beta * a[0], -a[0], 0.0};
  if (a.size() == 2) {
    const double gap = std::abs(a[1] - a[0]), most = std::max(a[0], a[1]), rare = std::exp(-beta * gap);
    const double all = 1.0 + rare, mean = gap * rare / all;
    return {beta * most + std::log1p(rare), mean - most, mean * gap / all};
  }
  const double most = *std::ranges::max_element(a);
  double all = 0.0, mean = 0.0, variance = 0.0;
  for (const double each : a) {
    const double weight = std::exp(beta * (each - most));
    all += weight;
    mean += weight * each;
  }
  mean /= all;
  for (const double each : a) variance += std::exp(beta * (each - most)) / all * (each - mean) * (each - mean);
  return {beta * most + std::log(all), -mean, variance};
}

}  // namespace

std::optional<LayerSet> ConditionalEnergies::layers_with(const EnergyModel& model, LayerSet required) {
  const Layout& layout = model.layout();
  const BlockConditionals* conditionals = model.block_conditionals();
  if (!exact_fields(model) || !conditionals) return {};
  return set_of_fewest_states(layout, layout.all(), [&](LayerSet set) {
    const LayerSet others = layout.all() - set;
    return (required - set).empty() && conditionals->independent(others, set) &&
           std::ranges::all_of(layout.ids(others), [&](LayerId l) { return is_summed_out(*layout[l].unit); });
  });
}

ConditionalEnergies::ConditionalEnergies(const EnergyModel& model, LayerSet given, const HeldState* held)
    : model_(model),
      fields_(*exact_fields(model)),
      given_(given),
      others_(model.layout().all() - given),
      first_(model.layout(), 1) {
  const Layout& layout = model.layout();
  for (const LayerId l : layout.ids(others_)) {
    const Layer& layer = layout[l];
    Summed own{l, layer.unit->width(), is_normal(*layer.unit), {}, fields_.exact_curvatures(l), {}};
    const UnitStates states(*layer.unit);
    for (Index s = 0; s < states.size(); ++s) own.values.insert(own.values.end(), states[s].begin(), states[s].end());
    const MatrixRef first = first_.write(l);
    for (Index u = 0; u < layer.size; ++u) {
      const bool is_held = held && held->holds(l, u);
      for (Index c = 0; c < own.width; ++c)
        first(0, u * own.width + c) = is_held      ? held->state.read(l)(0, u * own.width + c)
                                      : own.normal ? Real{0}
                                                   : states[0][c];
      if (!is_held) own.free.push_back(u);
    }
    if (own.normal) num_normal_ += own.free.size();
    summed_.push_back(std::move(own));
  }
}

template <class Body>
void ConditionalEnergies::for_each_unit(Chains& rows, std::span<double> energies, const Body& body) const {
  const Index size = energies.size();
  rows.copy_to_all(others_, first_, 0);
  model_.energy({rows, 0, size}, energies);
  const ExactRows exact{ConstChainView(rows, 0, size)};
  std::vector<double> linear, a;
  for (const Summed& own : summed_) {
    const Index columns = own.curvatures.size(), width = own.width;
    linear.resize(size * columns);
    fields_.exact_fields(own.layer, given_, exact, {linear.data(), size, columns, columns});
    a.assign(own.normal ? 1 : own.values.size() / width, 0.0);
    for (Index r = 0; r < size; ++r)
      for (const Index u : own.free) {
        const double *const theta = linear.data() + r * columns + u * width, *const gamma =
                                                                                 own.curvatures.data() + u * width;
        const double mean = own.normal ? theta[0] / gamma[0] : 0.0;
        if (own.normal) a[0] = 0.5 * theta[0] * mean;
        for (Index s = 1; s < a.size(); ++s) {
          const double *const x = own.values.data() + s * width, *const first = own.values.data();
          double sum = 0.0;
          for (Index c = 0; c < width; ++c) sum += (x[c] - first[c]) * (theta[c] - 0.5 * gamma[c] * (x[c] + first[c]));
          a[s] = sum;
        }
        body(r, Unit{own.layer, u, mean}, a);
      }
  }
}

void ConditionalEnergies::evaluate(double beta, Chains& rows, std::span<WeighedEnergy> out) const {
  std::vector<double> energies(out.size());
  std::ranges::fill(out, WeighedEnergy{});
  for_each_unit(rows, energies,
                [&](Index r, const Unit&, const std::vector<double>& a) { out[r] += energy_of_unit(beta, a); });
  for (Index r = 0; r < out.size(); ++r) out[r] += {-beta * energies[r], energies[r], 0.0};
}

void ConditionalEnergies::least(Chains& rows, std::span<double> out) const {
  std::vector<double> gain(out.size(), 0.0);
  for_each_unit(rows, out,
                [&](Index r, const Unit&, const std::vector<double>& a) { gain[r] += *std::ranges::max_element(a); });
  for (Index r = 0; r < out.size(); ++r) out[r] -= gain[r];
}

/// body(rows, piece, first state, number of states), the states in the rows.
template <class Body>
void ConditionalEnergies::for_each_piece(const JointStates& states, const Executor& executor, const Body& body) const {
  const Index pieces = (states.size() + states_of_piece - 1) / states_of_piece;
  executor.for_each_piece(pieces, 16, [&](Index first, Index last) {
    Chains rows(model_.layout(), std::min<Index>(states_of_piece, states.size()));
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const Index begin = p * states_of_piece, end = std::min<Index>(states.size(), begin + states_of_piece);
      states.write(begin, end, rows);
      body(rows, p, begin, end - begin);
    }
  });
}

WeighedEnergy ConditionalEnergies::law(double beta, const JointStates& states, std::span<const std::uint8_t> agrees,
                                       const Executor& executor, std::vector<double>& shares) const {
  const WeighedEnergy none{-std::numeric_limits<double>::infinity(), 0.0, 0.0};
  shares.resize(states.size());
  std::vector<WeighedEnergy> parts((states.size() + states_of_piece - 1) / states_of_piece, none);
  for_each_piece(states, executor, [&](Chains& rows, Index piece, Index begin, Index size) {
    std::vector<WeighedEnergy> of_states(size), counted;
    evaluate(beta, rows, of_states);
    for (Index i = 0; i < size; ++i) {
      const bool counts = agrees.empty() || agrees[begin + i] != 0;
      shares[begin + i] = counts ? of_states[i].log_weight : none.log_weight;
      if (counts) counted.push_back(of_states[i]);
    }
    if (!counted.empty()) parts[piece] = mixture(counted);
  });
  const WeighedEnergy all = mixture(parts);
  executor.for_each_piece(shares.size(), 16384, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) shares[i] = std::exp(shares[i] - all.log_weight);
  });
  return all;
}

ConditionalEnergies::Lowest ConditionalEnergies::lowest(const JointStates& states, std::span<const std::uint8_t> agrees,
                                                        const Executor& executor) const {
  std::vector<Lowest> parts((states.size() + states_of_piece - 1) / states_of_piece,
                            {std::numeric_limits<double>::infinity(), 0});
  for_each_piece(states, executor, [&](Chains& rows, Index piece, Index begin, Index size) {
    std::vector<double> energies(size);
    least(rows, energies);
    check_finite(energies);
    for (Index i = 0; i < size; ++i)
      if ((agrees.empty() || agrees[begin + i] != 0) && energies[i] < parts[piece].energy)
        parts[piece] = {energies[i], begin + i};
  });
  return *std::ranges::min_element(parts, {}, &Lowest::energy);
}

void ConditionalEnergies::settle(Chains& row) const {
  double energy = 0.0;
  std::vector<Unit> units;
  std::vector<Index> best;
  for_each_unit(row, {&energy, 1}, [&](Index, const Unit& unit, const std::vector<double>& a) {
    units.push_back(unit);
    best.push_back(static_cast<Index>(std::ranges::max_element(a) - a.begin()));
  });
  for (Index i = 0; i < units.size(); ++i) {
    const auto own = std::ranges::find(summed_, units[i].layer, &Summed::layer);
    const MatrixRef x = row.write(own->layer);
    for (Index c = 0; c < own->width; ++c)
      x(0, units[i].place * own->width + c) =
          static_cast<Real>(own->normal ? units[i].mean : own->values[best[i] * own->width + c]);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
