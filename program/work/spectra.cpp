#include <algorithm>
#include <cmath>

#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index widest_spectrum = 2000;  // of a side: seconds

WeightSpectrum spectrum_of(const EnergyModel& model, Index tensor) {
  const ParameterBlock& block = model.parameter_layout()[tensor];
  WeightSpectrum spectrum{block.name, block.rows, block.cols, {}, 0.0};
  const Index side = std::min(block.rows, block.cols);
  if (side > widest_spectrum) return spectrum;
  const BlasCall room;
  Matrix<double> w = xt::cast<double>(as_xtensor(model.parameter_layout().view(tensor, model.parameters().data())));
  if (block.rows > block.cols) w = Matrix<double>(xt::transpose(w));
  const Matrix<double> squares = xt::linalg::dot(w, xt::transpose(w));
  const xt::xtensor<double, 1> values = xt::linalg::eigvalsh(squares);  // ascending
  double trace = 0.0;
  for (Index k = 0; k < side; ++k) {
    spectrum.values.push_back(std::sqrt(std::max(0.0, values(side - 1 - k))));
    trace += squares(k, k);
  }
  const auto rows = static_cast<double>(block.rows), cols = static_cast<double>(block.cols);
  spectrum.edge = std::sqrt(trace / (rows * cols)) * (std::sqrt(rows) + std::sqrt(cols));
  return spectrum;
}

}  // namespace

std::vector<WeightSpectrum> spectra(const SpectraRequest& request, const Registries& builtin) {
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  std::vector<WeightSpectrum> all;
  const ParameterLayout& parameters = model->parameter_layout();
  for (Index n = 0; n < parameters.blocks().size(); ++n) {
    const ParameterBlock& block = parameters[n];
    if (block.role == ParameterRole::coupling && block.layers.size() == 2 && block.cols > 1 &&
        block.rows == model->layout()[block.layers[0]].columns() &&
        block.cols == model->layout()[block.layers[1]].columns())
      all.push_back(spectrum_of(*model, n));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
