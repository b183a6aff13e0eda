#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/support/scratch.hpp>

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// The effective table of an estimator.
Value expanded(Value spec) {
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
Value means(bool sampled) {
  return make_table({{"type", make_value("posterior_mean")}, {"sampled", make_value(sampled)}});
}
Value chains(const char* start, std::int64_t num_chains, std::int64_t steps, bool rao_blackwell) {
  return make_table({{"type", make_value("chains")},
                     {"start", make_value(start)},
                     {"num_chains", number(num_chains)},
                     {"gibbs_steps", number(steps)},
                     {"rao_blackwell", make_value(rao_blackwell)},
                     {"sampler", gibbs()}});
}

}  // namespace

TEST_CASE("presets stand for compositions, which the effective configuration shows") {
  CHECK(expanded(make_table({{"type", make_value("cd")}})) == contrastive(means(false), chains("data", 0, 1, true)));
  CHECK(expanded(make_table({{"type", make_value("cd")},
                             {"gibbs_steps", number(7)},
                             {"sampled_statistics", make_value(true)},
                             {"centering", make_value(true)},
                             {"offset_rate", make_value(0.5)}})) ==
        contrastive(means(true), chains("data", 0, 7, false), true, 0.5));
  CHECK(expanded(make_table({{"type", make_value("pcd")}, {"num_chains", number(50)}})) ==
        contrastive(means(false), chains("persistent", 50, 1, true)));
  CHECK(expanded(make_table({{"type", make_value("naive_mcmc")}})) ==
        contrastive(means(false), chains("uniform", 0, 100, true)));
  CHECK(expanded(make_table(
            {{"type", make_value("naive_mcmc")}, {"start", make_value("marginals")}, {"num_chains", number(9)}})) ==
        contrastive(means(false), chains("marginals", 9, 100, true)));
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
