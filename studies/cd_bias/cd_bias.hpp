#pragma once

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/studies/study.hpp>
#include <harmonium/studies/cd_bias/options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How far contrastive divergence is from the gradient of the likelihood, on machines small enough that every expectation
/// is a sum: the experiments of Bengio & Delalleau (2009). A part is a machine trained until it knows its data.
class CdBias final : public Study {
 public:
  using Options = CdBiasOptions;
  explicit CdBias(Options options) : options_(std::move(options)), cells_(cells_of(options_)) {}

  StudyFiles files() const override;
  bool is_part(const std::string& name) const override;
  bool takes_plugins() const override { return false; }
  std::string remark() const override;
  std::vector<std::string> parts() const override;
  void make(StudyParts& parts, const Registries& registries) const override;
  std::string report(const StudyParts& parts, const std::filesystem::path& folder) const override;

 private:
  Options options_;
  std::vector<CdBiasCell> cells_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
