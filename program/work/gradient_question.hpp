#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a request names: two ways to estimate, the model and the data, read and found to go together.
struct GradientQuestion {
  GradientQuestion(const GradientRequest& request, const Registries& builtin);

  /// Throws where so many repeats side by side would not fit into memory.
  void check_memory(Index together) const;

  ModelHeader header;
  Registries registries;
  RandomSource random;
  Value spec;                                         ///< of the estimator that is asked for
  std::unique_ptr<GradientEstimator> asked, against;  ///< `against` may be null
  std::unique_ptr<EnergyModel> model;
  std::optional<Dataset> data;
  std::optional<std::uint64_t> own_rows;  ///< how many, where they are the run's

 private:
  Dataset rows_of_run(const GradientRequest& request);
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
