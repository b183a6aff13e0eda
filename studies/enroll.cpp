#include <harmonium/studies/enroll.hpp>

#include <harmonium/studies/cd_bias/cd_bias.hpp>
#include <harmonium/studies/estimators/estimators.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void enroll_studies(Registries& registries) {
  auto& studies = registries.of<Study>();
  studies.add<CdBias>("cd-bias",
                      "how far contrastive divergence is from the gradient, on machines small enough to know; by the "
                      "protocol of Bengio & Delalleau (2009)");
  studies.add<EstimatorStudy>(
      "estimators",
      "estimators of the gradient against the exact one at equal compute, on machines small enough to know");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
