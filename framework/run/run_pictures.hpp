#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/pictures.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The name of the learning curves, which are drawn of the log and not of the model.
inline constexpr const char* curves_picture = "curves";

/// [pictures]: what a training run draws of itself.
struct RunPictureOptions {
  std::optional<std::vector<std::string>> which;  ///< without it, of all that there are those that the model offers
  Index every = 0;
  Index count = 0;
  Index gibbs_steps = 100;

  void bind(OptionBinder& o);
  void validate() const;
};

/// Draws the pictures of a run's model: data, filters, chains, reconstructions; and says whether curves are asked for. A picture is a function of the model, the data,
/// the options and the random source, so a run that was broken off leaves the same ones; nothing of the run is changed.
class RunPictures {
 public:
  /// Settles `which`. Throws CapabilityError for what was asked for and the model does not offer.
  RunPictures(const RunPictureOptions& options, const EnergyModel& model, const Registries& registries);
  ~RunPictures();
  RunPictures(RunPictures&&) noexcept;
  RunPictures& operator=(RunPictures&&) noexcept;

  /// Those that are drawn, by name, in the order they are drawn in; the curves too.
  const std::vector<std::string>& which() const { return *options_.which; }
  /// Whether an epoch, counted from 1, is one after which they are drawn: of every so many, or 1, 2, 4, 8, …
  bool due(std::uint64_t epoch) const;
  /// One of those but the curves.
  Picture draw(const std::string& name, const EnergyModel& model, const Dataset& data, const Execution& execution);

 private:
  RunPictureOptions options_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
