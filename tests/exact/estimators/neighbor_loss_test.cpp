// Pseudo likelihood, ratio matching and minimum probability flow against their definitions: losses by enumeration of the
// latent states of every neighbor, gradients by differences of those.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/neighbor_loss.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/exact/estimators/repeats.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace neighbor_loss_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};
constexpr const char* names[] = {"pseudo_likelihood", "ratio_matching", "minimum_probability_flow"};

std::unique_ptr<GradientEstimator> make(const Value& spec) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  return registries.make<GradientEstimator>(spec, effective);
}
std::unique_ptr<GradientEstimator> make(const std::string& name) {
  return make(make_table({{"type", make_value(name)}}));
}

std::vector<Example> models() {
  std::vector<Example> all;
  for (Example& m : example_models())
    if (Oracle(*m.model).uncoupled(m.model->layout().latent())) all.push_back(std::move(m));
  all.push_back({"spin RBM", small_spin_rbm()});
  all.push_back({"spin glass", small_spin_glass()});
  all.push_back({"categorical RBM", small_categorical()});
  RbmOptions labeled;
  labeled.num_visible = 3;
  labeled.num_hidden = 2;
  labeled.num_labels = 3;
  auto with_labels = make_rbm(std::move(labeled));
  randomize(*with_labels, 9);
  all.push_back({"RBM with labels", std::move(with_labels)});
  auto sparse = random_model({{observed("v", 4), latent("h", 3)}, {{0, 0}, {0, 1}}, {}}, 21);
  mask_couplings(*sparse);
  all.push_back({"couplings of which half exist", std::move(sparse)});
  return all;
}

/// The weighted loss by its definition, from probabilities of neighbors.
double loss_of(const EnergyModel& model, const std::string& name, const std::vector<Oracle::State>& rows,
               const std::vector<double>& weights, bool exclude = false) {
  const Oracle oracle(model);
  const Layout& layout = oracle.layout();
  const LayerSet visible = layout.observed();
  const auto same = [&](const Oracle::State& a, const Oracle::State& b) {
    for (const LayerId l : layout.ids())
      for (Index c = 0; visible.contains(l) && c < layout[l].columns(); ++c)
        if (a[oracle.first(l) + c] != b[oracle.first(l) + c]) return false;
    return true;
  };
  double loss = 0.0;
  for (Index r = 0; r < rows.size(); ++r) {
    const double own = oracle.free_energy(visible, rows[r]);
    for (const LayerId l : layout.ids()) {
      if (!visible.contains(l)) continue;
      const UnitType& unit = *layout[l].unit;
      const Index width = unit.width();
      std::vector<Real> values(unit.num_states() * width);
      unit.states({values.data(), unit.num_states(), width, width});
      for (Index u = 0; u < layout[l].size; ++u) {
        std::vector<double> odds;
        Index at = 0;
        double sum = 0.0, flow = 0.0, brier = 0.0;
        for (Index s = 0; s < unit.num_states(); ++s) {
          Oracle::State y = rows[r];
          for (Index c = 0; c < width; ++c)
            y[oracle.first(l) + u * width + c] = static_cast<double>(values[s * width + c]);
          const bool here = same(y, rows[r]);
          if (here) at = s;
          odds.push_back(std::exp(own - oracle.free_energy(visible, y)));
          sum += odds.back();
          const bool met = std::ranges::any_of(rows, [&](const Oracle::State& x) { return same(x, y); });
          if (!here && !(exclude && met)) flow += std::sqrt(odds.back());
        }
        for (Index s = 0; s < odds.size(); ++s) brier += std::pow(odds[s] / sum - (s == at ? 1.0 : 0.0), 2);
        loss += weights[r] * (name == names[0] ? -std::log(odds[at] / sum) : name == names[1] ? 0.5 * brier : flow);
      }
    }
  }
  return loss;
}

std::vector<Oracle::State> some_rows(const Oracle& oracle) {
  const auto all = oracle.states(oracle.layout().observed(), Oracle::State(oracle.columns(), 7.0));
  std::vector<Oracle::State> rows;
  for (Index i = 0; i < 5; ++i) rows.push_back(all[(i * i + 3 * i + 1) % all.size()]);
  return rows;
}

GradientEstimator::Report estimate(GradientEstimator& estimator, const EnergyModel& model, const Chains& rows,
                                   std::span<const double> weights, std::vector<Real>& gradient, int threads = 2) {
  const Executor work(threads);
  Posterior posterior;
  gradient.assign(model.parameters().size(), Real{-5});
  return estimator.estimate(model, {rows, weights, posterior}, gradient, {work, RandomSource{1, 0}});
}

}  // namespace

