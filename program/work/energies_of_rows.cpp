#include <harmonium/program/work/energies_of_rows.hpp>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/model/tiling.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

RowLayer row_layer(const Layer& layer) {
  return {layer.name, write_toml_value(layer.unit->configuration()), layer.columns(), layer.role == Role::observed};
}

/// Rows of the model's layers that the energy is of; the others are left at 0.
Chains states_of(const CertifiedRows& rows, EnergyOf of, const EnergyModel& model) {
  const Layout& layout = model.layout();
  Chains states(layout, rows.rows);
  Index column = 0;
  for (const RowLayer& layer : rows.layers) {
    const Index first = column;
    column += layer.columns;
    if (of == EnergyOf::observed && !layer.observed) continue;
    const LayerId id = layout.find(layer.name);
    if (!(row_layer(layout[id]) == layer))
      throw ConfigError(
          fmt::format("layer '{}' of the draws is no layer of the model whose energy is asked for.", layer.name));
    const MatrixRef out = states.write(id);
    for (Index r = 0; r < rows.rows; ++r)
      for (Index c = 0; c < layer.columns; ++c)
        out(r, c) = static_cast<Real>(rows.values[r * rows.columns + first + c]);
  }
  return states;
}

std::vector<double> energies_of_all(const EnergyModel& model, const Chains& rows, double beta,
                                    const Executor& executor) {
  std::vector<double> energies(rows.size());
  const ConstChainView x = rows.real();
  executor.for_each_piece(rows.size(), Tiling::of(rows.size()).rows, [&](Index begin, Index end) {
    model.energy(x.slice(begin, end), std::span(energies).subspan(begin, end - begin));
  });
  for (double& energy : energies) energy *= beta;
  return energies;
}

}  // namespace

CertifiedRows rows_of(const CertifiedDraws& draws, const EnergyModel& model) {
  const Layout& layout = model.layout();
  CertifiedRows rows;
  for (const Layer& layer : layout.layers()) rows.layers.push_back(row_layer(layer));
  rows.rows = draws.rows.size();
  rows.columns = layout.columns(layout.all());
  rows.group = draws.group;
  rows.starts_apart = draws.starts_apart;
  rows.sums_latent = offers_free_energy(model);
  const ConstChainView x = draws.rows.real();
  for (Index r = 0; r < rows.rows; ++r)
    for (const LayerId l : layout.ids())
      for (Index c = 0; c < layout[l].columns(); ++c) rows.values.push_back(static_cast<double>(x[l](r, c)));
  return rows;
}

std::vector<std::vector<double>> energies_of_rows(const EnergiesRequest& request, const Registries& builtin) {
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  const Executor executor(request.threads, request.stop);
  std::vector<std::vector<double>> all;
  for (const CertifiedRows* rows : request.rows) {
    const Chains states = states_of(*rows, request.of, *model);
    all.push_back(request.of == EnergyOf::observed ? free_energies(*model, states, request.beta, executor)
                                                   : energies_of_all(*model, states, request.beta, executor));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
