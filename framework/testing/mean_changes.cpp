#include <harmonium/framework/testing/mean_changes.hpp>

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

MeanChanges::MeanChanges(const EnergyModel& model, Index num_rows) : model_(model), num_rows_(num_rows) {
  std::string previous;
  const auto function = [&](std::string name) {
    functions_.push_back({std::move(name), std::vector<double>(num_rows, 0.0)});
  };
  for (const LayerId l : model.layout().ids()) {
    const Layer& layer = model.layout()[l];
    for (Index c = 0; c < layer.columns(); ++c) {
      const std::string own = fmt::format("{}[{}]", layer.name, c);
      function(own);
      if (layer.unit->num_states() == 0) function(own + "^2");
      if (!previous.empty()) function(previous + " " + own);
      previous = own;
    }
  }
  function("the energy");
}

void MeanChanges::values(const Chains& rows, std::vector<std::vector<double>>& out) const {
  out.assign(functions_.size(), std::vector<double>(num_rows_));
  model_.energy(rows, out.back());
  for (Index r = 0; r < num_rows_; ++r) {
    Index f = 0;
    double previous = 0.0;
    bool first = true;
    for (const LayerId l : model_.layout().ids()) {
      const ConstMatrixRef x = rows.read(l);
      const bool continuous = model_.layout()[l].unit->num_states() == 0;
      for (Index c = 0; c < x.cols; ++c) {
        const auto v = static_cast<double>(x(r, c));
        out[f++][r] = v;
        if (continuous) out[f++][r] = v * v;
        if (!first) out[f++][r] = previous * v;
        previous = v;
        first = false;
      }
    }
  }
}

void MeanChanges::add(const Chains& before, const Chains& after) {
  std::vector<std::vector<double>> old, now;
  values(before, old);
  values(after, now);
  for (Index f = 0; f < functions_.size(); ++f)
    for (Index r = 0; r < num_rows_; ++r) {
      functions_[f].changes[r] += now[f][r] - old[f][r];
      functions_[f].sum += old[f][r];
      functions_[f].squares += old[f][r] * old[f][r];
    }
  ++moves_;
}

double MeanChanges::beyond(double alarm) const {
  const double each = alarm / static_cast<double>(functions_.size());
  return boost::math::quantile(boost::math::complement(boost::math::normal(), each / 2.0));
}

double MeanChanges::mean_change(const Function& f) const {
  double sum = 0.0;
  for (const double c : f.changes) sum += c;
  return sum / static_cast<double>(num_rows_ * moves_);
}

double MeanChanges::standard_error(const Function& f) const {
  const double mean = mean_change(f) * static_cast<double>(moves_);
  double squares = 0.0;
  for (const double c : f.changes) squares += (c - mean) * (c - mean);
  return std::sqrt(squares) / static_cast<double>(num_rows_ * moves_);
}

double MeanChanges::spread(const Function& f) const {
  const auto n = static_cast<double>(num_rows_ * moves_);
  return std::sqrt(std::max(f.squares / n - f.sum / n * (f.sum / n), 0.0));
}

std::string MeanChanges::complaint() const {
  const Function* worst = nullptr;
  double most = limit();
  for (const Function& f : functions_) {
    const double change = std::abs(mean_change(f)), error = standard_error(f);
    // Not finite, or a change of what has no spread: nothing that rounding explains.
    if (std::isfinite(change) && change <= most * error + 1e-9 * (1.0 + spread(f))) continue;
    worst = &f;
    if (!std::isfinite(change) || error == 0.0) break;
    most = change / error;
  }
  if (!worst) return "";
  return fmt::format(
      "the mean of {} changes by {:.3g}, {:.3g} of its standard deviation, which is {:.1f} standard "
      "errors (limit {:.1f})",
      worst->name, mean_change(*worst), std::abs(mean_change(*worst)) / spread(*worst),
      std::abs(mean_change(*worst)) / standard_error(*worst), limit());
}

double MeanChanges::most_errors() const {
  double most = 0.0;
  for (const Function& f : functions_)
    if (const double error = standard_error(f); error > 0.0) most = std::max(most, std::abs(mean_change(f)) / error);
  return most;
}

double MeanChanges::margin() const { return most_errors() - limit(); }

bool MeanChanges::odd() const { return most_errors() > beyond(0.05); }

std::string MeanChanges::summary() const {
  double seen = 0.0;
  for (const Function& f : functions_)
    if (spread(f) > 0.0) seen = std::max(seen, limit() * standard_error(f) / spread(f));
  return fmt::format("the means of {} functions stay; a change of {:.2g} standard deviations would be seen",
                     functions_.size(), seen);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
