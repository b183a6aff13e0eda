#include <fmt/format.h>

#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ChainPhaseOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<ChainStart> starts[] = {{"data", ChainStart::data},
                                                                {"persistent", ChainStart::persistent},
                                                                {"uniform", ChainStart::uniform},
                                                                {"marginals", ChainStart::marginals}};
  o.choice(
      "start", start, starts,
      "where chains start: at the batch's rows, where the last update (in the positive phase: the last visit of the "
      "same row) left them, or anew");
  o.option(
      "num_chains", num_chains,
      "chains in all; 0 takes as many as the batch has rows (started at the data, or in the positive phase: always)",
      at_least(0));
  o.option("gibbs_steps", gibbs_steps, "transitions of the sampler at each update", at_least(1));
  o.option("clamped_steps", clamped_steps,
           "started at the data, where latent units are coupled given it: transitions with the data held, from uniform "
           "states, that draw them",
           at_least(1));
  o.option("rao_blackwell", rao_blackwell, "latent units by their conditional means, not by their states");
  o.component("sampler", sampler, "what moves the chains", "gibbs");
}

void ChainPhaseOptions::validate() const {
  if (start == ChainStart::data && num_chains != 0)
    throw ConfigError(
        fmt::format("'num_chains' is {}, but chains that start at the data are as many as the batch has rows. Remove "
                    "it, or set start = \"persistent\".",
                    num_chains));
  if (start != ChainStart::data && clamped_steps != usual_clamped_steps)
    throw ConfigError(fmt::format(
        "'clamped_steps' is {}, but only chains that start at the data make them. Remove it, or set start = "
        "\"data\".",
        clamped_steps));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
