#include <harmonium/estimators/gradients/presets.hpp>

#include <fmt/format.h>

#include <harmonium/estimators/gradients/fast_weights.hpp>
#include <harmonium/framework/config/written_at.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// `name` of the preset's table, with the place where it was written.
Value option_of(const Value& effective, std::string_view name) {
  const Value* found = effective.find(name);
  return found ? *found : Value{};
}

/// Has the latent units enter by draws.
void sample(Value& positive) {
  const auto& type = std::get<std::string>(positive.find("type")->data);
  if (type == "automatic" || type == "posterior_mean") positive.set("sampled", make_value(true));
  else if (type == "chains") positive.set("rao_blackwell", make_value(false));
  else
    throw ConfigError(fmt::format(
        "{}'sampled_statistics' is true, but the positive phase '{}' draws no latent units. Set positive to "
        "'chains', or leave it out.",
        written_at(positive), type));
}

void bind_num_chains(OptionBinder& o, Index& num_chains) {
  o.option("num_chains", num_chains, "chains in all; 0 takes as many as the batch has rows", at_least(0));
}

}  // namespace

void ChainPresetOptions::bind_common(OptionBinder& o) {
  o.option("gibbs_steps", gibbs_steps, "transitions of the sampler at each update (k)", at_least(1));
  o.component("sampler", sampler, "what moves the chains", "gibbs");
  o.component("positive", positive, "expectation over the data's posterior", "automatic");
  o.option("sampled_statistics", sampled_statistics,
           "latent units by their states in both phases, not by their means: the same expectation, more noise");
  CenteringOptions::bind(o);
}

Value ChainPresetOptions::expand(const Value& effective, std::string_view start) const {
  Value posterior = option_of(effective, "positive");
  if (sampled_statistics) sample(posterior);
  Value model = make_table({{"type", make_value("chains")},
                            {"start", make_value(std::string(start))},
                            {"gibbs_steps", option_of(effective, "gibbs_steps")},
                            {"rao_blackwell", make_value(!sampled_statistics)},
                            {"sampler", option_of(effective, "sampler")}});
  return make_table({{"type", make_value("contrastive")},
                     {"positive", std::move(posterior)},
                     {"negative", std::move(model)},
                     {"centering", option_of(effective, "centering")},
                     {"offset_rate", option_of(effective, "offset_rate")}});
}

void PcdOptions::bind(OptionBinder& o) {
  bind_num_chains(o, num_chains);
  bind_common(o);
}

Value PcdOptions::expand(const Value& effective) const {
  Value v = ChainPresetOptions::expand(effective, "persistent");
  v.find("negative")->set("num_chains", option_of(effective, "num_chains"));
  return v;
}

void TemperedPcdOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<TemperedBase> bases[] = {
      {"automatic", TemperedBase::automatic}, {"none", TemperedBase::none}, {"biases", TemperedBase::biases}};
  bind_num_chains(o, num_chains);
  o.option("num_ladders", num_ladders,
           "ladders beside the chains, which change places with them; 0: each chain has a ladder of its own",
           at_least(0));
  o.option("betas", betas, "the ladder: 1, then descending to 0 or more; empty: one that adapts itself");
  o.option("num_rungs", num_rungs, "without betas: rungs of the ladder; 10 where not given", at_least(2));
  o.option("adapt_steps", adapt_steps, "without betas: transitions during which it adapts; 500 where not given",
           at_least(1));
  o.choice("base", base, bases,
           "what beta = 0 is: every state alike (none), or the model without its couplings (biases); automatic: the "
           "latter for continuous units alone, which need it");
  bind_common(o);
}

Value TemperedPcdOptions::expand(const Value& effective) const {
  Value v = ChainPresetOptions::expand(effective, "persistent");
  Value ladder = make_table({{"type", make_value("parallel_tempering")}, {"sampler", option_of(effective, "sampler")}});
  if (!betas.empty()) ladder.set("betas", option_of(effective, "betas"));
  ladder.set("base", option_of(effective, "base"));
  for (const char* name : {"num_rungs", "adapt_steps"})
    if (const Value* given = effective.find(name)) ladder.set(name, *given);
  Value& negative = *v.find("negative");
  negative.set("num_chains", option_of(effective, "num_chains"));
  if (num_ladders == 0) {
    negative.set("sampler", std::move(ladder));
    return v;
  }
  if (num_chains == 0)
    throw ConfigError(
        fmt::format("{}estimator 'tempered_pcd': 'num_ladders' = {} supply chains, whose number 'num_chains' is not "
                    "given. Give it, such as 100.",
                    written_at(option_of(effective, "num_ladders")), num_ladders));
  negative.erase("start");
  negative.set("type", make_value("chains_and_ladders"));
  negative.set("num_ladders", option_of(effective, "num_ladders"));
  negative.set("ladder", std::move(ladder));
  return v;
}

void FastWeightsPcdOptions::bind(OptionBinder& o) {
  FastWeightsOptions::bind_rates(o, fast_learning_rate, fast_decay);
  bind_num_chains(o, num_chains);
  bind_common(o);
}

Value FastWeightsPcdOptions::expand(const Value& effective) const {
  Value v = ChainPresetOptions::expand(effective, "persistent");
  v.find("negative")->set("num_chains", option_of(effective, "num_chains"));
  v.set("type", make_value("fast_weights"));
  for (const char* name : {"fast_learning_rate", "fast_decay"}) v.set(name, option_of(effective, name));
  return v;
}

void UnbiasedCdOptions::bind(OptionBinder& o) {
  o.option("gibbs_steps", gibbs_steps, "transitions before the estimate begins (k): more cost more and vary less",
           at_least(1));
  o.option("max_steps", max_steps, "transitions after which chains that have not met end the run", at_least(1));
  o.component("sampler", sampler, "what moves the chains", "gibbs");
  o.component("positive", positive, "expectation over the data's posterior", "automatic");
  CenteringOptions::bind(o);
}

Value UnbiasedCdOptions::expand(const Value& effective) const {
  return make_table({{"type", make_value("contrastive")},
                     {"positive", option_of(effective, "positive")},
                     {"negative", make_table({{"type", make_value("coupled_chains")},
                                              {"gibbs_steps", option_of(effective, "gibbs_steps")},
                                              {"max_steps", option_of(effective, "max_steps")},
                                              {"sampler", option_of(effective, "sampler")}})},
                     {"centering", option_of(effective, "centering")},
                     {"offset_rate", option_of(effective, "offset_rate")}});
}

void NaiveMcmcOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<bool> starts[] = {{"uniform", false}, {"marginals", true}};
  o.choice("start", matched, starts, "where chains start: every unit uniform, or at the data's marginals");
  bind_num_chains(o, num_chains);
  bind_common(o);
}

Value NaiveMcmcOptions::expand(const Value& effective) const {
  Value v = ChainPresetOptions::expand(effective, matched ? "marginals" : "uniform");
  v.find("negative")->set("num_chains", option_of(effective, "num_chains"));
  return v;
}

void ExactOptionsPreset::bind(OptionBinder& o) {
  o.option("max_bits", max_bits, "log2 of the most states that may be enumerated (8 bytes each)", within(0, 28));
  CenteringOptions::bind(o);
}

Value ExactOptionsPreset::expand(const Value& effective) const {
  const Value phase = make_table({{"type", make_value("exact")}, {"max_bits", option_of(effective, "max_bits")}});
  return make_table({{"type", make_value("contrastive")},
                     {"positive", phase},
                     {"negative", phase},
                     {"centering", option_of(effective, "centering")},
                     {"offset_rate", option_of(effective, "offset_rate")}});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
