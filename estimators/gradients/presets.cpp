#include <harmonium/estimators/gradients/presets.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// `name` of the preset's table, with the place where it was written.
Value option_of(const Value& effective, std::string_view name) {
  const Value* found = effective.find(name);
  return found ? *found : Value{};
}

void bind_num_chains(OptionBinder& o, Index& num_chains) {
  o.option("num_chains", num_chains, "chains in all; 0 takes as many as the batch has rows", at_least(0));
}

}  // namespace

void ChainPresetOptions::bind_common(OptionBinder& o) {
  o.option("gibbs_steps", gibbs_steps, "transitions of the sampler at each update (k)", at_least(1));
  o.component("sampler", sampler, "what moves the chains", "gibbs");
  o.option("sampled_statistics", sampled_statistics,
           "latent units by their states in both phases, not by their means: the same expectation, more noise");
  CenteringOptions::bind(o);
}

Value ChainPresetOptions::expand(const Value& effective, std::string_view start) const {
  Value positive = make_table({{"type", make_value("posterior_mean")}, {"sampled", make_value(sampled_statistics)}});
  Value negative = make_table({{"type", make_value("chains")},
                               {"start", make_value(std::string(start))},
                               {"gibbs_steps", option_of(effective, "gibbs_steps")},
                               {"rao_blackwell", make_value(!sampled_statistics)},
                               {"sampler", option_of(effective, "sampler")}});
  return make_table({{"type", make_value("contrastive")},
                     {"positive", std::move(positive)},
                     {"negative", std::move(negative)},
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
