#include <harmonium/framework/inference/conditionals_at_means.hpp>

#include <algorithm>

#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// body(block, fields) for the blocks of `layers`, one row of fields a row of `x`, one unit after the other of the block.
template <class Body>
void for_each_block(const EnergyModel& model, LayerSet layers, const Chains& x, const Body& body) {
  for (const Block& block : model.block_conditionals()->blocks()) {
    if (!layers.contains(block.layer)) continue;
    const UnitType& unit = *model.layout()[block.layer].unit;
    UnitBuffer buffer(unit, x.size(), block.size * unit.width());
    const Fields fields = buffer.fields();
    model.block_conditionals()->fields(block, 0, block.size, x, fields);
    body(block, fields);
  }
}

/// Columns of a block's units into those of its layer, `width` a unit.
template <class To>
void put_block(const Block& block, Index width, ConstMatrixRef from, MatrixView<To> to) {
  for (Index r = 0; r < from.rows; ++r)
    for (Index i = 0; i < block.size; ++i) {
      const Index unit = block.whole() ? i : block.units[i];
      std::copy_n(from.row(r) + i * width, width, to.row(r) + unit * width);
    }
}

/// The latent units of each row become their means given the observed ones.
void set_to_means(const EnergyModel& model, double beta, Chains& x) {
  const Layout& layout = model.layout();
  const std::vector<Real> scale(x.size(), static_cast<Real>(beta));
  for_each_block(model, layout.latent(), x, [&](const Block& block, Fields fields) {
    const UnitType& unit = *layout[block.layer].unit;
    fields.scale = scale.data();
    unit.moments(fields, fields.linear, {});
    put_block(block, unit.width(), fields.linear, x.write(block.layer));
  });
}

}  // namespace

bool offers_conditionals_at_means(const EnergyModel& model) {
  return model.block_conditionals() && posterior_factorizes(model) &&
         (model.layout().latent().empty() || model.factorized_expectation());
}

ConditionalsAtMeans::ConditionalsAtMeans(const EnergyModel& model, double beta, ConstChainView x)
    : layout_(model.layout()),
      at_(layout_, x.rows()),
      scale_(x.rows(), beta),
      linear_(layout_.size()),
      curvature_(layout_.size()) {
  at_.copy_rows(layout_.observed(), x);
  set_to_means(model, beta, at_);
  for (const LayerId l : layout_.ids(layout_.observed())) {
    linear_[l] = zeros<double>(x.rows(), layout_[l].columns());
    if (layout_[l].unit->has_curvature()) curvature_[l] = zeros<double>(x.rows(), layout_[l].columns());
  }
  for_each_block(model, layout_.observed(), at_, [&](const Block& block, const Fields& found) {
    const Index width = layout_[block.layer].unit->width();
    put_block<double>(block, width, found.linear, as_matrix(linear_[block.layer]));
    if (!found.curvature.empty()) put_block<double>(block, width, found.curvature, as_matrix(curvature_[block.layer]));
  });
}

BasicFields<const double> ConditionalsAtMeans::fields(LayerId layer) const {
  const Matrix<double>& curvature = curvature_[layer];
  return {as_matrix(linear_[layer]), curvature.size() > 0 ? as_matrix(curvature) : MatrixView<const double>{}, nullptr,
          scale_.data()};
}

double ConditionalsAtMeans::log_weight_of(LayerId layer, Index r, Index begin, Index end) const {
  const BasicFields<const double> f = fields(layer);
  const std::span<const Real> x = at_.read(layer)[r];
  double sum = 0.0;
  for (Index c = begin; c < end; ++c) {
    const auto v = static_cast<double>(x[c]);
    sum += (f.linear(r, c) - (f.curvature.empty() ? 0.0 : 0.5 * f.curvature(r, c) * v)) * v;
  }
  return scale_[r] * sum;
}

double ConditionalsAtMeans::of_unit(LayerId layer, Index r, Index unit) const {
  const UnitType& type = *layout_[layer].unit;
  const Index begin = unit * type.width(), end = begin + type.width();
  double log_partition = 0.0;
  type.add_log_partition(fields(layer).slice(r, r + 1).columns(begin, end), {&log_partition, 1});
  return log_weight_of(layer, r, begin, end) - log_partition;
}

std::vector<double> ConditionalsAtMeans::sums(LayerId layer) const {
  std::vector<double> log_partitions(scale_.size(), 0.0), sums;
  layout_[layer].unit->add_log_partition(fields(layer), log_partitions);
  for (Index r = 0; r < scale_.size(); ++r)
    sums.push_back(log_weight_of(layer, r, 0, layout_[layer].columns()) - log_partitions[r]);
  return sums;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
