#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/model/per_layer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The layers that a sampler may move along the slope of the energy.
LayerSet layers_with_slope(const Layout& layout);

/// Throws CapabilityError for a sampler that moves along the slope of the energy, where no layer has one to follow.
[[noreturn]] void refuse_without_slope(const Layout& layout, std::string_view sampler);

/// Throws CapabilityError, in the name of `sampler`, where the model or the base offers no state gradient.
void check_state_gradients(const Target& target, std::string_view sampler);

/// A tile of chains during one transition: temperatures, the base, held units and addresses of words are settled here, so a
/// sampler need not handle them.
///
/// Its coordinates are the columns of all continuous layers that are not held as a whole, side by side, one row a chain. For
/// single held units the gradient and the normal numbers are 0, so a step along these leaves them in place.
class ChainTile {
 public:
  /// Rows [begin, end) of `chains`, whose layers are current as Real.
  ChainTile(const Target& target, Chains& chains, const RandomSource& random, Index begin, Index end);

  Index rows() const { return x_.rows(); }
  Index coordinates() const { return coordinates_; }
  /// All layers, read-only. Change them by set_positions.
  ConstChainView states() const { return x_; }

  Matrix<double> positions() const;
  void set_positions(const Matrix<double>& q);
  void set_positions(Index row, const Matrix<double>& q);

  /// U(x) = β E(x) + (1 − β) E₀(x) of each row, in nats.
  Vector<double> energy() const;
  /// ∂U/∂x of each coordinate.
  Matrix<double> gradient() const;

  /// Standard normal numbers, one a coordinate: the same at each call of one transition.
  Matrix<double> normals() const;
  /// A number between 0 and 1 of this transition and this row, one of its own for each `draw`.
  double uniform(Index row, std::uint32_t draw = 0) const;

 private:
  friend class TileSampler;
  void set_step(std::uint64_t step) { step_ = step; }
  bool free(LayerId layer, Index row, Index column) const;
  void add_gradient(const StateGradient& of, bool base, Matrix<double>& out) const;
  DrawBlock words(LayerId layer) const;
  /// use(layer, first coordinate of it)
  template <class Use>
  void for_each_moving(const Use& use) const {
    Index first = 0;
    for (const LayerId l : moving_) {
      use(l, first);
      first += target_.model.layout()[l].columns();
    }
  }

  const Target& target_;
  ChainView x_;
  RandomSource random_;
  std::uint64_t step_ = 0;
  std::vector<LayerId> moving_;
  Index coordinates_ = 0;
  std::vector<double> betas_;  ///< of each row
};

/// A sampler that moves rows of continuous units, each row independently of the others: it says how one tile makes one transition.
/// Threads, tiles, the count of transitions and of what was accepted are here.
class TileSampler : public Sampler {
 public:
  /// Throws CapabilityError where the model or the base offers no state gradient, or a layer is discrete or bounded.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) final;

 protected:
  explicit TileSampler(std::string_view name) : name_(name) {}
  /// One transition of every row of the tile. Returns how many of its rows() proposals were accepted.
  virtual Index move(ChainTile& tile) const = 0;

 private:
  std::string name_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
