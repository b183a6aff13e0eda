// Coupled chains, fast weights and tempered chains against the exact gradient.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/fast_weights.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/exact/estimators/repeats.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace unbiased_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

std::unique_ptr<GradientEstimator> make(const Value& spec) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  return registries.make<GradientEstimator>(spec, effective);
}
Value number(Index n) { return make_value(static_cast<std::int64_t>(n)); }
Value of_type(const char* type) { return make_table({{"type", make_value(type)}}); }

/// A batch of `copies` of some rows of observed values, layers one beside the other.
struct Data {
  Data(const Layout& layout, const std::vector<std::vector<double>>& rows_of_values, Index copies)
      : rows(layout, rows_of_values.size() * copies), weights(rows.size(), 1.0 / static_cast<double>(rows.size())) {
    Index first = 0;
    for (const LayerId l : layout.ids()) {
      if (layout[l].role == Role::latent) continue;
      const MatrixRef to = rows.write(l);
      for (Index r = 0; r < to.rows; ++r)
        for (Index c = 0; c < to.cols; ++c)
          to(r, c) = static_cast<Real>(rows_of_values[r % rows_of_values.size()][first + c]);
      first += to.cols;
    }
  }
  GradientEstimator::Report estimate(GradientEstimator& estimator, const EnergyModel& model,
                                     std::vector<Real>& gradient, std::uint64_t seed, int threads = 2) {
    const Executor work(threads);
    posterior.reset();
    gradient.assign(model.parameters().size(), Real{-5});
    return estimator.estimate(model, {rows, weights, posterior}, gradient, {work, RandomSource{seed, 0}});
  }
  Chains rows;
  std::vector<double> weights;
  Posterior posterior;
};

std::vector<double> exact_gradient(const EnergyModel& model, Data& data) {
  std::vector<Real> gradient;
  data.estimate(*make(of_type("exact")), model, gradient, 1);
  return {gradient.begin(), gradient.end()};
}

struct Case {
  std::string name;
  std::unique_ptr<LayeredModel> model;
  std::vector<std::vector<double>> rows;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"golden RBM", golden_model(false), golden_rows()});
  all.push_back({"golden general machine", golden_model(true), golden_rows()});
  all.push_back({"fully visible machine", random_model({{observed("v", 4)}, {{0, 0}}, {}}, 3), golden_rows()});
  all.push_back(
      {"spins",
       random_model({{observed("v", 3, small_spins()->layout()[LayerId{0}].unit), latent("h", 3)}, {{0, 1}}, {}}, 5,
                    0.7),
       {{1, -1, 1}, {-1, -1, 1}}});
  all.push_back(
      {"units of four states",
       random_model({{observed("v", 2, small_categorical()->layout()[LayerId{0}].unit), latent("h", 2)}, {{0, 1}}, {}},
                    6),
       {{1, 0, 0, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 0, 0, 1}}});
  all.push_back(
      {"Gaussian visible units",
       random_model({{observed("v", 3, std::make_shared<GaussianUnit>()), latent("h", 3)}, {{0, 1}}, {0}}, 7, 0.7),
       {{0.5, -1.0, 0.25}, {2.0, 0.0, -0.5}}});
  return all;
}

}  // namespace

TEST_CASE("the mean of coupled chains' gradients is the exact gradient, and that of one step is found out" *
          doctest::test_suite("slow")) {
  constexpr Index repeats = 200, copies = 200;
  for (Case& m : cases()) {
    CAPTURE(m.name);
    Data data(m.model->layout(), m.rows, copies);
    const std::vector<double> exact = exact_gradient(*m.model, data);
    // Mean field is no part of this: the positive phase is exact, whether the latent units are coupled or not.
    Value spec = of_type("unbiased_cd");
    spec.set("positive", of_type("exact"));
    const auto unbiased = make(spec), biased = make(of_type("cd"));
    unbiased->check(*m.model);
    const Repeats mean(repeats, [&](std::vector<Real>& g) { data.estimate(*unbiased, *m.model, g, 11); });
    CHECK(mean.worst(exact) < mean.threshold());
    const Repeats one_step(repeats, [&](std::vector<Real>& g) { data.estimate(*biased, *m.model, g, 12); });
    CHECK(one_step.worst(exact) > one_step.threshold());
  }
}

