#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace gradients_presets_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// The effective table of an estimator.
Value expanded(const Value& spec) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  registries.make<GradientEstimator>(spec, effective);
  return effective;
}

Value number(std::int64_t n) { return make_value(n); }
Value gibbs() {
  return make_table({{"type", make_value("gibbs")}, {"tile", number(0)}, {"scan", make_value("systematic")}});
}
Value contrastive(Value positive, Value negative, bool centering = false, double offset_rate = 0.01) {
  return make_table({{"type", make_value("contrastive")},
                     {"positive", std::move(positive)},
                     {"negative", std::move(negative)},
                     {"centering", make_value(centering)},
                     {"offset_rate", make_value(offset_rate)}});
}
Value mean_field() {
  return make_table({{"type", make_value("mean_field")},
                     {"start", make_value("fresh")},
                     {"damping", make_value(0.0)},
                     {"tolerance", make_value(1e-4)},
                     {"max_iterations", number(100)}});
}
Value automatic(bool sampled) {
  return make_table({{"type", make_value("automatic")}, {"sampled", make_value(sampled)}, {"coupled", mean_field()}});
}
Value chains(const char* start, std::int64_t num_chains, std::int64_t steps, bool rao_blackwell) {
  return make_table({{"type", make_value("chains")},
                     {"start", make_value(start)},
                     {"num_chains", number(num_chains)},
                     {"gibbs_steps", number(steps)},
                     {"clamped_steps", number(10)},
                     {"rao_blackwell", make_value(rao_blackwell)},
                     {"sampler", gibbs()}});
}

}  // namespace

TEST_CASE("presets stand for compositions, which the effective configuration shows") {
  CHECK(expanded(make_table({{"type", make_value("cd")}})) ==
        contrastive(automatic(false), chains("data", 0, 1, true)));
  CHECK(expanded(make_table({{"type", make_value("cd")},
                             {"gibbs_steps", number(7)},
                             {"sampled_statistics", make_value(true)},
                             {"centering", make_value(true)},
                             {"offset_rate", make_value(0.5)}})) ==
        contrastive(automatic(true), chains("data", 0, 7, false), true, 0.5));
  CHECK(expanded(make_table({{"type", make_value("pcd")}, {"num_chains", number(50)}})) ==
        contrastive(automatic(false), chains("persistent", 50, 1, true)));
  CHECK(expanded(make_table({{"type", make_value("naive_mcmc")}})) ==
        contrastive(automatic(false), chains("uniform", 0, 100, true)));
  CHECK(expanded(make_table(
            {{"type", make_value("naive_mcmc")}, {"start", make_value("marginals")}, {"num_chains", number(9)}})) ==
        contrastive(automatic(false), chains("marginals", 9, 100, true)));
  const Value exact = make_table({{"type", make_value("exact")}, {"max_bits", make_value(18.0)}});
  CHECK(expanded(make_table({{"type", make_value("exact")}, {"max_bits", make_value(18.0)}})) ==
        contrastive(exact, exact));
}

TEST_CASE("what a preset stands for stands for itself") {
  const Value cd = expanded(make_table({{"type", make_value("cd")}, {"gibbs_steps", number(3)}}));
  CHECK(expanded(cd) == cd);
}

TEST_CASE("a preset's sampler goes to the chains with its options") {
  Value sampler = gibbs();
  sampler.set("tile", number(64));
  const Value effective = expanded(make_table({{"type", make_value("pcd")}, {"sampler", sampler}}));
  CHECK(*effective.find("negative")->find("sampler") == sampler);
}

TEST_CASE("a preset's positive phase is its own, and draws where statistics are sampled") {
  const Value chosen = expanded(make_table({{"type", make_value("pcd")}, {"positive", mean_field()}}));
  CHECK(*chosen.find("positive") == mean_field());
  const Value clamped = make_table({{"type", make_value("chains")}});
  const Value sampled = expanded(
      make_table({{"type", make_value("cd")}, {"positive", clamped}, {"sampled_statistics", make_value(true)}}));
  CHECK(*sampled.find("positive") == chains("persistent", 0, 1, false));
  CHECK(message_of<ConfigError>([&] {
          expanded(make_table(
              {{"type", make_value("cd")}, {"positive", mean_field()}, {"sampled_statistics", make_value(true)}}));
        }) ==
        "'sampled_statistics' is true, but the positive phase 'mean_field' draws no latent units. Set positive to "
        "'chains', or leave it out.");
}