TEST_CASE("losses over neighbors are their definitions, and their gradients the derivatives") {
  const std::vector<double> weights{0.5, 0.125, 0.0, 1.0, 0.25};
  for (const Example& m : models()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const Oracle oracle(model);
    const auto states = some_rows(oracle);
    const Chains rows = oracle.chains(states);
    for (const std::string name : names) {
      for (const bool exclude : {false, true}) {
        if (exclude && name != names[2]) continue;
        CAPTURE(name);
        CAPTURE(exclude);
        Value spec = make_table({{"type", make_value(name)}});
        if (exclude) spec.set("exclude_batch", make_value(true));
        const auto estimator = make(spec);
        estimator->check(model);
        std::vector<Real> gradient;
        const auto report = estimate(*estimator, model, rows, weights, gradient);
        const double loss = loss_of(model, name, states, weights, exclude);
        // Free energies of a few nats each, in double in both precisions; a flow e^{½a} multiplies their error by itself.
        const double units = static_cast<double>(oracle.columns());
        const double loss_error = rounding<double>(16.0 * units, oracle.scale()) * (units + loss);
        REQUIRE(report.loss);
        CHECK(std::abs(*report.loss - loss) <= loss_error);

        // Differences: their rounding, and h⁴/30 of a fifth derivative, which for a loss made of logistic functions and
        // exponentials of half of |a| ≤ 2 scale() is below 100 of the loss and the number of units.
        const double h = 0x1p-9;
        const double bound = 1.5 * loss_error / h + 100.0 * (units + loss) * std::pow(h, 4) / 30.0;
        bool other = false;
        for (const std::vector<Index>& entries : free_parameters(model)) {
          const std::vector<double> slopes = derivative(model, entries, h, [&] {
            std::vector<double> all{loss_of(model, name, states, weights, exclude)};
            for (const std::string another : names)
              if (another != name) all.push_back(loss_of(model, another, states, weights));
            return all;
          });
          for (const Index i : entries) {
            CAPTURE(i);
            const auto got = static_cast<double>(gradient[i]);
            CHECK(std::abs(got - (learned(model, i) ? slopes[0] : 0.0)) <= bound + rounding(256.0, units + loss));
            if (std::abs(got - slopes[1]) > 1e-3 && std::abs(got - slopes[2]) > 1e-3) other = true;
          }
        }
        CHECK(other);  // the derivatives of other losses would have been found out
      }
    }
  }
}

TEST_CASE("gradients over neighbors vanish where the rows are the model's own law, and not where they are not") {
  for (const Example& m : models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const LayerSet visible = m.model->layout().observed();
    const auto states = oracle.states(visible);
    std::vector<double> weights;
    const double log_z = oracle.log_z();
    weights.reserve(states.size());
    for (const Oracle::State& x : states) weights.push_back(std::exp(-oracle.free_energy(visible, x) - log_z));
    for (const std::string name : names) {
      CAPTURE(name);
      std::vector<Real> gradient;
      const auto estimator = make(name);
      const auto report = estimate(*estimator, *m.model, oracle.chains(states), weights, gradient);
      const double size = *report.loss + static_cast<double>(oracle.columns());
      for (const Real g : gradient)
        CHECK(std::abs(static_cast<double>(g)) <=
              rounding(4.0 * static_cast<double>(states.size()) + 64.0, size) +
                  rounding<double>(16.0 * static_cast<double>(oracle.columns()), size * oracle.scale()));
      std::vector<double> uniform(states.size(), 1.0 / static_cast<double>(states.size()));
      estimate(*estimator, *m.model, oracle.chains(states), uniform, gradient);
      CHECK(std::ranges::any_of(gradient, [](Real g) { return std::abs(g) > Real(1e-2); }));
    }
  }
}

TEST_CASE("the pseudo likelihood of the golden RBM is the loss of its rows") {
  const auto model = golden_model(false);
  for (Index r = 0; r < golden::num_rows; ++r) {
    Batch row(model->layout(), {golden_rows()[r]});
    std::vector<Real> gradient(model->parameters().size());
    const auto report = make(names[0])->estimate(*model, row.view(), gradient, execution);
    CHECK(std::abs(*report.loss + golden::rbm::log_pseudo_likelihood[r]) <= (in_double ? 1e-12 : 1e-5));
  }
}

