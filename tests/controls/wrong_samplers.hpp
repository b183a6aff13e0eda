#pragma once

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/exact.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/machines.hpp>

namespace harmonium::testing {

/// A Gibbs sampler to make mistakes with.
class WrongSampler : public Sampler {
 public:
  void check(const Target&) const override {}

 protected:
  Gibbs gibbs_;
};

/// Draws the hidden units from the visible ones as they were before this step.
class StaleVisible final : public WrongSampler {
 public:
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;
};

/// Takes every field for `factor` times what it is.
class ScaledField final : public WrongSampler {
 public:
  explicit ScaledField(double factor) : factor_(factor) {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  double factor_;
};

/// Forgets parts of the target.
class Forgetful final : public WrongSampler {
 public:
  enum class What : std::uint8_t { temperature, base, held };
  explicit Forgetful(What what) : what_(what) {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  What what_;
};

/// Gives `sharers` neighboring chains the same random words.
class SharedWords final : public WrongSampler {
 public:
  explicit SharedWords(Index sharers) : sharers_(sharers) {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  Index sharers_;
};

/// Draws every step of a call by the same words.
class ReusedWords final : public WrongSampler {
 public:
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;
};

/// Leaves the last chain of a batch where it is: a fault at the edge of a tile.
class LastChainStays final : public WrongSampler {
 public:
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;
};

/// Takes the state after the one that inversion found, for the visible layer; the hidden units rightly given it.
class OffByOne final : public WrongSampler {
 public:
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override;

 private:
  Exact exact_;
};

/// A model that says that the units of a layer are independent of each other given the rest, when they are coupled: all
/// of a layer is then drawn at once.
class FalselyIndependent final : public Forwarding, private BlockConditionals {
 public:
  explicit FalselyIndependent(const EnergyModel& inner);
  const BlockConditionals* block_conditionals() const override { return this; }
  const LayerKernel* layer_kernel() const override { return nullptr; }

 private:
  const std::vector<Block>& blocks() const override { return blocks_; }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override;
  bool independent(LayerSet free, LayerSet given) const override;

  std::vector<Block> blocks_;
};

/// A model whose own kernel draws coupled units eight at a time, all from the states before these eight were drawn: the
/// in-order sweep without the corrections within a tile.
class WithoutCorrections final : public Forwarding, private LayerKernel {
 public:
  using Forwarding::Forwarding;
  const LayerKernel* layer_kernel() const override { return this; }

 private:
  bool draws(LayerId layer) const override { return inner_.layer_kernel()->draws(layer); }
  bool follows(LayerId layer, std::span<const Block* const> blocks) const override {
    return inner_.layer_kernel()->follows(layer, blocks);
  }
  bool divisible(LayerId layer) const override { return inner_.layer_kernel()->divisible(layer); }
  void redraw(const Draw& draw, ChainView x) const override;
};

/// A model whose fields have the lateral couplings counted twice, as by a symmetric U in −xᵀUx.
class CountedTwice final : public Forwarding, private BlockConditionals {
 public:
  explicit CountedTwice(const EnergyModel& inner) : Forwarding(inner) {}
  const BlockConditionals* block_conditionals() const override { return this; }
  const LayerKernel* layer_kernel() const override { return nullptr; }

 private:
  const std::vector<Block>& blocks() const override { return inner_.block_conditionals()->blocks(); }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override;
  bool independent(LayerSet free, LayerSet given) const override {
    return inner_.block_conditionals()->independent(free, given);
  }
};

}  // namespace harmonium::testing