TEST_CASE("coupled chains that begin late are without bias too, and vary less") {
  constexpr Index estimates = 3200;
  const auto model = golden_model(false);
  Data data(model->layout(), golden_rows(), 10);
  const std::vector<double> exact = exact_gradient(*model, data);
  const auto repeated = [&](Index steps, std::uint64_t seed) {
    Value spec = of_type("unbiased_cd");
    spec.set("gibbs_steps", number(steps));
    const auto estimator = make(spec);
    return Repeats(estimates, [&](std::vector<Real>& g) { data.estimate(*estimator, *model, g, seed); });
  };
  const Repeats late = repeated(8, 13), early = repeated(1, 14), again = repeated(1, 15);
  CHECK(late.worst(exact) < late.threshold());
  // A late start takes away what the first steps vary by: early ones vary 1.7 times as much. That is beyond the limit
  // squared, 1.54, so that it is missed with a probability below 1e-9.
  CHECK(early.total_variance() / late.total_variance() > late.variance_ratio_limit());
  // The control: chains whose late start was forgotten are found out.
  const double same = early.total_variance() / again.total_variance();
  CHECK(std::max(same, 1.0 / same) < early.variance_ratio_limit());
}

TEST_CASE("chains of independent units meet at their first common step, others later") {
  const auto independent = random_rbm(4, 3, 5, 0.0);
  Data data(independent->layout(), golden_rows(), 10);
  std::vector<Real> gradient;
  const auto report = data.estimate(*make(of_type("unbiased_cd")), *independent, gradient, 3);
  REQUIRE(report.negative.meetings);
  CHECK(report.negative.meetings->pairs == 50);
  CHECK(report.negative.meetings->mean() == 2.0);
  CHECK(report.negative.meetings->most == 2);
  const auto coupled = golden_model(false);
  const auto later = data.estimate(*make(of_type("unbiased_cd")), *coupled, gradient, 3);
  CHECK(later.negative.meetings->pairs == 50);
  CHECK(later.negative.meetings->mean() > 2.0);
  CHECK(later.negative.meetings->most >= 3);
}

TEST_CASE("the products of coupled chains are those of the meetings, once some are known") {
  const auto independent = random_rbm(4, 3, 5, 0.0);
  Data data(independent->layout(), golden_rows(), 10);
  std::vector<Real> gradient;
  const auto negative = [&](GradientEstimator& estimator) {
    // What both phases ask, less the positive one: a product for the fields of the latent units, one for the statistics.
    return estimator.products(*independent, 1) - 2.0;
  };
  for (const std::int64_t k : {1, 4, 12}) {
    CAPTURE(k);
    Value spec = of_type("unbiased_cd");
    spec.set("gibbs_steps", number(k));
    const auto estimator = make(spec);
    // Gibbs sampling takes two products a transition, and statistics two.
    const auto expected = [&](std::int64_t time) {
      const std::int64_t transitions = std::max(k, time) + std::max(k, time) - 1;
      std::int64_t statistics = 1;
      for (std::int64_t t = k + 1; t < time; ++t) statistics += 2;
      return static_cast<double>(2 * transitions + 2 * statistics);
    };
    CHECK(negative(*estimator) == expected(10));
    data.estimate(*estimator, *independent, gradient, 3);  // all meet at 2
    CHECK(negative(*estimator) == expected(2));
  }
}

TEST_CASE("coupled chains are the same on any number of threads, and go on after a restart") {
  const auto model = golden_model(true);
  Data data(model->layout(), golden_rows(), 80);
  std::vector<Real> one, three, second, resumed;
  const auto a = make(of_type("unbiased_cd")), b = make(of_type("unbiased_cd")), c = make(of_type("unbiased_cd"));
  data.estimate(*a, *model, one, 7, 1);
  data.estimate(*b, *model, three, 7, 3);
  CHECK(one == three);
  StateArchive saved;
  a->state(saved);
  StateArchive loaded(saved.fields(), state_sizes(*model));
  c->state(loaded);
  data.estimate(*a, *model, second, 7, 2);
  data.estimate(*c, *model, resumed, 7, 1);
  CHECK(second != one);
  CHECK(second == resumed);
}