TEST_CASE("gradients over neighbors are the same for any number of threads") {
  const auto model = random_rbm(70, 50, 3, 0.3);
  const Oracle oracle(*model);
  std::vector<Oracle::State> states(100, Oracle::State(oracle.columns()));
  for (Index r = 0; r < states.size(); ++r)
    for (Index c = 0; c < states[r].size(); ++c) states[r][c] = (r * 7 + c * c * 3) % 5 < 2 ? 1.0 : 0.0;
  const Chains rows = oracle.chains(states);
  const std::vector<double> weights(100, 0.01);
  for (const std::string name : names) {
    std::vector<Real> one, three;
    const auto a = estimate(*make(name), *model, rows, weights, one, 1);
    const auto b = estimate(*make(name), *model, rows, weights, three, 3);
    CHECK(one == three);
    CHECK(a.loss == b.loss);
  }
}

TEST_CASE("centered gradients over neighbors are the centered difference of two expectations") {
  // With offsets that never move, μ = the data's means and ½, the map of centering is linear and known:
  // ∇̃W = ∇W − ∇b μ_hᵀ − μ_v ∇cᵀ, ∇̃b = ∇b − ∇̃W μ_h, ∇̃c = ∇c − ∇̃Wᵀ μ_v.
  const auto model = random_rbm(4, 3, 8);
  const Oracle oracle(*model);
  const auto states = some_rows(oracle);
  const Chains rows = oracle.chains(states);
  const std::vector<double> weights(5, 0.2), marginals{0.25, 0.5, 0.125, 0.75};
  const ParameterLayout& p = model->parameter_layout();
  for (const std::string name : names) {
    std::vector<Real> plain, centered(model->parameters().size());
    estimate(*make(name), *model, rows, weights, plain);
    const auto estimator = make(
        make_table({{"type", make_value(name)}, {"centering", make_value(true)}, {"offset_rate", make_value(0.0)}}));
    Posterior posterior;
    estimator->check(*model);
    estimator->estimate(*model, {rows, weights, posterior, nullptr, marginals}, centered, execution);
    const auto at = [&](const char* tensor, const std::vector<Real>& g) { return p.view(p.find(tensor), g.data()); };
    const auto b = at("bias.visible", plain), c = at("bias.hidden", plain), w = at("weight.visible.hidden", plain);
    std::vector<double> to_b(4, 0.0), to_c(3, 0.0);
    for (Index j = 0; j < 4; ++j) {
      for (Index i = 0; i < 3; ++i) {
        const double g = static_cast<double>(w(j, i)) - static_cast<double>(b(j, 0)) * 0.5 -
                         marginals[j] * static_cast<double>(c(i, 0));
        CHECK(std::abs(static_cast<double>(at("weight.visible.hidden", centered)(j, i)) - g) <= rounding(64.0, 4.0));
        to_b[j] += 0.5 * g;
        to_c[i] += marginals[j] * g;
      }
    }
    for (Index j = 0; j < 4; ++j)
      CHECK(std::abs(static_cast<double>(at("bias.visible", centered)(j, 0) - b(j, 0)) + to_b[j]) <=
            rounding(64.0, 4.0));
    for (Index i = 0; i < 3; ++i)
      CHECK(std::abs(static_cast<double>(at("bias.hidden", centered)(i, 0) - c(i, 0)) + to_c[i]) <=
            rounding(64.0, 4.0));
  }
}

TEST_CASE("what losses over neighbors cannot serve is refused") {
  const auto general = golden_model(true);
  CHECK(
      message_of<CapabilityError>([&] { make("ratio_matching")->check(*general); }) ==
      "estimator 'ratio_matching': the latent units cannot be summed out in closed form, as they are coupled given the "
      "observed ones. Try 'pcd' or 'cd'.");
  const auto rbm = random_rbm(3, 2, 1);
  CHECK(message_of<CapabilityError>([&] { make("pseudo_likelihood")->begin(*rbm, {.rows = 3, .missing = true}); }) ==
        "estimator 'pseudo_likelihood': it needs complete rows, and entries of the data are missing. Try 'pcd', whose "
        "positive phase takes them as latent units.");
  const Oracle oracle(*rbm);
  const Chains gray = oracle.chains({{0, 1, 0, 0, 0}, {0, 0.5, 1, 0, 0}});
  const std::vector<double> weights(2, 0.5);
  std::vector<Real> gradient;
  CHECK(message_of<CapabilityError>([&] { estimate(*make("ratio_matching"), *rbm, gray, weights, gradient); }) ==
        "estimator 'ratio_matching': unit 1 of layer 'visible' is in none of its 2 states in row 1 of the batch, but "
        "between them. Set data.binarize, or try 'pseudo_likelihood'.");
  estimate(*make("pseudo_likelihood"), *rbm, gray, weights, gradient);
  CHECK(std::ranges::all_of(gradient, [](Real g) { return std::isfinite(g); }));
}

}  // namespace neighbor_loss_test
