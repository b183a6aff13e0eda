#pragma once

#include <cmath>
#include <vector>

#include <harmonium/framework/model/unit_type.hpp>

/// Units that only tests have: they reach what binary units do not (a curvature, more than one column), while every
/// expectation over them is still a finite sum.
namespace harmonium::testing {

/// A unit of finite domain by its list of states.
class TestUnit : public UnitType {
 public:
  Index width() const override { return width_; }
  Index num_states() const override { return values_.size() / width_; }
  void states(MatrixRef out) const override {
    for (Index s = 0; s < num_states(); ++s)
      for (Index c = 0; c < width_; ++c) out(s, c) = static_cast<Real>(values_[s * width_ + c]);
  }
  bool has_curvature() const override { return curved_; }
  double min() const override { return -1.0; }
  double max() const override { return 1.0; }
  std::string_view domain() const override { return "from -1 to 1"; }

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override {
    for (Index r = 0; r < fields.linear.rows; ++r) {
      for (Index c = 0; c < fields.linear.cols; c += width_) {
        double sum = 0.0;
        for (const double w : weights(fields, r, c)) sum += w;
        sums[r] += std::log(sum);
      }
    }
  }
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override {
    for (Index r = 0; r < fields.linear.rows; ++r) {
      for (Index c = 0; c < fields.linear.cols; c += width_) {
        const std::vector<double> w = weights(fields, r, c);
        double total = 0.0;
        for (const double v : w) total += v;
        for (Index k = 0; k < width_; ++k) {
          double first = 0.0, square = 0.0;
          for (Index s = 0; s < w.size(); ++s) {
            const double v = values_[s * width_ + k];
            first += w[s] * v;
            square += w[s] * v * v;
          }
          if (!mean.empty()) mean(r, c + k) = static_cast<Real>(first / total);
          if (!second.empty()) second(r, c + k) = static_cast<Real>(square / total);
        }
      }
    }
  }
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override {
    const Index rows = fields.linear.rows, cols = fields.linear.cols;
    std::vector<Real> kept(rows * cols);
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; c += width_) {
        const std::vector<double> w = weights(fields, r, c);
        double total = 0.0;
        for (const double v : w) total += v;
        double rest =
            total * uniform_f64(addresses.word(r, addresses.first_site + static_cast<std::uint32_t>(c / width_)));
        Index s = 0;
        while (s + 1 < w.size() && rest >= w[s]) rest -= w[s++];
        for (Index k = 0; k < width_; ++k) kept[r * cols + c + k] = static_cast<Real>(values_[s * width_ + k]);
      }
    }
    if (!mean.empty()) moments(fields, mean, {});
    for (Index r = 0; r < rows; ++r) std::copy_n(&kept[r * cols], cols, out.row(r));
  }
  void linear_of_mean(std::span<const double>, double, double, std::span<double> linear) const override {
    for (double& v : linear) v = 0.0;
  }
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override {
    for (Index r = 0; r < out.rows; ++r) {
      for (Index c = 0; c < out.cols; c += width_) {
        const auto s = static_cast<Index>(
            uniform_f64(addresses.word(r, addresses.first_site + static_cast<std::uint32_t>(c / width_))) *
            static_cast<double>(num_states()));
        for (Index k = 0; k < width_; ++k) out(r, c + k) = static_cast<Real>(values_[s * width_ + k]);
      }
    }
  }

 protected:
  TestUnit(Index width, bool curved, std::vector<double> values)
      : width_(width), curved_(curved), values_(std::move(values)) {}

 private:
  template <class T>
  std::vector<double> weights(const BasicFields<const T>& fields, Index r, Index c) const {
    std::vector<double> w;
    const double scale = fields.scale ? static_cast<double>(fields.scale[r]) : 1.0;
    for (Index s = 0; s < num_states(); ++s) {
      double score = 0.0;
      for (Index k = 0; k < width_; ++k) {
        const double v = values_[s * width_ + k];
        const double bias = fields.bias ? static_cast<double>(fields.bias[c + k]) : 0.0;
        score += (static_cast<double>(fields.linear(r, c + k)) + bias) * v;
        if (!fields.curvature.empty()) score -= 0.5 * static_cast<double>(fields.curvature(r, c + k)) * v * v;
      }
      w.push_back(std::exp(scale * score));
    }
    return w;
  }

  Index width_;
  bool curved_;
  std::vector<double> values_;
};

/// −1, 0 or 1: its square is neither itself nor constant.
class TernaryUnit final : public TestUnit {
 public:
  TernaryUnit() : TestUnit(1, true, {-1, 0, 1}) {}
  std::string_view name() const override { return "ternary"; }
};

/// One of three, each with a column of its own.
class ThreeWayUnit final : public TestUnit {
 public:
  ThreeWayUnit() : TestUnit(3, false, {1, 0, 0, 0, 1, 0, 0, 0, 1}) {}
  std::string_view name() const override { return "three-way"; }
};

}  // namespace harmonium::testing
