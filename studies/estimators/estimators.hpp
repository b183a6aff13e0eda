#pragma once

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/studies/study.hpp>
#include <harmonium/studies/estimators/options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Gradient estimators against the exact gradient at equal compute, on machines small enough to know, at some stages of
/// their training. A part is one estimator at one stage of one machine.
class EstimatorStudy final : public Study {
 public:
  using Options = EstimatorStudyOptions;
  explicit EstimatorStudy(Options options) : options_(std::move(options)) {}

  Value begin(const Registries& registries, Value own) override;
  StudyFiles files() const override { return {{"estimators.csv"}, {"equal_compute"}}; }
  bool is_part(const std::string& name) const override;
  std::string remark() const override;
  const char* called() const override { return "measurements"; }
  std::vector<std::string> parts() const override;
  void make(StudyParts& parts, const Registries& registries) const override;
  std::string report(const StudyParts& parts, const std::filesystem::path& folder) const override;

 private:
  /// What is measured in one part.
  struct Cell {
    std::uint64_t seed = 0, updates = 0;
    StudiedEstimator subject;
    std::string name() const;
  };
  void settle_subjects(const EnergyModel& model, const Registries& registries);
  std::vector<StudiedStage> train(std::uint64_t seed, const WholeData& data, const Registries& registries,
                                  const Executor& executor) const;
  std::vector<EstimatorRow> rows(const StudyParts& parts) const;

  Options options_;
  std::unique_ptr<const Experiment> example_;  ///< a machine before its training, and the data of all
  std::vector<StudiedEstimator> subjects_;
  std::vector<std::string> left_out_;  ///< estimators that do not serve the machine
  std::vector<Cell> cells_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
