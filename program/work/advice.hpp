#pragma once

#include <string>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What was found of the data, and what is proposed, that makes other advice of some settings.
struct AdviceCase {
  bool numbers_lack = false, followed = false;  ///< whether the likelihood of such rows is followed
  bool has_latent = true;                       ///< whether the model has units that no data are of
  std::string estimator = {};                   ///< its name
};

/// When a setting that `init` writes is to be changed; empty where there is nothing to say. What it means is in its declaration.
std::string advice_on(const std::string& setting, const AdviceCase& of);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
