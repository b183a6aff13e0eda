// What transform makes of rows with labels, and of stacks.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace unlabeled_rows_test {

using namespace harmonium::testing;

namespace {

/// Eight rows of three bits, each with a class behind it where `label` gives one.
std::string rows(int (*label)(int), bool with_labels) {
  std::string text;
  for (int r = 0; r < 60; ++r)
    text += fmt::format("{},{},{}{}\n", r % 2, r / 2 % 2, r / 4 % 2, with_labels ? fmt::format(",{}", label(r)) : "");
  return text;
}

class Labeled : public ScratchFolder {
 public:
  Labeled() {
    write("with.csv", rows([](int r) { return r % 2 + r / 2 % 2; }, true));
    write("other.csv", rows([](int r) { return (r % 2 + r / 2 % 2 + 1) % 3; }, true));
    write("without.csv", rows(nullptr, false));
    write("y0.csv", rows([](int) { return 0; }, true));
    write("y1.csv", rows([](int) { return 1; }, true));
    write("y2.csv", rows([](int) { return 2; }, true));
    REQUIRE(run(*this, {"init", "with.csv", "--set", "data.label_column=last", "--output", "c.toml"}).status == 0);
    REQUIRE(run(*this, {"train", "c.toml", "--output", "run", "--quiet", "--set", "training.num_epochs=200"}).status ==
            0);
  }
  std::vector<std::vector<double>> transformed(const std::string& data, const Words& more) const {
    Words words{"transform", "run", data, "--output", "out.csv", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(*this, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    std::vector<std::vector<double>> numbers;
    auto fields = csv_fields(*this / "out.csv");
    for (auto line = fields.begin() + 1; line != fields.end(); ++line) {
      numbers.emplace_back();
      for (const std::string& word : *line) numbers.back().push_back(std::stod(word));
    }
    return numbers;
  }
};

}  // namespace

TEST_CASE("classes of rows with holes are told, with classes in the file and without") {
  const Labeled folder;
  folder.write("holes.csv", "0,1,1\n,1,1\n0,,\n");
  folder.write("labeled.csv", "0,1,1,2\n,1,1,0\n0,,,1\n");
  const Words asked{"--layer", "label", "--set", "data.missing=nan"};
  const auto p = folder.transformed("holes.csv", asked);
  REQUIRE(p.size() == 3);
  CHECK(p == folder.transformed("labeled.csv", asked));
  folder.write("first.csv", "0,1,1\n1,1,1\n");
  const auto whole = folder.transformed("first.csv", {"--layer", "label"});
  for (std::size_t y = 0; y < 3; ++y) {
    CHECK(p[0][y] == doctest::Approx(whole[0][y]).epsilon(1e-12));
    // A mean of what the two ways to fill it in say.
    CHECK(p[1][y] >= std::min(whole[0][y], whole[1][y]) - 1e-12);
    CHECK(p[1][y] <= std::max(whole[0][y], whole[1][y]) + 1e-12);
  }
  check_refusal(
      run(folder, {"transform", "run", "holes.csv", "--draws", "--output", "o.csv", "--set", "data.missing=nan"}), 2,
      "*holes.csv: entries are missing, and --draws is of latent units given complete rows. 'harmonium sample * "
      "--clamp holes.csv --num-samples 3 --steps 1000 --output filled.csv' draws what is missing, and 'harmonium "
      "transform * filled.csv --draws --output o.csv' then takes these rows. Without --draws there are means given "
      "what was seen of each row. --layer label tells the classes of rows with holes as they are.");
  // The two commands go together.
  REQUIRE(run(folder, {"sample", "run", "--clamp", "holes.csv", "--num-samples", "3", "--steps", "10", "--output",
                       "filled.csv", "--quiet"})
              .status == 0);
  CHECK(run(folder, {"transform", "run", "filled.csv", "--draws", "--output", "o.csv"}).status == 0);
}

TEST_CASE("features of rows with holes that are filled in as transform advises know nothing of the class") {
  const Labeled folder;
  // Of files without a header, as that of the model's own rows.
  std::string zeros = "1,0,1,1\n", ones = zeros;
  for (int r = 1; r < 40; ++r) {
    zeros += ",0,1,0\n";
    ones += ",0,1,1\n";
  }
  folder.write("zeros.csv", zeros);
  folder.write("ones.csv", ones);
  check_refusal(
      run(folder, {"transform", "run", "ones.csv", "--draws", "--output", "o.csv", "--set", "data.missing=nan"}), 2,
      "*ones.csv: entries are missing, and --draws is of latent units given complete rows. 'harmonium sample * --clamp "
      "ones.csv --clamp label=free --num-samples 40 --steps 1000 --output filled.csv' draws what is missing without "
      "looking at the class, and 'harmonium transform * filled.csv --draws --output o.csv' then takes these rows. "
      "Without --draws there are means*");
  check_refusal(run(folder, {"transform", "run", "ones.csv", "--given-label", "--draws", "--output", "o.csv", "--set",
                             "data.missing=nan"}),
                2,
                "*'harmonium sample * --clamp ones.csv --num-samples 40 --steps 1000 --output filled.csv' draws what "
                "is missing, and 'harmonium transform * filled.csv --given-label --draws --output o.csv' then*");
  // Means need none of that: the first rows lack nothing, and the others are all alike.
  const Words missing{"--set", "data.missing=nan"};
  CHECK(folder.transformed("zeros.csv", missing) == folder.transformed("ones.csv", missing));
  const Words given{"--set", "data.missing=nan", "--given-label"};
  CHECK(folder.transformed("zeros.csv", given) != folder.transformed("ones.csv", given));
  const std::string held = "the classes of its rows are held too";
  const auto features = [&](const std::string& file, bool free) {
    Words words{"sample", "run", "--clamp", file, "--num-samples", "40", "--steps", "100", "--output", "filled.csv"};
    if (free) words.insert(words.end(), {"--clamp", "label=free"});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK((outcome.err.find(held) != std::string::npos) == !free);
    return folder.transformed("filled.csv", {});
  };
  CHECK(features("zeros.csv", true) == features("ones.csv", true));
  CHECK(features("zeros.csv", false) != features("ones.csv", false));  // the class says what x0 was
  const Outcome complete = run(
      folder, {"sample", "run", "--clamp", "with.csv", "--num-samples", "60", "--steps", "1", "--output", "same.csv"});
  CHECK(complete.status == 0);
  CHECK(complete.err.find(held) == std::string::npos);  // nothing is drawn
  Words twos{"sample",        "run", "--clamp", "ones.csv", "--clamp",  "label=2",
             "--num-samples", "4",   "--steps", "1",        "--output", "twos.csv"};
  check_refusal(run(folder, twos), 2,
                "--clamp label=2: unit label[0] is given by row 0 (counted from 0) of ones.csv already. Give each unit "
                "once: leave one of the two out, or add --clamp 'label=free', which leaves the file's out.");
  twos.insert(twos.end(), {"--clamp", "label=free"});
  const Outcome named = run(folder, twos);
  CHECK(named.status == 0);
  CHECK(named.err.find(held) == std::string::npos);
}

TEST_CASE("classes are told of rows with many holes by sums where latent states are few, else by chains") {
  const ScratchFolder folder;
  std::string header, whole;
  for (int c = 0; c < 18; ++c) {
    header += fmt::format("x{},", c);
    whole += c % 2 == 0 ? "0," : "1,";
  }
  folder.write("d.csv", header + "kind\n" + whole + "0\n1" + whole.substr(1) + "1\n");
  folder.write("c.toml",
               "[data]\ntype = \"csv\"\npath = \"d.csv\"\nlabel_column = \"kind\"\n[model]\ntype = \"rbm\"\n"
               "num_visible = 18\nnum_hidden = 17\nnum_labels = 2\n[estimator]\ntype = \"pcd\"\n[training]\n"
               "num_epochs = 1\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "few", "--set", "model.num_hidden=2"}).status == 0);
  // One row is complete; others have one entry, or two.
  header.back() = '\n';
  whole.back() = '\n';
  const std::string lacks_17 = "1" + std::string(17, ',') + "\n", lacks_16 = "1,0" + std::string(16, ',') + "\n";
  folder.write("one.csv", header + whole + lacks_17);
  std::string many = header + whole;
  for (int r = 0; r < 3000; ++r) many += lacks_16;
  folder.write("many.csv", many);
  const auto asked = [](const char* model, const char* data) {
    return Words{"transform", model, data, "--layer", "label", "--output", "o.csv", "--set", "data.missing=nan"};
  };
  const std::string sums = "by the free energy of each class (exact)";
  const auto line = [&](const char* model, const char* data) {
    Words words = asked(model, data);
    words.insert(words.end(), {"--steps", "10", "--chains", "2"});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  CHECK(like(line("run", "one.csv"),
             "o.csv: probabilities of layer 'label' given each row, 2 x 2, " + sums +
                 ", but 1 row estimated by 2 chains of 10 steps each, standard errors up to * (--errors FILE writes "
                 "them)\n"));
  CHECK(line("few", "one.csv").ends_with(sums + "\n"));
  CHECK(line("few", "many.csv").ends_with(sums + "\n"));
}

TEST_CASE("the likelihood of rows without classes is that of the rest, summed over the classes") {
  const Labeled folder;
  const auto log_likelihood = [&](const char* file, bool unlabeled) {
    const Outcome outcome = run(folder, {"evaluate", "run", "--data", file, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto found = nlohmann::json::parse(outcome.out);
    CHECK(found["accuracy"].is_null() == unlabeled);
    return found["log_likelihood"].get<double>();
  };
  folder.write("one.csv", "1,0,1\n");
  double sum = 0.0;
  for (const char* y : {"0", "1", "2"}) {
    folder.write("one_y.csv", std::string("1,0,1,") + y + "\n");
    sum += std::exp(log_likelihood("one_y.csv", false));
  }
  CHECK(log_likelihood("one.csv", true) == doctest::Approx(std::log(sum)).epsilon(1e-12));
  CHECK(like(
      run(folder, {"evaluate", "run", "--data", "one.csv"}).err,
      "harmonium: note: *one.csv: the rows have no class; likelihoods are of the rest, summed over the classes. Give "
      "classes by --set data.labels=FILE, or by --set data.label_column=NAME, where a column of the file has them.\n"));
}

TEST_CASE("who evaluates rows without classes is told how to give them, in words that work") {
  const Labeled folder;
  folder.write("rows.npy", npy_bytes(2, 3, {1, 0, 1, 0, 0, 1}));
  folder.write("rows.idx", idx_bytes(2, 3, {1, 0, 1, 0, 0, 1}));
  folder.write("rows.csv", "1,0,1\n0,0,1\n");
  folder.write("classes.csv", "0\n2\n");
  for (const char* file : {"rows.npy", "rows.idx", "rows.csv"}) {
    CAPTURE(file);
    const Outcome without = run(folder, {"evaluate", "run", "--data", file});
    CHECK(without.err.find(" Give classes by --set data.labels=FILE") != std::string::npos);
    CHECK((without.err.find("data.label_column=NAME") != std::string::npos) == (std::string(file) == "rows.csv"));
    const Outcome given =
        run(folder, {"evaluate", "run", "--data", file, "--set", "data.labels=classes.csv", "--json"});
    INFO(given.err);
    REQUIRE(given.status == 0);
    CHECK(given.err.find("no class") == std::string::npos);
    CHECK(nlohmann::json::parse(given.out)["accuracy"].is_number());
  }
  // A column that the file names otherwise than the model's data.
  folder.write("named.csv", "a,b,c,sort\n1,0,1,0\n0,0,1,2\n");
  const Outcome column =
      run(folder, {"evaluate", "run", "--data", "named.csv", "--set", "data.label_column=sort", "--json"});
  INFO(column.err);
  REQUIRE(column.status == 0);
  CHECK(nlohmann::json::parse(column.out)["accuracy"].is_number());
}

TEST_CASE("rows without classes are reconstructed with those that the model finds the most probable") {
  const Labeled folder;
  const auto p = folder.transformed("without.csv", {"--layer", "label"});
  const auto drawn = [&](const std::string& what, const std::string& data) {
    const Outcome outcome = run(folder, {"draw", "run", "--what", what, "--data", data, "--output", "p.png"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK((outcome.err.find("without.csv: the rows have no classes; each is drawn with the one that is the most "
                            "probable given the rest of it.") != std::string::npos) == (data == "without.csv"));
    return content_of(folder / "p.png");
  };
  std::string told, others;
  for (std::size_t r = 0; r < p.size(); ++r) {
    const auto best = std::max_element(p[r].begin(), p[r].end()) - p[r].begin();
    const std::string row = fmt::format("{},{},{},", r % 2, r / 2 % 2, r / 4 % 2);
    told += row + fmt::format("{}\n", best);
    others += row + fmt::format("{}\n", (best + 1) % 3);
  }
  folder.write("told.csv", told);
  folder.write("others.csv", others);
  for (const char* what : {"reconstructions", "data"}) CHECK(drawn(what, "without.csv") == drawn(what, "told.csv"));
  CHECK(drawn("reconstructions", "without.csv") != drawn("reconstructions", "others.csv"));
}

TEST_CASE("rows that lack some classes are counted") {
  const Labeled folder;
  // Classes as columns, of which the first and the last row lack theirs.
  const double none = std::numeric_limits<double>::quiet_NaN();
  folder.write("part.npy", npy_bytes(3, 6, {1, 0, 1, none, none, none, 0, 1, 1, 0, 1, 0, 1, 1, 0, none, none, none}));
  const Outcome outcome = run(folder, {"evaluate", "run", "--data", "part.npy:missing=nan", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.find("2 of 3 rows have no class; likelihoods are of the rest") != std::string::npos);
  CHECK(nlohmann::json::parse(outcome.out)["accuracy"].is_number());
  folder.write("gray.csv", "0.2,0.4,0.9\n0.7,0.5,0.1\n");
  CHECK(run(folder, {"evaluate", "run", "--data", "gray.csv", "--set", "data.binarize=each_epoch"})
            .err.find("bits that were drawn once of gray values") != std::string::npos);
}

TEST_CASE("features of a model with labels are those of the rest of a row, labels summed out") {
  const Labeled folder;
  const auto found = folder.transformed("with.csv", {});
  CHECK(found == folder.transformed("other.csv", {}));
  CHECK(found == folder.transformed("without.csv", {}));
  const auto p = folder.transformed("without.csv", {"--layer", "label"});
  std::vector<std::vector<std::vector<double>>> given;
  for (const char* file : {"y0.csv", "y1.csv", "y2.csv"}) given.push_back(folder.transformed(file, {"--given-label"}));
  double largest = 0.0;
  for (std::size_t r = 0; r < found.size(); ++r)
    for (std::size_t j = 0; j < found[r].size(); ++j) {
      double mean = 0.0;
      for (std::size_t y = 0; y < 3; ++y) mean += p[r][y] * given[y][r][j];
      CHECK(found[r][j] == doctest::Approx(mean).epsilon(1e-5));
      largest = std::max(largest, std::abs(given[0][r][j] - given[1][r][j]));
    }
  CHECK(largest > 1e-3);  // the label counts where it is taken
  check_refusal(run(folder, {"transform", "run", "with.csv", "--data", "with.csv", "--output", "x.csv"}), 2,
                "transform: the rows are named twice*");
  CHECK(run(folder, {"transform", "run", "--data", "with.csv", "--output", "x.csv"}).out ==
        fmt::format("x.csv: means of layer 'hidden' given each row, 60 x {}, labels summed out, in closed form (exact; "
                    "--given-label takes those of the data)\n",
                    found[0].size()));
}

TEST_CASE("of a file without a header and without classes no column is taken for the class") {
  const Labeled folder;
  REQUIRE(run(folder, {"train", "c.toml", "--output", "plain", "--quiet", "--set", "model.num_labels=0", "--set",
                       "training.num_epochs=20"})
              .status == 0);
  const auto rows_of = [&](const std::string& data) {
    const Outcome outcome =
        run(folder, {"evaluate", "plain", "--data", data, "--rows", "rows.csv", "--log-z", "exact", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK((outcome.err.find("without.csv: has 3 columns, just those that the model observes, so none is taken for the "
                            "class.") != std::string::npos) == (data == "without.csv"));
    return csv_fields(folder / "rows.csv");
  };
  auto with = rows_of("with.csv");
  CHECK(with[0][1] == "class");
  for (Words& row : with) row.erase(row.begin() + 1);
  CHECK(with == rows_of("without.csv"));
  // Who says where the class is is taken at the word.
  check_refusal(run(folder, {"evaluate", "plain", "--data", "without.csv", "--set", "data.label_column=last"}), 2,
                "*2 columns*but the model has 3 observed ones*");
  CHECK(like(run(folder, {"evaluate", "run", "--data", "without.csv"}).out, "*accuracy*: the rows have no classes.*"));
}

TEST_CASE("of rows of another length without labels the number of columns is told first") {
  const Labeled folder;
  folder.write("wide.npy", npy_bytes(2, 5, bit_rows(2, 5)));
  check_refusal(
      run(folder, {"evaluate", "run", "--data", "wide.npy"}), 2,
      "[data] *wide.npy has 5 columns, but the model has 3 observed ones beside those of its layer 'label', and "
      "6 with them. Set the model's size to the data's, or take other data.");
}

TEST_CASE("a class that is left empty is refused, or told and summed over as one that was not seen") {
  const Labeled folder;
  folder.write("blank.csv", "1,0,1,\n0,0,1,1\n");
  folder.write("bare.csv", "1,0,1\n0,0,1\n");
  check_refusal(run(folder, {"transform", "run", "blank.csv", "--layer", "label", "--output", "o.csv"}), 1,
                "*blank.csv:1: field 4 is empty (a class expected). *set data.missing = \"nan\"*(transform, sample "
                "--clamp) leave the column out of the file.");
  const Words missing{"--set", "data.missing=nan"};
  const auto with = [&](Words words) {
    words.insert(words.end(), missing.begin(), missing.end());
    return words;
  };
  CHECK(folder.transformed("blank.csv", with({"--layer", "label"})) ==
        folder.transformed("bare.csv", {"--layer", "label"}));
  CHECK(folder.transformed("blank.csv", missing) == folder.transformed("bare.csv", {}));
  folder.write("hole.csv", "1,,1,\n");
  // Both the hole and the class are summed out.
  folder.write("classes.csv", "1,,1,0\n");
  CHECK(folder.transformed("hole.csv", missing) == folder.transformed("classes.csv", missing));
  // The row without a class counts by the rest of it, the other one with its class.
  const auto likelihood = [&](const std::string& data) {
    const Outcome outcome = run(folder, with({"evaluate", "run", "--data", data, "--json", "--rows", "rows.csv"}));
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return std::pair(nlohmann::json::parse(outcome.out)["log_likelihood"].get<double>(), outcome.err);
  };
  folder.write("first.csv", "1,0,1\n");
  folder.write("second.csv", "0,0,1,1\n");
  const double first = likelihood("first.csv").first, second = likelihood("second.csv").first;
  const auto both = likelihood("blank.csv");
  CHECK(both.first == doctest::Approx((first + second) / 2).epsilon(1e-9));
  CHECK(both.second.find("1 of 2 rows have no class; likelihoods are of the rest") != std::string::npos);
  const auto lines = csv_fields(folder / "rows.csv");
  REQUIRE(lines.size() == 3);
  CHECK(lines[1][1] == "\"\"");
  CHECK(lines[2][1] == "1");
}

TEST_CASE("rows of which few have a class train a model that tells it of the others") {
  const ScratchFolder folder;
  // The class is that of the first three bits, which agree; a bit of noise is beside them. One row of ten has it. A model that
  // learned nothing of it is right for half of the rows; that of any seed from 1 to 6 is right for all.
  std::string some, whole;
  for (int r = 0; r < 400; ++r) {
    const int kind = r / 10 % 2;
    const std::string row = fmt::format("{0},{0},{0},{1}", kind, r * r % 7 < 3 ? 1 : 0);
    some += fmt::format("{},{}\n", row, r % 10 == 0 ? (kind == 1 ? "yes" : "no") : "");
    whole += fmt::format("{},{}\n", row, kind == 1 ? "yes" : "no");
  }
  folder.write("some.csv", some);
  folder.write("whole.csv", whole);
  const Outcome begun = run(folder, {"init", "some.csv:label_column=last,missing=nan", "--output", "begun.toml"});
  REQUIRE_MESSAGE(begun.status == 0, begun.err);
  CHECK(content_of(folder / "begun.toml").find("\ntype = \"pcd\"\n") != std::string::npos);
  CHECK(like(run(folder, {"inspect", "some.csv:label_column=last"}).out, "*missing = \"nan\"*"));
  folder.write(
      "c.toml",
      "data = { type = \"csv\", path = \"some.csv\", label_column = \"last\", missing = \"nan\", validation = 80 "
      "}\nmodel = { type = \"rbm\", num_visible = 4, num_hidden = 4, num_labels = \"data\" }\n"
      "initializer = { type = \"normal\", std = 0.1 }\nestimator = { type = \"pcd\" }\n"
      "optimizer = { type = \"sgd\", learning_rate = 0.05, schedule = { type = \"linear\" } }\n"
      "training = { num_epochs = 300, batch_size = 20 }\n");
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--quiet"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  const Outcome judged = run(folder, {"evaluate", "run", "--data", "whole.csv", "--json"});
  REQUIRE_MESSAGE(judged.status == 0, judged.err);
  CHECK(nlohmann::json::parse(judged.out)["accuracy"].get<double>() > 0.95);
}

TEST_CASE("draws with labels summed out have the means of the law") {
  const Labeled folder;
  std::string many;
  for (int i = 0; i < 4000; ++i) many += "1,0,1\n";
  folder.write("many.csv", many);
  const auto means = folder.transformed("many.csv", {}), draws = folder.transformed("many.csv", {"--draws"});
  // Each within 5 standard errors: exceeded by one of some twenty means with probability 1e-5.
  for (std::size_t j = 0; j < means[0].size(); ++j) {
    double sum = 0.0;
    for (const auto& row : draws) sum += row[j] / 4000.0;
    CHECK(std::abs(sum - means[0][j]) < 5.0 * std::sqrt(means[0][j] * (1.0 - means[0][j]) / 4000.0) + 1e-6);
  }
}

TEST_CASE("log Z is left out where nobody asks for it, and accuracy is there all the same") {
  const Labeled folder;
  const Outcome outcome = run(folder, {"evaluate", "run", "--data", "with.csv", "--log-z", "none"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("accuracy") != std::string::npos);
  CHECK(outcome.out.find("it was not asked for (--log-z none)") != std::string::npos);
  check_refusal(run(folder, {"evaluate", "run", "--log-z", "none", "--effort", "2"}), 2, "--effort*--log-z none*");
}

}  // namespace unlabeled_rows_test
