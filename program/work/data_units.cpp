#include <harmonium/program/work/data_units.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// data.scale, which bits that are made of the values have behind them.
double scale_of(const Value* table) {
  if (!table) return 1.0;
  const Value* made = table->find("binarize");
  if (made && !(*made == make_value(std::string("none")))) return 1.0;
  const Value* scale = table->find("scale");
  return scale ? scale->number().value_or(1.0) : 1.0;
}

/// Whether it makes spins of bits, 2x - 1, and leaves all else: the probability of a state is the same, whatever it is called.
bool makes_spins(const Transform* transform, const std::vector<bool>& continuous) {
  if (!transform || transform->kind() != Transform::Kind::standardize) return false;
  bool any = false;
  for (Index c = 0; c < transform->cols(); ++c) {
    const double mean = transform->mean()[c], scale = transform->scale()[c];
    const bool spin = mean == 0.5 && scale == 0.5;
    if (spin ? continuous[c] : mean != 0.0 || scale != 1.0) return false;
    any |= spin;
  }
  return any;
}

}  // namespace

DataUnits::DataUnits(const Value* data, std::shared_ptr<const Transform> transform, const Layout& layout)
    : scale_(scale_of(data)), transform_(std::move(transform)) {
  for (const Layer& layer : layout.layers()) {
    if (layer.role == Role::latent) continue;
    column_scaled_.insert(column_scaled_.end(), layer.columns(), layer.name != label_layer);
    continuous_.insert(continuous_.end(), layer.columns(), layer.unit->num_states() == 0 && !takes_counts(*layer.unit));
  }
  makes_spins_ = makes_spins(transform_.get(), continuous_);
}

std::string DataUnits::name() const {
  if (transform_ && !makes_spins_) return std::string(transform_->units());
  for (Index c = 0; c < continuous_.size(); ++c)
    if (scaled(c) && continuous_[c]) return "data times its scale";
  return "";
}

void DataUnits::undo(MatrixRef rows) const {
  if (!transform_ && scale_ == 1.0) return;
  std::vector<double> x(rows.cols);
  for (Index r = 0; r < rows.rows; ++r) {
    std::copy_n(rows.row(r), rows.cols, x.begin());
    undo(std::span(x));
    std::transform(x.begin(), x.end(), rows.row(r), [](double v) { return static_cast<Real>(v); });
  }
}

void DataUnits::undo(std::span<double> row) const {
  if (transform_) transform_->undo({row.data(), 1, row.size(), row.size()});
  for (Index c = 0; c < row.size(); ++c)
    if (scaled(c)) row[c] /= scale_;
}

bool DataUnits::column_alone(Index column) const {
  return !transform_ || !column_scaled_[column] || transform_->kind() != Transform::Kind::zca;
}

double DataUnits::of_column(Index column, double value) const {
  if (scaled(column)) value *= scale_;
  if (!column_alone(column))
    throw ConfigError(
        "the data were whitened, and one column alone is no unit of the model. Give whole rows in a file, or hold "
        "other units.");
  if (!transform_ || !column_scaled_[column]) return value;
  return (value - transform_->mean()[column]) / transform_->scale()[column];
}

double DataUnits::log_jacobian(std::span<const double> seen) const {
  const bool stretched = transform_ && !makes_spins_;
  double sum = stretched && seen.empty() ? transform_->log_jacobian() : 0.0;
  for (Index c = 0; c < continuous_.size(); ++c) {
    const double share = seen.empty() ? 1.0 : seen[c];
    if (scaled(c) && continuous_[c]) sum += share * std::log(std::abs(scale_));
    // Rows with holes are not whitened.
    if (stretched && !seen.empty()) sum -= share * std::log(transform_->scale()[c]);
  }
  return sum;
}

DataUnits data_units_of(const std::string& model, const ModelHeader& header, const Layout& layout) {
  std::shared_ptr<const Transform> transform = load_transform(model);
  if (transform) transform = of_observed(transform, layout, model);
  return {header.config.find("data"), std::move(transform), layout};
}

bool draws_bits(const Dataset& data) {
  if (data.binarize() != Binarize::each_epoch) return false;
  Matrix<double> bits = zeros<double>(1, data.cols()), other = bits;  // of spins they are no bytes
  for (Index r = 0; r < data.rows(); ++r) {
    data.fetch<double>(r, 0, as_matrix(bits));
    data.fetch<double>(r, 1, as_matrix(other));
    if (bits != other) return true;
  }
  return false;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
