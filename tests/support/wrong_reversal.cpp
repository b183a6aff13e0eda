#include <harmonium/tests/support/wrong_reversal.hpp>

#include <harmonium/tests/support/machines.hpp>

namespace harmonium::testing {
namespace {

/// The opposite scan through the model's conditionals alone.
class UnitByUnit final : public Sampler {
 public:
  void check(const Target&) const override {}
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override {
    const WithoutKernel bare(target.model);
    return gibbs_.advance(Target{bare, target.base, target.beta, target.ladder, target.held}, chains, steps, execution);
  }

 private:
  Gibbs gibbs_{{.scan = Scan::backward}};
};

}  // namespace

std::unique_ptr<Sampler> GibbsWithReversal::reversal() const {
  if (which_ == Reversal::forward_scan) return std::make_unique<Gibbs>();
  if (which_ == Reversal::unit_by_unit) return std::make_unique<UnitByUnit>();
  return gibbs_.reversal();
}

}  // namespace harmonium::testing
