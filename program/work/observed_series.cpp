#include <harmonium/program/work/observed_series.hpp>

#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/column_file.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double columns_of_series = 6.0;

}  // namespace

void check_series_output(const ObserveRequest& request) {
  check_table_name(request.series, "--series", "series are");
  check_output(request.series, {request.model}, "--series");
}

double bytes_of_series(const ThermalPlan& plan) {
  return columns_of_series * sizeof(double) * static_cast<double>(plan.betas.size()) *
         static_cast<double>(plan.num_chains) * static_cast<double>(plan.num_steps);
}

void write_series(const ObserveRequest& request, const ThermalRecord& record, const LayerObservables& what,
                  Observation& found) {
  const bool sites = what.kind() == LayerObservables::Kind::sites;
  std::vector<double> beta, temperature, energy, order;
  std::vector<Index> chain, step;
  for (Index k = record.temperatures.size(); k > 0; --k) {
    const ThermalSeries& series = record.temperatures[k - 1];
    const std::vector<double>& e = series.numbers[0];
    const std::vector<double> own =
        sites ? potts_order(std::span(series.numbers).subspan(1, what.num_of_layer())) : series.numbers[1];
    beta.insert(beta.end(), e.size(), found.temperatures[record.temperatures.size() - k].beta);
    temperature.insert(temperature.end(), e.size(), 1.0 / beta.back());  // infinite at β = 0
    energy.insert(energy.end(), e.begin(), e.end());
    order.insert(order.end(), own.begin(), own.end());
    for (Index i = 0; i < e.size(); ++i) {
      chain.push_back(i / series.num_steps);
      step.push_back(i % series.num_steps + 1);
    }
  }
  found.order = sites ? "potts_order" : what.names().front();
  const NamedColumn columns[] = {{"beta", beta}, {"temperature", temperature}, {"chain", chain},
                                 {"step", step}, {"energy", energy},           {found.order, order}};
  write_columns(request.series, columns);
  found.series = request.series;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
