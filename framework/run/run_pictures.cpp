#include <harmonium/framework/run/run_pictures.hpp>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* picture_names[] = {"data", "filters", "chains", "reconstructions", curves_picture};

}  // namespace

void RunPictureOptions::bind(OptionBinder& o) {
  o.option("which", which,
           "pictures that a run draws; those of data, filters, chains, reconstructions and curves that the model "
           "offers, where it "
           "is not given");
  o.option("every", every, "epochs between two drawings; 0: after epochs 1, 2, 4, 8, ... The end is always drawn",
           at_least(0));
  o.option("count", count, "rows, filters or chains of a picture at most; 0: the usual number", at_least(0));
  o.option("gibbs_steps", gibbs_steps, "transitions of each chain that is drawn", at_least(0));
}

void RunPictureOptions::validate() const {
  const std::vector<std::string> names(std::begin(picture_names), std::end(picture_names));
  for (const std::string& name : which.value_or(names)) {
    if (std::ranges::find(names, name) == names.end())
      throw ConfigError(
          fmt::format("'which' names '{}'{}. Known: {}.", name, did_you_mean(name, names), fmt::join(names, ", ")));
    if (which && std::ranges::count(*which, name) > 1)
      throw ConfigError(fmt::format("'which' names '{}' twice. Remove one.", name));
  }
}

RunPictures::RunPictures(const RunPictureOptions& options, const EnergyModel& model, const Registries& registries)
    : options_(options) {
  if (registries.of<Sampler>().entries().contains("gibbs")) {
    Value effective;
    sampler_ = registries.make<Sampler>(make_table({{"type", make_value("gibbs")}}), effective);
    try {
      sampler_->check(Target{model});
    } catch (const CapabilityError&) {
      sampler_.reset();
    }
  }
  const auto offered = [&](const std::string& name) {
    if (name == "filters") return filter_tensor(model).has_value();
    if (name == "reconstructions") return offers_reconstruction(model);
    if (name == "chains") return sampler_ != nullptr;
    return true;
  };
  if (!options_.which) {
    options_.which.emplace(std::begin(picture_names), std::end(picture_names));
    std::erase_if(*options_.which, [&](const std::string& name) { return !offered(name); });
  }
  for (const std::string& name : *options_.which)
    if (!offered(name))
      throw CapabilityError(fmt::format("pictures: the model offers no {}. Leave '{}' out of 'which'.", name, name));
}

RunPictures::~RunPictures() = default;
RunPictures::RunPictures(RunPictures&&) noexcept = default;
RunPictures& RunPictures::operator=(RunPictures&&) noexcept = default;

bool RunPictures::due(std::uint64_t epoch) const {
  return options_.every > 0 ? epoch % options_.every == 0 : std::has_single_bit(epoch);
}

Picture RunPictures::draw(const std::string& name, const EnergyModel& model, const Dataset& data,
                          const Execution& execution) {
  PictureStyle style;
  style.count = options_.count;
  if (data.transform() && data.binarize() == Binarize::none) style.units = data.transform()->units();
  const std::span<const Index> sample = data.sample_shape();
  style.sample_shape.assign(sample.begin(), sample.end());
  if (name == "data") return draw_data(model, data, style);
  if (name == "filters") return draw_filters(model, *filter_tensor(model), style);
  if (name == "reconstructions") return draw_reconstructions(model, data, style, execution.executor);
  return draw_chains(model, *sampler_, &data, options_.gibbs_steps, style, execution.part(name), [](double) {});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
