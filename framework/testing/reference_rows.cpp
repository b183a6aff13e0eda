#include <harmonium/framework/testing/reference_rows.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

ReferenceRows::ReferenceRows(const EnergyModel& model, double beta, HeldMask held, Chains start, std::uint64_t seed)
    : model_(model),
      beta_(beta),
      held_(std::move(held)),
      random_(seed),
      rows_(std::move(start)),
      energy_(rows_.size()),
      proposed_(rows_.size()) {
  model_.energy(rows_, energy_);
}

void ReferenceRows::sweep(Index num) {
  const Layout& layout = model_.layout();
  swept_ += num;
  for (Index i = 0; i < num; ++i)
    for (const LayerId l : layout.ids())
      for (Index u = 0; u < layout[l].size && !held_.holds(l); ++u) propose(l, u);
}

void ReferenceRows::propose(LayerId layer, Index u) {
  const UnitType& unit = *model_.layout()[layer].unit;
  const Index width = unit.width(), states = unit.num_states();
  const MatrixRef x = rows_.write(layer);
  std::vector<Real> values(states * width), before(x.rows * width);
  if (states > 0) unit.states({values.data(), states, width, width});
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto held = held_.units(layer, 0, x.rows);
  const bool counts = takes_counts(unit);
  std::vector<double> log_base(x.rows, 0.0);  // of the proposal, less that of the row
  for (Index r = 0; r < x.rows; ++r) {
    Real* own = x.row(r) + u * width;
    std::copy_n(own, width, &before[r * width]);
    if (!held.empty() && held(r, u)) continue;
    if (states > 0) {
      std::copy_n(&values[random_() % states * width], width, own);
      continue;
    }
    const double step = std::exp2(6.0 * uniform(random_) - 4.0);
    bool outside = false;  // where the energy has no meaning
    for (Index c = 0; c < width; ++c) {
      const double by = step * normal(random_);
      own[c] += static_cast<Real>(counts ? std::round(by) : by);
      outside = outside || !takes(unit, static_cast<double>(own[c]));
    }
    if (outside) std::copy_n(&before[r * width], width, own);
    if (unit.has_base())
      for (Index c = 0; c < width; ++c)
        log_base[r] +=
            unit.log_base(static_cast<double>(own[c])) - unit.log_base(static_cast<double>(before[r * width + c]));
  }
  model_.energy(rows_, proposed_);
  for (Index r = 0; r < x.rows; ++r) {
    if (accepts(beta_ * (energy_[r] - proposed_[r]) + log_base[r], uniform(random_))) energy_[r] = proposed_[r];
    else std::copy_n(&before[r * width], width, x.row(r) + u * width);
  }
}

std::string ReferenceRows::complaint(const MeanChanges& drift) const {
  if (!finite()) return "rows moved by single units run away: has the model a density with these parameters?";
  const std::string moved = drift.complaint();
  return moved.empty() ? ""
                       : fmt::format("rows moved by single units have not settled after {} sweeps: {}", swept_, moved);
}

bool ReferenceRows::finite() const {
  for (const double e : energy_)
    if (!std::isfinite(e)) return false;
  for (const LayerId l : model_.layout().ids()) {
    const ConstMatrixRef x = rows_.read(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c)
        if (!(std::abs(static_cast<double>(x(r, c))) <= 1e6)) return false;
  }
  return true;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
