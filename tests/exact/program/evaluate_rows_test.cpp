// How the work of an evaluation is shown, and rows whose bound is asked for in place of sums over states.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/models/stack.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/judge.hpp>
#include <harmonium/program/work/row_work.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace evaluate_rows_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class Recorded final : public Display {
 public:
  void note(const std::string&) override {}
  void warn(const std::string& line) override { said.push_back(line); }
  void progress(double fraction, const std::string& what) override { shown.emplace_back(fraction, what); }
  void finish() override {}

  /// How much was done when work that is called so was first shown.
  double start_of(const std::string& what) const {
    const auto at = std::ranges::find_if(shown, [&](const auto& s) { return s.second.starts_with(what); });
    REQUIRE(at != shown.end());
    return at->first;
  }

  std::vector<std::string> said;
  std::vector<std::pair<double, std::string>> shown;
};

enum class Between { coupled, uncoupled };

/// Nine visible units, and hidden ones in two layers that are coupled, so that the states of one are gone through for each row;
/// with fourteen rows of its own, two of them for validation, and a file of eight.
class DeepModel : public ScratchFolder {
 public:
  explicit DeepModel(Between between = Between::coupled) {
    std::string text;
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < 9; ++c) text += fmt::format("{}{}", c > 0 ? "," : "", (37 * r + 11) >> c & 1);
      text += "\n";
    }
    write("rows.csv", text);
    const auto whole = [](std::int64_t n) { return make_value(n); };
    Value hidden, effective;
    hidden.data = Value::List{whole(6), whole(5)};
    const Value config = make_table({{"type", make_value("deep")}, {"num_visible", whole(9)}, {"num_hidden", hidden}});
    model = builtin_registries().make<EnergyModel>(config, effective);
    randomize(*model, 4, 1.0);
    if (between == Between::uncoupled)
      model->update_parameters([&](std::span<Real> theta) {
        for (const ParameterBlock& b : model->parameter_layout().blocks())
          if (is_coupling(b) && model->layout()[b.layers[0]].role == model->layout()[b.layers[1]].role)
            std::ranges::fill(theta.subspan(b.offset, b.size()), Real(0));
      });
    const Value data =
        make_table({{"type", make_value("bars_and_stripes")}, {"side", whole(3)}, {"validation", whole(2)}});
    write_model(
        (*this / "m.h5").string(), *model,
        make_table({{"model", config}, {"data", data}, {"precision", make_value(in_double ? "float64" : "float32")}}));
  }

  EvaluateRequest request(const std::string& log_z) const {
    EvaluateRequest asked;
    asked.model = (*this / "m.h5").string();
    asked.data = (*this / "rows.csv").string();
    asked.log_z = log_z;
    asked.log_z_alone = true;
    return asked;
  }

  std::unique_ptr<EnergyModel> model;
};

}  // namespace

TEST_CASE(
    "what needs no data has the share of all work that it is expected to take, and neither all nor nothing of it") {
  CHECK(share_of_model(1.0, 1.0) == 0.5);
  CHECK(share_of_model(1.0, 3.0) == 0.25);
  CHECK(share_of_model(100.0, 1.0) == 0.8);
  CHECK(share_of_model(1.0, 100.0) == 0.05);
  CHECK(share_of_model(0.0, 1.0) == 0.05);
  CHECK(share_of_model(1.0, 0.0) == 0.8);  // rows that are annealed
}

TEST_CASE("log Z and each part of the data are shown by what their sums are expected to take") {
  const DeepModel folder;
  Value effective;
  const auto exact = builtin_registries().make<LogPartition>(make_table({{"type", make_value("exact")}}), effective);
  const double of_model = exact->operations(*folder.model), of_rows = 14.0 * free_energy_operations(*folder.model);
  const double share = of_model / (of_model + of_rows);
  REQUIRE(share > 0.06);
  REQUIRE(share < 0.5);

  Recorded display;
  EvaluateRequest parts = folder.request("exact");
  parts.data.clear();
  parts.own_data = true;
  parts.display = &display;
  CHECK(evaluate(parts, builtin_registries()).splits.size() == 2);
  CHECK(display.start_of("log Z") == 0.0);
  CHECK(display.start_of("training rows") == doctest::Approx(share).epsilon(1e-12));
  CHECK(display.start_of("validation rows") == doctest::Approx(share + (1.0 - share) * 12.0 / 14.0).epsilon(1e-12));
  CHECK(display.shown.back().first == doctest::Approx(1.0).epsilon(1e-12));
  for (std::size_t i = 1; i < display.shown.size(); ++i)
    CHECK(display.shown[i].first >= display.shown[i - 1].first - 1e-12);

  // Without log Z rows are nearly all that there is.
  Recorded without;
  EvaluateRequest rows = folder.request("none");
  rows.display = &without;
  evaluate(rows, builtin_registries());
  CHECK(without.start_of("rows") == doctest::Approx(0.05).epsilon(1e-12));
}

TEST_CASE("the bound alone is given where states are gone through row by row, without their sums") {
  const DeepModel coupled, uncoupled(Between::uncoupled);
  for (const DeepModel* folder : {&coupled, &uncoupled}) {
    CAPTURE(folder == &coupled);
    REQUIRE(sums_states_row_by_row(*folder->model, 1.0));
    const Evaluation exact = evaluate(folder->request("exact"), builtin_registries()).whole;
    REQUIRE(exact.log_likelihood);
    Recorded display;
    EvaluateRequest asked = folder->request("exact");
    asked.bound_alone = true;
    asked.display = &display;
    const Evaluation found = evaluate(asked, builtin_registries()).whole;
    REQUIRE(found.variational_bound);
    // Units that are independent given the row have the law of mean field.
    const double slack = rounding(1000.0, 30.0);
    CHECK(*found.variational_bound <= *exact.log_likelihood + slack);
    if (folder == &uncoupled) CHECK(*found.variational_bound >= *exact.log_likelihood - slack);
    else CHECK(*found.variational_bound < *exact.log_likelihood - 2.0 * slack);
    CHECK_FALSE(found.log_likelihood);
    CHECK_FALSE(found.free_energy);
    CHECK_FALSE(found.rows_error);
    CHECK(std::ranges::none_of(display.shown, [](const auto& s) { return s.second.ends_with("evaluating"); }));
  }
}

TEST_CASE(
    "sums in closed form, and those of a stack where they are machine by machine, are none over states of a row") {
  const auto rbm = [](Index visible, Index hidden, std::uint64_t seed) { return random_rbm(visible, hidden, seed); };
  CHECK_FALSE(sums_states_row_by_row(*rbm(4, 3, 1), 1.0));
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(rbm(4, 3, 1));
  machines.push_back(rbm(3, 2, 2));
  const Stack stack(StackOptions{std::move(machines)});
  CHECK_FALSE(sums_states_row_by_row(stack, 1.0));
  CHECK(sums_states_row_by_row(stack, 0.5));
}

}  // namespace evaluate_rows_test