TEST_CASE("chains that do not meet, or cannot, are told") {
  const auto model = golden_model(false);
  Data data(model->layout(), golden_rows(), 20);
  std::vector<Real> gradient;
  Value short_of_steps = of_type("unbiased_cd");
  short_of_steps.set("max_steps", number(2));
  const std::string message =
      message_of<NumericalError>([&] { data.estimate(*make(short_of_steps), *model, gradient, 3); });
  CHECK(message.starts_with("phase 'coupled_chains': "));
  CHECK(
      message.ends_with(" of 100 pairs of chains have not met after 2 steps, so that the estimate would be biased. The "
                        "model mixes slowly: raise max_steps, or train with 'pcd'."));
  const auto gaussian = random_model({{observed("v", 3, std::make_shared<GaussianUnit>())}, {{0, 0}}, {}}, 3, 0.2);
  CHECK(message_of<CapabilityError>([&] { make(of_type("unbiased_cd"))->check(*gaussian); }) ==
        "phase 'coupled_chains': chains of continuous units meet only where these are independent given discrete ones. "
        "Try 'chains'.");
  Value tempered = of_type("unbiased_cd");
  tempered.set("sampler", of_type("parallel_tempering"));
  CHECK(message_of<CapabilityError>([&] { make(tempered)->check(*model); }) ==
        "phase 'coupled_chains': the two chains must make the same moves, and the sampler adapts itself or has a "
        "ladder of "
        "temperatures. Try the sampler 'gibbs'.");
}

