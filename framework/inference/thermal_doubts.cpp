#include <harmonium/framework/inference/thermal_doubts.hpp>

#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void doubt(Doubted which, ThermalAverages& found) {
  for (auto* averages : {&found.averages, &found.correlations})
    for (ThermalAverage& a : *averages)
      if (std::isfinite(a.value) && (a.odd || which == Doubted::all)) a.long_enough = false;
}

void doubt_where_apart(ThermalAverages& found) {
  for (const auto* averages : {&found.averages, &found.witnesses})
    for (const ThermalAverage& a : *averages)
      if (a.r_hat > most_r_hat_of_averages) doubt(a.odd ? Doubted::odd : Doubted::all, found);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
