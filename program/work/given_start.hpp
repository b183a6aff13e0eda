#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/program/work/clamp.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Where `sample --start` has chains begin: units of any layer, or rows of a file, named as by --clamp, but not held. What is not named begins
/// at the biases alone, and latent units then at a draw given the others: a transition that leaves all else as it is.
class GivenStart {
 public:
  /// `reader`: of files, as of a Clamp. Throws ConfigError as Clamp does, and where the file has neither one row nor `num_chains`.
  GivenStart(const std::vector<std::string>& texts, const ModelHeader& header, const Layout& layout,
             const DataUnits& units, const Clamp::Reader& reader, Index num_chains);

  bool has_rows() const { return named_->has_rows(); }
  /// Throws CapabilityError where `sampler` cannot draw latent units given the others.
  void check(const Sampler& sampler, Target target) const;
  /// Writes it into chains that begin at the biases, of which the first is that of sample `first`, each with a row a rung.
  void write(Chains& chains, Index first, Index rungs) const;
  /// All units but the latent ones that are neither named nor `held` (may be null); nothing where there are none of these.
  std::optional<HeldMask> given(Index first, Index count, Index rungs, const HeldMask* held) const;

 private:
  const Layout* layout_;
  std::optional<Clamp> named_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