TEST_CASE("fast weights follow their recursion, which moves the negative phase alone") {
  const auto model = golden_model(false);
  Data data(model->layout(), golden_rows(), 1);
  const Oracle oracle(*model);
  const auto states = oracle.states(model->layout().all());
  // Σ_x p(x) ∂E/∂θ under other parameters, and the gradient at θ.
  const auto negative = [&](const EnergyModel& at) {
    const Oracle there(at);
    std::vector<double> sum(at.parameters().size(), 0.0);
    const double log_z = there.log_z();
    for (const Oracle::State& x : states) {
      const std::vector<double> p{std::exp(-there.energy(x) - log_z)};
      std::vector<Real> one(sum.size(), Real{0});
      at.add_gradient(there.chains({x}), p, one, executor);
      for (Index i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(one[i]);
    }
    return sum;
  };
  const std::vector<double> plain = exact_gradient(*model, data), at_theta = negative(*model);
  const double rate = 0.5, decay = 0.75;
  const auto estimator = make(make_table({{"type", make_value("fast_weights")},
                                          {"fast_learning_rate", make_value(rate)},
                                          {"fast_decay", make_value(decay)},
                                          {"positive", of_type("exact")},
                                          {"negative", of_type("exact")}}));
  estimator->check(*model);
  estimator->begin(*model, {.rows = 5});
  std::vector<double> fast(plain.size(), 0.0);
  for (int update = 0; update < 4; ++update) {
    CAPTURE(update);
    const auto shifted = model->copy();
    shifted->update_parameters([&](std::span<Real> theta) {
      for (Index i = 0; i < theta.size(); ++i) theta[i] += static_cast<Real>(fast[i]);
    });
    const std::vector<double> at_shifted = negative(*shifted);
    std::vector<Real> gradient;
    data.estimate(*estimator, *model, gradient, 1);
    for (Index i = 0; i < plain.size(); ++i) {
      const double right = plain[i] + at_theta[i] - at_shifted[i];
      CHECK(std::abs(static_cast<double>(gradient[i]) - right) <= rounding(256.0));
      if (update == 3 && i == 0) CHECK(std::abs(right - plain[i]) > 1e-3);  // the fast weights are seen
      fast[i] = decay * fast[i] - rate * right;
    }
  }
  // What it remembers is saved: the next estimate is the same.
  StateArchive saved;
  estimator->state(saved);
  const auto restored = make(make_table({{"type", make_value("fast_weights")},
                                         {"fast_learning_rate", make_value(rate)},
                                         {"fast_decay", make_value(decay)},
                                         {"positive", of_type("exact")},
                                         {"negative", of_type("exact")}}));
  StateArchive loaded(saved.fields(), state_sizes(*model));
  restored->state(loaded);
  std::vector<Real> next, again;
  data.estimate(*estimator, *model, next, 1);
  data.estimate(*restored, *model, again, 1);
  CHECK(next == again);
}

TEST_CASE("the first estimate with fast weights is that of pcd") {
  const auto model = golden_model(false);
  Data data(model->layout(), golden_rows(), 4);
  std::vector<Real> fast, plain, later, plain_later;
  const auto a = make(of_type("fast_weights_pcd")), b = make(of_type("pcd"));
  data.estimate(*a, *model, fast, 5);
  data.estimate(*b, *model, plain, 5);
  CHECK(fast == plain);
  data.estimate(*a, *model, later, 5);
  data.estimate(*b, *model, plain_later, 5);
  CHECK(later != plain_later);
}

TEST_CASE("tempered persistent chains give the exact gradient once they have mixed, and at the start they do not") {
  // Ten steps of plain Gibbs sampling leave 2e-8 of this machine's start (golden.hpp), far below the error of the mean;
  // exchanges with hotter rows do not add to that. Only rung 0 is counted: with the others the mean would be that of
  // flatter laws.
  const auto model = golden_model(false);
  Data data(model->layout(), golden_rows(), 1);
  const std::vector<double> exact = exact_gradient(*model, data);
  const auto spec = [&](Index steps) {
    Value v = of_type("tempered_pcd");
    v.set("num_chains", number(2000));
    v.set("gibbs_steps", number(steps));
    Value betas;
    betas.data = Value::List{make_value(1.0), make_value(0.6), make_value(0.2)};
    v.set("betas", std::move(betas));
    return v;
  };
  const auto repeated = [&](const Value& v) {
    std::uint64_t seed = 100;
    return Repeats(60, [&](std::vector<Real>& g) { data.estimate(*make(v), *model, g, seed++); });
  };
  const Repeats mixed = repeated(spec(10)), early = repeated(spec(1));
  CHECK(mixed.worst(exact) < mixed.threshold());
  CHECK(early.worst(exact) > early.threshold());
}

TEST_CASE("tempered persistent chains of Gaussian units go down to the biases, and say so where they have no base" *
          doctest::test_suite("slow")) {
  // As above: exchanges between rungs of a wrong law would leave rung 0 with one, too.
  const auto model =
      random_model({{observed("v", 3, std::make_shared<GaussianUnit>()), latent("h", 3)}, {{0, 1}}, {0}}, 7, 0.7);
  Data data(model->layout(), {{0.5, -1.0, 0.25}, {2.0, 0.0, -0.5}}, 1);
  const std::vector<double> exact = exact_gradient(*model, data);
  const auto spec = [&](Index steps, const char* base) {
    Value v = of_type("tempered_pcd");
    v.set("num_chains", number(2000));
    v.set("gibbs_steps", number(steps));
    v.set("base", make_value(base));
    Value betas;
    betas.data = Value::List{make_value(1.0), make_value(0.5), make_value(0.0)};
    v.set("betas", std::move(betas));
    return v;
  };
  CHECK(message_of<CapabilityError>([&] { make(spec(1, "none"))->check(*model); }) ==
        "sampler 'parallel_tempering': at beta = 0 the continuous units of layer 'v' have no law. Set "
        "base = \"biases\" (--set sampler.base=biases), or let 'betas' end above 0 (--set 'sampler.betas=[1, 0.7, 0.5, "
        "0.35, 0.25]').");
  make(spec(1, "automatic"))->check(*model);
  make(spec(1, "biases"))->check(*model);
  const auto repeated = [&](Index steps) {
    std::uint64_t seed = 100;
    return Repeats(60, [&](std::vector<Real>& g) { data.estimate(*make(spec(steps, "biases")), *model, g, seed++); });
  };
  const Repeats mixed = repeated(30), early = repeated(1);
  CHECK(mixed.worst(exact) < mixed.threshold());
  CHECK(early.worst(exact) > early.threshold());
}

}  // namespace unbiased_test
