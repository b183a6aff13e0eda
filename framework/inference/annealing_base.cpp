#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The rows that the data of a mean count for: no unit's base probability is 0 or 1.
constexpr double rows_of_prior = 20.0;

/// body(unit, held) for the units of a row of a layer.
template <class Body>
void for_each_unit(const HeldMask* held, const Layout& layout, LayerId layer, Index row, const Body& body) {
  const bool whole = held && held->holds(layer);
  const MatrixView<const std::uint8_t> units =
      held ? held->units(layer, row, row + 1) : MatrixView<const std::uint8_t>{};
  for (Index u = 0; u < layout[layer].size; ++u) body(u, whole || (!units.empty() && units(0, u) != 0));
}

/// The parameters of each unit of a layer of the base, in double, and the log partition of each unit alone.
struct UnitLaws {
  std::vector<double> linear, curvature, log_partition;

  UnitLaws(const FactorialBase& base, LayerId layer) {
    const Layer& own = base.layout()[layer];
    for (const ParameterBlock& b : base.parameter_layout().blocks()) {
      if (b.layers[0] != layer) continue;
      std::vector<double>& to = b.role == ParameterRole::bias ? linear : curvature;
      for (const Real v : base.parameters().subspan(b.offset, b.size()))
        to.push_back(static_cast<double>(b.role == ParameterRole::bias ? v : curvature_of(b.role, v)));
    }
    const Index width = own.unit->width();
    log_partition.assign(own.size, 0.0);
    for (Index u = 0; u < own.size; ++u) {
      BasicFields<const double> fields{{&linear[u * width], 1, width, width}};
      if (!curvature.empty()) fields.curvature = {&curvature[u * width], 1, width, width};
      own.unit->add_log_partition(fields, {&log_partition[u], 1});
    }
  }
  double minus_energy(Index column, double x) const {
    return linear[column] * x - 0.5 * (curvature.empty() ? 0.0 : curvature[column]) * x * x;
  }
};

/// The precision of each column that the spread of the rows gives, and its logarithm for the base.
std::vector<double> precisions(ConstMatrixRef x) {
  std::vector<double> gamma;
  for (Index c = 0; c < x.cols; ++c) {
    double sum = 0.0, squares = 0.0;
    for (Index r = 0; r < x.rows; ++r) {
      const auto v = static_cast<double>(x(r, c));
      sum += v;
      squares += v * v;
    }
    const auto n = static_cast<double>(x.rows);
    gamma.push_back(n / std::max(squares - sum * sum / n, 1e-6 * n));
  }
  return gamma;
}

}  // namespace

AnnealingBase AnnealingBase::uniform(const EnergyModel& model) {
  const auto layers = model.layout().layers();
  AnnealingBase base(model, std::ranges::all_of(layers, [](const Layer& l) { return l.unit->num_states() > 0; }));
  base.base_->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : base.base_->parameter_layout().blocks())
      for (Real& t : theta.subspan(b.offset, b.size()))
        t = b.role == ParameterRole::log_precision ? t - static_cast<Real>(std::log(4.0)) : Real{0};
  });
  return base;
}

AnnealingBase AnnealingBase::marginals(const EnergyModel& model, const Chains& rows) {
  AnnealingBase base(model, false);
  const Layout& layout = model.layout();
  base.base_->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : base.base_->parameter_layout().blocks()) {
      const Layer& layer = layout[b.layers[0]];
      const ConstMatrixRef x = rows.read(b.layers[0]);
      const Index width = layer.unit->width();
      // Of a finite domain the mean alone is matched, under no crystal field.
      const std::vector<double> gamma = has_precision(*layer.unit) ? precisions(x) : std::vector<double>(x.cols, 0.0);
      const std::span<Real> own = theta.subspan(b.offset, b.size());
      if (b.role == ParameterRole::log_precision) {
        std::ranges::transform(gamma, own.begin(), [](double g) { return static_cast<Real>(std::log(g)); });
        continue;
      }
      if (b.role == ParameterRole::crystal_field) {
        std::ranges::fill(own, Real{0});
        continue;
      }
      const Vector<double> mean = xt::mean(xt::cast<double>(as_xtensor(x)), {0});
      std::vector<double> linear(width);
      for (Index u = 0; u < layer.size; ++u) {
        layer.unit->linear_of_mean({mean.data() + u * width, width}, gamma[u * width],
                                   std::min(rows_of_prior, static_cast<double>(x.rows)), linear);
        std::ranges::copy(linear, own.begin() + static_cast<std::ptrdiff_t>(u * width));
      }
    }
  });
  return base;
}

void AnnealingBase::draw(const HeldMask* held, const RandomSource& random, Chains& chains) const {
  const Layout& layout = base_->layout();
  for (const LayerId l : layout.ids()) {
    if (held && held->holds(l)) continue;
    const Layer& layer = layout[l];
    UnitBuffer buffer(*layer.unit, chains.size(), layer.columns());
    base_->block_conditionals()->fields({l, {}, layer.size}, 0, layer.size, chains.real(), buffer.fields());
    std::vector<Real> drawn(chains.size() * layer.columns());
    const MatrixRef out{drawn.data(), chains.size(), layer.columns(), layer.columns()};
    layer.unit->sample(buffer.fields(), DrawBlock::of(random, chains.first_chain(), 0, l), out, {});
    const MatrixRef x = chains.write(l);
    const Index width = layer.unit->width();
    for (Index r = 0; r < x.rows; ++r)
      for_each_unit(held, layout, l, r, [&](Index u, bool kept) {
        if (!kept) std::copy_n(out.row(r) + u * width, width, x.row(r) + u * width);
      });
  }
}

std::vector<double> AnnealingBase::log_partitions(const HeldMask* held, const Chains& chains) const {
  const Layout& layout = base_->layout();
  std::vector<double> sums(chains.size(), 0.0);
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    const Index width = layer.unit->width();
    const UnitLaws laws(*base_, l);
    const ConstMatrixRef x = chains.read(l);
    for (Index r = 0; r < x.rows; ++r)
      for_each_unit(held, layout, l, r, [&](Index u, bool kept) {
        if (!kept) sums[r] += laws.log_partition[u];
        else
          for (Index c = u * width; c < (u + 1) * width; ++c)
            sums[r] += laws.minus_energy(c, static_cast<double>(x(r, c)));
      });
  }
  return sums;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
