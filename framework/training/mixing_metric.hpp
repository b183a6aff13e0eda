#pragma once

#include <memory>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/training/measured_figure.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether chains mix on the model as it is now (examine_mixing), and how moments of their draws go with those of the data
/// (compare_moments): the curve of what `harmonium diagnose` says of the end.
class MixingMetric final : public Observer, public FigureSource {
 public:
  struct Options {
    Index every = 10, steps = 1000, chains = 4;
    std::unique_ptr<Sampler> sampler;
    void bind(OptionBinder& o);
  };
  explicit MixingMetric(Options options) : options_(std::move(options)) {}
  /// Throws CapabilityError where the sampler does not serve the model, ConfigError where it adapts itself for more than half of the
  /// steps.
  void begin(const RunOutline& run) override;
  void memory(const RunOutline& run, MemoryNeed& need) const override;
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;
  std::vector<MeasuredFigure> figures(const RunOutline& run) const override;
  void state(StateArchive& archive) override { archive.group("sampler", *options_.sampler); }

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
