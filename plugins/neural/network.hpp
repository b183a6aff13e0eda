#pragma once

#include <array>
#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The first coefficients of a Taylor series in ε along a line x + ε v: value, slope, half the curvature.
using Jet = std::array<double, 3>;
/// For each of these coefficients, where those of several numbers go; empty: not wanted.
using Coefficients = std::array<std::span<double>, 3>;

/// f(x) = wᵀ a_L with a_l = tanh(W_l a_(l−1) + b_l), a_0 = x: a perceptron of several layers with one output, and its
/// derivatives along lines by Taylor arithmetic (Griewank & Walther 2008). No parameters of its own.
class Network {
 public:
  /// `sizes`: of the input and of each hidden layer.
  explicit Network(std::vector<Index> sizes);

  /// Of W_l (sizes[l + 1] × sizes[l]) and b_l of the l-th hidden layer, and of the output's w, in a vector of
  /// num_parameters().
  Index weights_at(Index layer) const { return weights_[layer]; }
  Index biases_at(Index layer) const { return biases_[layer]; }
  Index output_at() const { return output_; }
  Index num_parameters() const { return output_ + sizes_.back(); }

  /// f along the line; where they are not empty, input[j] += ∂f/∂x_j along it, and for each k of 0 to 2 parameters[k][i] +=
  /// the k-th coefficient of ∂f/∂θ_i along it. `direction` empty: a point, all slopes 0.
  Jet evaluate(std::span<const double> theta, std::span<const double> x, std::span<const double> direction,
               std::span<Jet> input, Coefficients parameters) const;

 private:
  std::vector<Index> sizes_, weights_, biases_;
  Index output_ = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
