#include <harmonium/program/work/zero_sum_directions.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Helmert's contrasts of q states, orthonormal and each of sum 0; of a column without a gauge the 1 of the column itself.
std::vector<std::vector<double>> contrasts(const UnitType& unit) {
  if (!has_gauge(unit)) return {{1.0}};
  const Index q = unit.width();
  std::vector<std::vector<double>> all;
  for (Index c = 1; c < q; ++c) {
    const auto others = static_cast<double>(c);
    std::vector<double>& v = all.emplace_back(q, 0.0);
    std::fill_n(v.begin(), c, 1.0 / std::sqrt(others * (others + 1.0)));
    v[c] = -std::sqrt(others / (others + 1.0));
  }
  return all;
}

class Basis {
 public:
  Basis(const EnergyModel& model, const std::vector<Places>& numbers)
      : layout_(model.layout()), none_(numbers.size()), number_at_(model.parameters().size(), none_) {
    for (Index k = 0; k < numbers.size(); ++k)
      for (const Index place : numbers[k]) number_at_[place] = k;
  }

  void add_biases(const ParameterBlock& block) {
    with_biases_.add(block.layers[0]);
    const std::vector<std::vector<double>> v = contrasts(unit(block, 0));
    const Index width = v.front().size();
    for (Index i = 0; i < block.rows; i += width) add_pair(block, v, {{1.0}}, i, 0);
  }
  void add_couplings(const ParameterBlock& block) {
    const std::vector<std::vector<double>> a = contrasts(unit(block, 0)), b = contrasts(unit(block, 1));
    const Index rows = a.front().size(), cols = b.front().size();
    if (rows > 1 || cols > 1)
      for (const LayerId layer : block.layers)
        if (!with_biases_.contains(layer))
          throw CapabilityError(
              fmt::format("layer '{}' has no biases, and in the zero-sum gauge its units have fields. Set bias = true "
                          "of the layer.",
                          layout_[layer].name));
    const bool own = block.symmetry != Symmetry::none;
    for (Index i = 0; i < block.rows; i += rows)
      for (Index j = own ? i + rows : 0; j < block.cols; j += cols) add_pair(block, a, b, i, j);
  }
  void add_alone(const ParameterBlock& block) {
    for_each_entry(block, [&](Index place) {
      if (number_at_[place] != none_) found_.push_back({{number_at_[place], 1.0}});
    });
  }
  std::vector<Direction> take() { return std::move(found_); }

 private:
  const UnitType& unit(const ParameterBlock& block, Index which) const { return *layout_[block.layers[which]].unit; }

  /// v ⊗ w for all contrasts of the rows from i on and the columns from j on.
  void add_pair(const ParameterBlock& block, const std::vector<std::vector<double>>& v,
                const std::vector<std::vector<double>>& w, Index i, Index j) {
    std::vector<Index> at;
    for (Index r = 0; r < v.front().size(); ++r)
      for (Index c = 0; c < w.front().size(); ++c)
        at.push_back(number_at_[block.offset + (i + r) * block.cols + j + c]);
    const auto absent = static_cast<Index>(std::ranges::count(at, none_));
    if (absent == at.size()) return;
    if (absent > 0)
      throw CapabilityError(fmt::format(
          "in the zero-sum gauge '{}' has entries that its mask leaves out. Such a model has no form in it, "
          "as masks there are of whole pairs of units.",
          block.name));
    for (const std::vector<double>& x : v)
      for (const std::vector<double>& y : w) {
        Direction& direction = found_.emplace_back();
        for (Index r = 0; r < x.size(); ++r)
          for (Index c = 0; c < y.size(); ++c)
            if (x[r] * y[c] != 0.0) direction.emplace_back(at[r * y.size() + c], x[r] * y[c]);
      }
  }

  const Layout& layout_;
  Index none_;
  std::vector<Index> number_at_;  ///< of each place in θ
  LayerSet with_biases_;
  std::vector<Direction> found_;
};

}  // namespace

std::vector<Direction> each_alone(Index numbers) {
  std::vector<Direction> all;
  for (Index k = 0; k < numbers; ++k) all.push_back({{k, 1.0}});
  return all;
}

bool have_gauge(const EnergyModel& model, const std::vector<Places>& numbers) {
  const ParameterLayout& parameters = model.parameter_layout();
  return std::ranges::any_of(parameters.blocks(), [&](const ParameterBlock& block) {
    if (block.role != ParameterRole::bias && block.role != ParameterRole::coupling) return false;
    if (std::ranges::none_of(block.layers, [&](LayerId l) { return has_gauge(*model.layout()[l].unit); })) return false;
    return std::ranges::any_of(numbers, [&](const Places& places) {
      return places.front() >= block.offset && places.front() < block.offset + block.size();
    });
  });
}

std::vector<Direction> zero_sum_directions(const EnergyModel& model, const std::vector<Places>& numbers) {
  Basis basis(model, numbers);
  const std::vector<ParameterBlock>& blocks = model.parameter_layout().blocks();
  for (const ParameterBlock& block : blocks)
    if (block.role == ParameterRole::bias) basis.add_biases(block);
  for (const ParameterBlock& block : blocks)
    if (block.role == ParameterRole::coupling) basis.add_couplings(block);
    else if (block.role != ParameterRole::bias) basis.add_alone(block);
  return basis.take();
}

Matrix<double> along(const std::vector<Direction>& directions, const Matrix<double>& of_numbers) {
  const Index k = of_numbers.shape(1), count = directions.size();
  Matrix<double> half = zeros<double>(count, k), all = zeros<double>(count, count);
  for (Index d = 0; d < count; ++d)
    for (const auto& [number, weight] : directions[d])
      for (Index c = 0; c < k; ++c) half(d, c) += weight * of_numbers(number, c);
  for (Index d = 0; d < count; ++d)
    for (Index e = 0; e < count; ++e)
      for (const auto& [number, weight] : directions[e]) all(d, e) += weight * half(d, number);
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
