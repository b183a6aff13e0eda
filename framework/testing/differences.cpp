#include <harmonium/framework/testing/differences.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Units of a symmetric tensor have no coupling with themselves, of all their columns.
Index width_of(const EnergyModel& model, const ParameterBlock& block) {
  return block.symmetry == Symmetry::none ? 1 : model.layout()[block.layers.at(0)].unit->width();
}

}  // namespace

void randomize(EnergyModel& model, std::uint64_t seed, double spread) {
  std::mt19937_64 words(seed);
  const auto draw = [&] {
    const double u = static_cast<double>(words() >> 11) * 0x1p-53;
    return static_cast<Real>(std::round(256.0 * spread * (2.0 * u - 1.0)) / 256.0);
  };
  const ParameterLayout& parameters = model.parameter_layout();
  model.update_parameters([&](std::span<Real> theta) {
    for (Index k = 0; k < parameters.blocks().size(); ++k) {
      const ParameterBlock& block = parameters[k];
      const MatrixRef w = parameters.view(k, theta.data());
      const bool symmetric = block.symmetry == Symmetry::symmetric_zero_diagonal;
      const Index width = width_of(model, block);
      if (block.uniform) {
        std::ranges::fill(theta.subspan(block.offset, block.size()), draw());
        continue;
      }
      for (Index i = 0; i < w.rows; ++i) {
        for (Index j = symmetric ? i : 0; j < w.cols; ++j) {
          w(i, j) = symmetric && i / width == j / width ? Real{0} : draw();
          if (symmetric) w(j, i) = w(i, j);
        }
      }
    }
  });
}

std::vector<std::vector<Index>> free_parameters(const EnergyModel& model) {
  std::vector<std::vector<Index>> all;
  for (const ParameterBlock& b : model.parameter_layout().blocks()) {
    const bool symmetric = b.symmetry == Symmetry::symmetric_zero_diagonal;
    const Index width = width_of(model, b);
    if (b.uniform) {
      std::vector<Index>& own = all.emplace_back(b.size());
      std::iota(own.begin(), own.end(), b.offset);
      continue;
    }
    for (Index i = 0; i < b.rows; ++i) {
      for (Index j = 0; j < b.cols; ++j) {
        if (b.mask && (*b.mask)[i * b.cols + j] == 0) continue;
        if (!symmetric) all.push_back({b.offset + i * b.cols + j});
        else if (i / width < j / width) all.push_back({b.offset + i * b.cols + j, b.offset + j * b.cols + i});
      }
    }
  }
  return all;
}

void move(EnergyModel& model, const std::vector<Index>& entries, double by) {
  model.update_parameters([&](std::span<Real> theta) {
    for (const Index i : entries) theta[i] += static_cast<Real>(by);
  });
}

std::vector<double> derivative(EnergyModel& model, const std::vector<Index>& entries, double h,
                               const std::function<std::vector<double>()>& f) {
  const std::vector<Real> kept(model.parameters().begin(), model.parameters().end());
  const auto restore = [&] {
    model.update_parameters([&](std::span<Real> theta) { std::copy(kept.begin(), kept.end(), theta.begin()); });
  };
  const auto at = [&](double by) {
    try {
      move(model, entries, by);
      std::vector<double> values = f();
      restore();
      return values;
    } catch (...) {
      restore();
      throw;
    }
  };
  const std::vector<double> p1 = at(h), m1 = at(-h), p2 = at(2 * h), m2 = at(-2 * h);
  std::vector<double> d(p1.size());
  for (Index i = 0; i < d.size(); ++i) d[i] = (8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * h);
  return d;
}

Chains random_rows(const Layout& layout, Index num_rows, std::uint64_t seed) {
  Chains chains(layout, num_rows);
  for (const LayerId l : layout.ids())
    layout[l].unit->sample_uniform(DrawBlock::of({seed, 0}, 0, 0, l), chains.write(l));
  return chains;
}

double largest_value(const Layout& layout, const Chains& rows) {
  double largest = 1.0;
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = rows.read(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c) largest = std::max(largest, std::abs(static_cast<double>(x(r, c))));
  }
  return largest;
}

double size_of_parameters(const EnergyModel& model) {
  double sum = 1.0;
  for (const Real t : model.parameters()) sum += std::abs(static_cast<double>(t));
  return sum;
}

std::vector<double> random_weights(Index num, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::vector<double> w(num);
  for (double& v : w) v = std::round(64.0 * (static_cast<double>(words() >> 11) * 0x1p-52 - 1.0)) / 64.0;
  return w;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
