#include <harmonium/framework/testing/reversal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include <harmonium/framework/testing/law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

double FlowMoments::Pair::standard_error(double rows) const {
  const double own = sum / rows;
  return std::sqrt(std::max(squares / rows - own * own, 0.0) / rows);
}

FlowMoments::FlowMoments(const EnergyModel& model, Index num_rows) : model_(model), num_rows_(num_rows) {
  for (const Layer& layer : model.layout().layers()) {
    for (Index c = 0; c < layer.columns(); ++c) names_.push_back(fmt::format("{}[{}]", layer.name, c));
    if (layer.unit->num_states() == 0) names_.push_back(fmt::format("|{}|^2", layer.name));
  }
  names_.emplace_back("the energy");
  squares_.assign(names_.size(), 0.0);
  pairs_.resize(names_.size() * names_.size());
  open_.assign(num_rows * pairs_.size(), 0.0);
}

/// Rows × functions.
std::vector<double> FlowMoments::values(const Chains& rows) const {
  const Index size = names_.size();
  std::vector<double> out(num_rows_ * size), energy(num_rows_);
  model_.energy(rows, energy);
  for (Index r = 0; r < num_rows_; ++r) {
    double* to = &out[r * size];
    for (const LayerId l : model_.layout().ids()) {
      const ConstMatrixRef x = rows.read(l);
      double sum = 0.0;
      for (Index c = 0; c < x.cols; ++c) {
        const auto v = static_cast<double>(x(r, c));
        *to++ = v;
        sum += v * v;
      }
      if (model_.layout()[l].unit->num_states() == 0) *to++ = sum;
    }
    *to = energy[r];
  }
  return out;
}

void FlowMoments::add(const Chains& start, const Chains& forward, const Chains& backward) {
  const Index size = names_.size();
  std::vector<double> x = values(start), y = values(forward), z = values(backward);
  if (center_.empty()) {
    center_.assign(size, 0.0);
    for (Index i = 0; i < x.size(); ++i) center_[i % size] += x[i] / static_cast<double>(num_rows_);
  }
  for (std::vector<double>* v : {&x, &y, &z})
    for (Index i = 0; i < v->size(); ++i) (*v)[i] -= center_[i % size];
  for (Index i = 0; i < x.size(); ++i) squares_[i % size] += x[i] * x[i];
  for (Index r = 0; r < num_rows_; ++r) {
    const double *from = &x[r * size], *there = &y[r * size], *back = &z[r * size];
    double* to = &open_[r * size * size];
    for (Index f = 0; f < size; ++f)
      for (Index g = 0; g < size; ++g) *to++ += from[f] * there[g] - from[g] * back[f];
  }
  ++moves_;
  added_ += static_cast<double>(num_rows_);
}

void FlowMoments::next_rows() {
  if (moves_ == 0) return;
  for (Index r = 0; r < num_rows_; ++r) {
    for (Index p = 0; p < pairs_.size(); ++p) {
      const double d = open_[r * pairs_.size() + p] / static_cast<double>(moves_);
      pairs_[p].sum += d;
      pairs_[p].squares += d * d;
    }
  }
  closed_rows_ += static_cast<double>(num_rows_);
  std::ranges::fill(open_, 0.0);
  moves_ = 0;
}

double FlowMoments::limit() const {
  const double each = false_alarm / static_cast<double>(pairs_.size());
  return boost::math::quantile(boost::math::complement(boost::math::normal(), each / 2.0));
}

double FlowMoments::scale(Index f) const { return std::sqrt(squares_[f] / added_); }

double FlowMoments::errors(Index f, Index g) const {
  const Pair& pair = pairs_[f * names_.size() + g];
  const double off = std::abs(pair.mean(closed_rows_)), error = pair.standard_error(closed_rows_);
  if (!std::isfinite(off)) return std::numeric_limits<double>::infinity();
  if (off <= 1e-9 * (1.0 + scale(f) * scale(g))) return 0.0;  // no more than rounding
  return off / error;
}

std::string FlowMoments::complaint() const {
  Index worst_f = 0, worst_g = 0;
  for (Index f = 0; f < names_.size(); ++f)
    for (Index g = 0; g < names_.size(); ++g)
      if (errors(f, g) > errors(worst_f, worst_g)) {
        worst_f = f;
        worst_g = g;
      }
  const double most = errors(worst_f, worst_g);
  if (most <= limit()) return "";
  const Pair& pair = pairs_[worst_f * names_.size() + worst_g];
  return fmt::format(
      "the mean of {} before and {} after a transition is not that of {} before and {} after the reversal's: off by "
      "{:.3g}, {:.3g} of the standard deviations, which is {:.1f} standard errors (limit {:.1f})",
      names_[worst_f], names_[worst_g], names_[worst_g], names_[worst_f], pair.mean(closed_rows_),
      std::abs(pair.mean(closed_rows_)) / (scale(worst_f) * scale(worst_g)), most, limit());
}

