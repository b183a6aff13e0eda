#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/pictures.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A kind of picture of a model, and what it takes.
struct PictureKind {
  const char* name;
  bool tensor, chains, data;
};
inline constexpr PictureKind picture_kinds[] = {{"data", false, false, true},
                                                {"filters", true, false, false},
                                                {"reconstructions", false, false, true},
                                                {"samples", false, true, false},
                                                {"chains", false, true, true}};

/// What a request says of its tiles. Throws ConfigError for a shape that is none.
PictureStyle style_of(const DrawRequest& request);

/// Draws pictures of one model, with what they take made when the first of them asks for it.
class ModelPainter {
 public:
  /// `request` must outlive it.
  ModelPainter(const DrawRequest& request, const std::string& path, const Registries& registries);

  /// Reads all that pictures of these kinds take, so that what is wrong with it is told before anything is drawn. Kinds that the model or its data do not offer are refused, or taken out.
  enum class Unoffered { refuse, leave_out };
  void prepare(std::vector<PictureKind>& wanted, Unoffered unoffered);
  Picture draw(const PictureKind& kind);

 private:
  void make_sampler(const Value& options);
  void load_data(const Value& options);
  void read_clamp(const Value& options, const std::shared_ptr<const Transform>& transform);
  /// Throws CapabilityError where the model or its data do not offer such a picture.
  void check(const PictureKind& kind);
  Index find_tensor() const;

  const DrawRequest& request_;
  ModelHeader header_;
  Registries registries_;
  PictureStyle style_;
  Executor executor_;
  Execution execution_;
  std::string path_;
  std::unique_ptr<EnergyModel> model_;
  std::unique_ptr<Sampler> sampler_;
  std::optional<Dataset> data_;
  std::optional<Clamp> clamp_;
  std::optional<PictureHold> hold_;
  Index tensor_ = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
