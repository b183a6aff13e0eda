#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/best_model.hpp>
#include <harmonium/framework/training/early_stopping.hpp>

namespace early_stopping_test {

using namespace harmonium;

namespace {

MeasuredFigure figure(Goal goal, const std::string& error = "") { return {.name = "x", .goal = goal, .error = error}; }

/// After how many values the run is over; 0: it never is.
std::size_t over_after(EarlyStopping stopping, const std::vector<double>& values, double error = 0.0) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    stopping.measured(i + 1, {{"y", 7.0}, {"x", values[i]}, {"x_error", error}});
    if (stopping.over()) return i + 1;
  }
  return 0;
}

/// What saving and loading gives of it.
template <class T>
T again(T& from, T to, Index parameters = 0) {
  StateArchive saved;
  from.state(saved);
  StateArchive loaded(saved.fields(), StateSizes{.parameters = parameters});
  to.state(loaded);
  return to;
}

std::string refusal(const FollowOptions& asked, const std::vector<MeasuredFigure>& measured, std::uint64_t epochs) {
  try {
    followed(asked, "keep_best", measured, epochs);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a run is over after as many values in a row as patience has, none better than the best before them") {
  const std::vector<double> values{1, 2, 2, 1.5, 3, 2.9, 3, 0};
  CHECK(over_after({figure(Goal::greater), 2}, values) == 4);
  CHECK(over_after({figure(Goal::greater), 3}, values) == 8);
  CHECK(over_after({figure(Goal::greater), 4}, values) == 0);
  CHECK(over_after({figure(Goal::greater), 1}, {1, 2, 3, 4}) == 0);
  // The other way round; 0 is better than all.
  CHECK(over_after({figure(Goal::less), 7}, values) == 0);
  CHECK(over_after({figure(Goal::less), 6}, values) == 7);
}

TEST_CASE("a value is better by more than its standard error, and small steps add up") {
  const std::vector<double> steps{0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4};
  CHECK(over_after({figure(Goal::greater, "x_error"), 3}, steps, 1.0) == 0);  // 1.2 and 2.4 are better
  CHECK(over_after({figure(Goal::greater, "x_error"), 2}, steps, 1.0) == 3);
  CHECK(over_after({figure(Goal::greater), 2}, steps, 1.0) == 0);              // of a figure that has no error
  CHECK(over_after({figure(Goal::greater, "x_error"), 1}, {0, 1}, 1.0) == 2);  // by as much is not by more
  CHECK(over_after({figure(Goal::greater, "nobody's"), 1}, {0, 1}, 1.0) == 0);
}

TEST_CASE("an epoch without the figure does not count") {
  EarlyStopping stopping(figure(Goal::less), 1);
  stopping.measured(1, {{"x", 1.0}});
  for (std::uint64_t epoch = 2; epoch < 9; ++epoch) stopping.measured(epoch, {{"y", 5.0}});
  CHECK_FALSE(stopping.over());
  stopping.measured(9, {{"x", 1.0}});
  CHECK(stopping.over());
  CHECK(stopping.message() == "x has not become better than 1 of epoch 1 in 1 value");
}

TEST_CASE("early stopping goes on from its state") {
  EarlyStopping stopping(figure(Goal::greater), 2);
  stopping.measured(1, {{"x", 5.0}});
  stopping.measured(2, {{"x", 4.0}});
  EarlyStopping other = again(stopping, EarlyStopping(figure(Goal::greater), 2));
  CHECK_FALSE(other.over());
  other.measured(3, {{"x", 5.0}});
  CHECK(other.over());
  CHECK(other.message() == "x has not become better than 5 of epoch 1 in 2 values");
}

TEST_CASE("the best model is that of the best value, of equal ones the first, and the record tells it") {
  BestModel best(figure(Goal::less));
  const auto measured = [&](std::uint64_t epoch, MetricRecord record) {
    const std::vector<Real> theta{static_cast<Real>(epoch), 0};
    best.measured(epoch, 10 * epoch, theta, record);
    return record;
  };
  CHECK(measured(1, {{"y", 1.0}}) == MetricRecord{{"y", 1.0}});
  CHECK(best.epoch() == 0);
  CHECK(measured(2, {{"x", 3.0}}) == MetricRecord{{"x", 3.0}, {"best.epoch", 2.0}, {"best.value", 3.0}});
  CHECK(measured(3, {{"x", 2.0}}) == MetricRecord{{"x", 2.0}, {"best.epoch", 3.0}, {"best.value", 2.0}});
  CHECK(measured(4, {{"x", 2.0}}) == MetricRecord{{"x", 2.0}, {"best.epoch", 3.0}, {"best.value", 2.0}});
  CHECK(measured(5, {}) == MetricRecord{{"best.epoch", 3.0}, {"best.value", 2.0}});
  CHECK(best.update() == 30);
  CHECK(best.parameters() == std::vector<Real>{3, 0});

  best = again(best, BestModel(figure(Goal::less)), 2);
  CHECK(best.epoch() == 3);
  CHECK(best.update() == 30);
  CHECK(best.value() == 2.0);
  CHECK(best.parameters() == std::vector<Real>{3, 0});
  BestModel none(figure(Goal::less));
  CHECK(again(none, BestModel(figure(Goal::less)), 2).parameters().empty());
}

TEST_CASE("a best model without its parameters is refused") {
  BestModel best(figure(Goal::less));
  MetricRecord record{{"x", 1.0}};
  best.measured(1, 1, std::vector<Real>{1, 2}, record);
  StateArchive saved;
  best.state(saved);
  StateArchive::Fields fields = saved.fields();
  fields["epoch"] = std::vector<std::uint64_t>{0};
  StateArchive loaded(fields, StateSizes{.parameters = 2});
  CHECK_THROWS_WITH_AS(BestModel(figure(Goal::less)).state(loaded),
                       "the saved state of 'epoch' and the best parameters do not go together", DataError);
}

TEST_CASE("a figure is followed that the run measures, in a direction that is known") {
  const std::vector<MeasuredFigure> measured{
      {.name = "log_likelihood", .goal = Goal::greater, .every = 3, .error = "log_z_error"}, {.name = "gradient_norm"}};
  const MeasuredFigure found = followed({.metric = "log_likelihood"}, "keep_best", measured, 3);
  CHECK(found.goal == Goal::greater);
  CHECK(found.error == "log_z_error");
  CHECK(followed({.metric = "gradient_norm", .goal = Goal::less}, "keep_best", measured, 3).goal == Goal::less);
  CHECK(
      refusal({.metric = "log_likelihoods"}, measured, 3) ==
      "'keep_best' is 'log_likelihoods', which this run does not measure (did you mean 'log_likelihood'?). Measured: "
      "log_likelihood, gradient_norm. Take one of these, or add its observer; figures of validation and test rows take "
      "such rows (data.validation, data.test).");
  CHECK(
      refusal({.metric = "x"}, {}, 3) ==
      "'keep_best' is 'x', which this run does not measure. Measured: nothing. Take one of these, or add its observer; "
      "figures of validation and test rows take such rows (data.validation, data.test).");
  CHECK(refusal({.metric = "test_log_likelihood"}, measured, 3) ==
        "'keep_best' is 'test_log_likelihood', which is a figure of test rows, and this run has none. Set "
        "data.test=N, which sets N rows aside (below 1: that share of them), or data.test_path to a file of them.");
  CHECK(refusal({.metric = "validation_accuracy"}, measured, 3).find("which this run does not measure") !=
        std::string::npos);
  const std::vector<MeasuredFigure> validated{{.name = "x"}, {.name = "y"}, {.name = "validation_y"}};
  CHECK(refusal({.metric = "validation_x"}, validated, 3).find("which this run does not measure") != std::string::npos);
  CHECK(refusal({.metric = "gradient_norm"}, measured, 3) ==
        "'keep_best' is 'gradient_norm', and neither more nor less of it is better as such. Set goal = \"greater\" or "
        "\"less\".");
  CHECK(refusal({.metric = "log_likelihood"}, measured, 2) ==
        "'keep_best' is 'log_likelihood', which is due once in 3 epochs, and the run has 2. Set its observer's "
        "'every', as in --set 'observers=[{type=\"log_likelihood\",every=1}]', or train longer.");
}

TEST_CASE("what ends a run tells its figure, how often that comes, and its patience") {
  const EarlyStopping stopping({.name = "x", .goal = Goal::less, .every = 3}, 4);
  CHECK(stopping.metric() == "x");
  CHECK(stopping.every() == 3);
  CHECK(stopping.patience() == 4);
}

TEST_CASE("options of a figure that is not named are refused") {
  CHECK_THROWS_WITH_AS((FollowOptions{.goal = Goal::less}.validate()),
                       "'goal' is given, and no figure that it is of. Set metric.", ConfigError);
  CHECK_THROWS_WITH_AS((StopEarlyOptions{.patience = 3}.validate()),
                       "'patience' is given, and no figure that it is of. Set metric.", ConfigError);
}

}  // namespace early_stopping_test