std::string FlowMoments::summary() const {
  double seen = 0.0;
  for (Index f = 0; f < names_.size(); ++f)
    for (Index g = 0; g < names_.size(); ++g)
      if (scale(f) > 0.0 && scale(g) > 0.0)
        seen = std::max(seen,
                        limit() * pairs_[f * names_.size() + g].standard_error(closed_rows_) / (scale(f) * scale(g)));
  return fmt::format(
      "the means of {} products of functions before and after agree; a difference of {:.2g} standard deviations would "
      "be seen",
      pairs_.size(), seen);
}

double FlowMoments::margin() const {
  double most = 0.0;
  for (Index f = 0; f < names_.size(); ++f)
    for (Index g = 0; g < names_.size(); ++g) most = std::max(most, errors(f, g));
  return most - limit();
}

std::string ReversalFindings::complaint() const {
  std::string text = moments.complaint();
  if (pairs.degrees() > 0.0 && pairs.rejected())
    text += (text.empty() ? "" : "; ") +
            ("states before and after are not distributed as after and before: " + pairs.summary());
  return text;
}

std::string ReversalFindings::summary() const {
  return moments.summary() + (pairs.degrees() > 0.0 ? "; pairs of states: " + pairs.summary() : "");
}

namespace {

/// A number below `most` that says what it can of a state: the state itself, or as many of its first and last units as fit.
class Summary {
 public:
  Summary(const StateSpace& space, std::size_t most) : space_(space) {
    if (space.size() <= most) {
      size_ = space.size();
      return;
    }
    for (std::size_t i = 0; i < space.num_units(); ++i) {
      const std::size_t u = i % 2 == 0 ? i / 2 : space.num_units() - 1 - i / 2;
      if (size_ * space.states_of(u) > most) break;
      units_.push_back(u);
      size_ *= space.states_of(u);
    }
  }
  std::size_t size() const { return size_; }
  std::size_t of(std::size_t state) const {
    if (units_.empty()) return state % size_;
    std::size_t at = 0;
    for (const std::size_t u : units_) at = at * space_.states_of(u) + space_.digit(state, u);
    return at;
  }

 private:
  const StateSpace& space_;
  std::vector<std::size_t> units_;
  std::size_t size_ = 1;
};

HeldMask mask_of(const Layout& layout, const std::vector<std::uint8_t>& held, Index rows) {
  HeldMask mask;
  Index first = 0;
  for (const LayerId l : layout.ids()) {
    std::vector<std::uint8_t> bytes;
    for (Index r = 0; r < rows; ++r)
      for (Index u = 0; u < layout[l].size; ++u) bytes.push_back(held[first + u]);
    mask.hold_units(l, layout[l].size, std::move(bytes));
    first += layout[l].size;
  }
  return mask;
}

}  // namespace

ReversalFindings examine_reversal(Sampler& sampler, Sampler& reversal, const EnergyModel& model, double beta,
                                  const std::vector<std::uint8_t>& held, Index draws, std::uint64_t first_step) {
  constexpr Index batch = 1000;
  constexpr std::size_t most_states = 64;
  const Layout& layout = model.layout();
  const StateSpace space(layout);
  std::vector<double> energy = model_energies(model, space);
  for (double& e : energy) e *= beta;
  const std::vector<std::uint8_t> none(space.num_units(), 0);
  const Drawing drawing(with_uniform_held(law_of(energy), space, held.empty() ? none : held));
  const HeldMask mask = held.empty() ? HeldMask() : mask_of(layout, held, batch);
  Target target{model};
  target.beta = beta;
  if (!held.empty()) target.held = &mask;

  const Executor executor(1);
  std::mt19937_64 random(23);
  const Summary summary(space, most_states);
  const std::size_t cells = summary.size() * summary.size();
  std::vector<std::uint64_t> there(cells, 0), back(cells, 0);
  ReversalFindings findings{FlowMoments(model, batch), {}};
  for (Index first = 0; first < draws; first += batch) {
    Chains start(layout, batch, static_cast<std::uint32_t>(first));
    start.set_step(first_step);
    std::vector<std::size_t> states(batch);
    for (std::size_t& s : states) s = drawing(random);
    space.put(states, start);
    Chains forward = start, backward = start;
    sampler.advance(target, forward, 1, {executor, {47, 53}});
    reversal.advance(target, backward, 1, {executor, {47, 59}});
    findings.moments.add(start, forward, backward);
    findings.moments.next_rows();
    // The two tables share no row, so that they are independent.
    const std::vector<std::size_t> y = space.read(forward), z = space.read(backward);
    for (Index r = 0; r < batch; ++r) {
      const std::size_t own = summary.of(states[r]);
      if (r % 2 == 0) ++there[own * summary.size() + summary.of(y[r])];
      else ++back[summary.of(z[r]) * summary.size() + own];
    }
  }
  findings.pairs.add_pair(there, back);
  return findings;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