TEST_CASE("the effective configuration names the positive phase that the model and the data call for") {
  Registries registries;
  enroll_builtin(registries);
  const auto positive = [&](const EnergyModel& model, bool missing) {
    Value effective;
    const auto estimator = registries.make<GradientEstimator>(make_table({{"type", make_value("pcd")}}), effective);
    estimator->check(model);
    estimator->begin(model, {.rows = 10, .missing = missing});
    const Value settled = estimator->resolved(effective, model);
    // What it says is what it is: a new one made from it settles to the same.
    Value again;
    const auto other = registries.make<GradientEstimator>(settled, again);
    other->begin(model, {.rows = 10, .missing = missing});
    CHECK(other->resolved(again, model) == settled);
    return *settled.find("positive");
  };
  const Value means = make_table({{"type", make_value("posterior_mean")}, {"sampled", make_value(false)}});
  CHECK(positive(*small_rbm(), false) == means);
  CHECK(positive(*small_rbm(), true) == mean_field());
  CHECK(positive(*small_semi_restricted(), false) == means);
  CHECK(positive(*small_general(), false) == mean_field());
  CHECK(positive(*small_deep(), false) == mean_field());
}

TEST_CASE("tempered, fast and unbiased presets stand for their compositions") {
  Value ladder = make_table({{"type", make_value("parallel_tempering")}});
  const Value tempered = expanded(make_table({{"type", make_value("tempered_pcd")},
                                              {"num_chains", number(7)},
                                              {"gibbs_steps", number(3)},
                                              {"num_rungs", number(4)},
                                              {"base", make_value("biases")}}));
  Value spelt = make_table({{"type", make_value("pcd")}, {"num_chains", number(7)}, {"gibbs_steps", number(3)}});
  ladder.set("num_rungs", number(4));
  ladder.set("base", make_value("biases"));
  spelt.set("sampler", ladder);
  CHECK(tempered == expanded(spelt));
  CHECK(tempered.find("type")->data == make_value("contrastive").data);
  const auto beside = [](const Value& num_chains) {
    return expanded(make_table({{"type", make_value("tempered_pcd")},
                                {"num_chains", num_chains},
                                {"gibbs_steps", number(3)},
                                {"num_ladders", number(2)},
                                {"num_rungs", number(4)}}));
  };
  const Value supplied = beside(number(7)), &negative = *supplied.find("negative");
  CHECK(*negative.find("type") == make_value("chains_and_ladders"));
  CHECK(*negative.find("num_chains") == number(7));
  CHECK(*negative.find("num_ladders") == number(2));
  CHECK(*negative.find("gibbs_steps") == number(3));
  CHECK(*negative.find("ladder_steps") == number(1));
  CHECK(*negative.find("sampler")->find("type") == make_value("gibbs"));
  CHECK(*negative.find("ladder")->find("num_rungs") == number(4));
  CHECK(message_of<ConfigError>([&] { beside(number(0)); }) ==
        "estimator 'tempered_pcd': 'num_ladders' = 2 supply chains, whose number 'num_chains' is not given. Give it, "
        "such "
        "as 100.");

  Value fast = contrastive(automatic(false), chains("persistent", 9, 1, true));
  fast.set("type", make_value("fast_weights"));
  fast.set("fast_learning_rate", make_value(0.25));
  fast.set("fast_decay", make_value(0.95));
  const Value made = expanded(make_table(
      {{"type", make_value("fast_weights_pcd")}, {"num_chains", number(9)}, {"fast_learning_rate", make_value(0.25)}}));
  CHECK(made == expanded(fast));

  const Value unbiased = expanded(make_table({{"type", make_value("unbiased_cd")}, {"gibbs_steps", number(2)}}));
  CHECK(unbiased == contrastive(automatic(false), make_table({{"type", make_value("coupled_chains")},
                                                              {"gibbs_steps", number(2)},
                                                              {"max_steps", number(10000)},
                                                              {"sampler", gibbs()}})));
}

TEST_CASE("options of estimators that contradict each other are refused") {
  CHECK(message_of<ConfigError>([] {
          expanded(
              make_table({{"type", make_value("unbiased_cd")}, {"gibbs_steps", number(5)}, {"max_steps", number(5)}}));
        }) == "phase 'coupled_chains': 'max_steps' is 5, but chains must go on after 'gibbs_steps' = 5. Raise it.");
  CHECK(message_of<ConfigError>([] {
          expanded(make_table({{"type", make_value("pseudo_likelihood")}, {"offset_rate", make_value(0.5)}}));
        }) ==
        "estimator 'pseudo_likelihood': 'offset_rate' is the rate of centering's offsets, but nothing is centered. Set "
        "centering = true.");
}

}  // namespace gradients_presets_test
