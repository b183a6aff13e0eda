#include <harmonium/program/report/longer_words.hpp>
#include <harmonium/program/report/overfitting.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>

namespace overfitting_test {

using namespace harmonium;

namespace {

LoggedCurve curve_from(const char* name, double first, double last, double error) {
  return {name,
          figure_kind(name),
          LoggedCurve::Band::error,
          {{1.0, first, first, first, error}, {2.0, last, last, last, error}}};
}

bool gap_grew(double first, double last) {
  const auto gap = gap_of_rows({curve_from("pseudo_log_likelihood", -5.0, -4.0, 0.3),
                                curve_from("validation_pseudo_log_likelihood", -5.0 - first, -4.0 - last, 0.4)});
  REQUIRE(gap);
  CHECK(gap->error == doctest::Approx(0.5));
  return gap->grew;
}

}  // namespace

TEST_CASE("a gap grew where it is three standard errors above 0 and above what it was") {
  CHECK(gap_grew(0.0, 1.6));
  CHECK_FALSE(gap_grew(0.0, 1.4));
  CHECK_FALSE(gap_grew(1.0, 2.0));   // rows of another law
  CHECK_FALSE(gap_grew(-2.0, 0.5));  // within its error
}

TEST_CASE("a free energy gap is judged by its own error, and training rows alone by nothing") {
  CHECK(gap_of_rows({curve_from("free_energy_gap", 0.0, 3.1, 1.0)})->grew);
  CHECK_FALSE(gap_of_rows({curve_from("free_energy_gap", 0.0, 2.9, 1.0)})->grew);
  CHECK_FALSE(gap_of_rows({curve_from("pseudo_log_likelihood", -5.0, -4.0, 0.3)}));
  // A gap between shares of rows is none in nats.
  CHECK_FALSE(gap_of_rows({curve_from("accuracy", 0.5, 1.0, 0.01), curve_from("validation_accuracy", 0.5, 0.6, 0.01)}));
}

TEST_CASE("longer training is advised with what of it is made again") {
  const auto words = [](const char* training) { return longer_words(parse_toml(training, "test")); };
  CHECK(words("training = { checkpoint_every = 2 }") == "'harmonium resume RUN --epochs N'");
  CHECK(words("training = { checkpoint_minutes = 0.5 }") == "'harmonium resume RUN --epochs N'");
  for (const char* without : {"", "training = { num_epochs = 3 }", "training = { checkpoint_every = 0 }"})
    CHECK(words(without) ==
          "'harmonium resume RUN --epochs N', which makes all epochs again, as the run kept no checkpoint "
          "(training.checkpoint_every)");
  for (const char* schedule : {"constant", "power", "step"})
    CHECK(words(fmt::format("optimizer.schedule = {{ type = \"{}\" }}", schedule).c_str())
              .starts_with("'harmonium resume"));
  for (const char* length : {"num_epochs", "num_updates"})
    CHECK(
        words(fmt::format("training = {{ {} = 5 }}\noptimizer.schedule = {{ type = \"cosine\", final = 0.0 }}", length)
                  .c_str())
            .starts_with(fmt::format("'harmonium train RUN/config.toml --output LONGER --set training.{}=N'", length)));
}

}  // namespace overfitting_test
