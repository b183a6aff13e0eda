// sample --clamp label=CLASS: whether the model itself gives the rows that were drawn to the class that they were drawn given.
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"
#include "judged.hpp"

namespace drawn_classes_test {

using namespace harmonium::testing;

namespace {

/// "run", a machine of rows that are all 0 and of class "sea" or all 1 and of class "land", but for one bit in ten.
class TwoModes : public ScratchFolder {
 public:
  static constexpr unsigned bits = 40;

  TwoModes() {
    std::string rows;
    for (unsigned c = 0; c < bits; ++c) rows += fmt::format("x{},", c);
    rows += "kind\n";
    for (unsigned r = 0; r < 60; ++r) {
      for (unsigned c = 0; c < bits; ++c)
        rows += (r * 7 + c * 3) % 10 == 0 ? fmt::format("{},", 1 - r % 2) : fmt::format("{},", r % 2);
      rows += r % 2 == 0 ? "sea\n" : "land\n";
    }
    write("d.csv", rows);
    write("c.toml",
          "precision = \"float64\"\ndata = { type = \"csv\", path = \"d.csv\", label_column = \"kind\" }\n"
          "model = { type = \"rbm\", num_visible = 40, num_hidden = 4, num_labels = 2 }\nestimator = \"pcd\"\n"
          "training = { num_epochs = 60, batch_size = 10 }\n");
    REQUIRE(run(*this, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  }

  /// What `sample` says on standard error, and the share and the mean p(label | x) of what it wrote, by `evaluate`.
  struct Said {
    std::string out, err;
    double accuracy, probability;
  };
  Said sampled(Words more) const {
    more.insert(more.begin(), {"sample", "run", "--num-samples", "30", "--output", "s.csv", "--seed", "1"});
    const Outcome outcome = run(*this, more);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto judged = evaluated(*this, {"run", "--data", "s.csv", "--log-z", "none", "--rows", "r.csv"});
    const auto lines = csv_fields(*this / "r.csv");
    double probability = 0.0;
    for (std::size_t r = 1; r < lines.size(); ++r) probability += std::exp(std::stod(lines[r].back())) / 30.0;
    REQUIRE(lines[0].back() == "label_log_likelihood");
    return {outcome.out, outcome.err, judged["accuracy"].get<double>(), probability};
  }
};

std::string share(const TwoModes::Said& said) {
  return fmt::format(
      "label: the model itself gives {:.0f} of 30 rows to the class that they were drawn given; mean p(label | the "
      "rest) "
      "of that class {:.2g}\n",
      30.0 * said.accuracy, said.probability);
}

}  // namespace

TEST_CASE("rows that are drawn given their class tell how many of them the model gives to it") {
  const TwoModes folder;
  const auto well = folder.sampled({"--clamp", "label=land", "--steps", "200"});
  CHECK(well.probability > 0.5);
  CHECK(well.out == share(well));
  CHECK(well.err.find("Under the model's law") == std::string::npos);
  // From rows of the other class a chain does not come away in one step.
  std::string rows;
  for (unsigned c = 0; c < TwoModes::bits; ++c) rows += fmt::format("{}x{}", c ? "," : "", c);
  rows += "\n1";
  for (unsigned c = 1; c < TwoModes::bits; ++c) rows += ",1";
  folder.write("ones.csv", rows + "\n");
  const auto stuck = folder.sampled({"--clamp", "label=sea", "--start", "ones.csv", "--steps", "1"});
  CHECK(stuck.accuracy == 0.0);
  CHECK(stuck.out == share(stuck));
  CHECK(
      like(stuck.err, fmt::format("*note: mean p(label | the rest) of the class that rows were drawn given is {:.2g}, "
                                  "less than of one of 2 classes at random. Under the model's law it is at least *",
                                  stuck.probability)));
}

TEST_CASE("nothing is said of classes that were drawn, or held beside other units") {
  const TwoModes folder;
  for (const Words& more : {Words{"--steps", "20"}, Words{"--steps", "20", "--clamp", "label=sea", "--clamp", "x0=1"}})
    CHECK(folder.sampled(more).out.empty());
}

}  // namespace drawn_classes_test
