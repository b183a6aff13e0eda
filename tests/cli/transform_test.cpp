#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/files/npy.hpp>
#include <harmonium/tests/support/tables.hpp>

#include "exclusive_or.hpp"
#include "files.hpp"

namespace transform_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// E[h_j | v] of the foreign model by adding up its hidden states.
double hidden_mean(unsigned v, unsigned j) {
  double on = 0.0, all = 0.0;
  for (unsigned h = 0; h < 4; ++h) {
    const double p = std::exp(-foreign_energy(v, h));
    all += p;
    if (h >> j & 1) on += p;
  }
  return on / all;
}

Outcome transformed(const ScratchFolder& folder, const Words& more) {
  Words words{"transform"};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

}  // namespace

TEST_CASE("transform writes the means of the latent units given each row") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const Outcome outcome = transformed(folder, {"m.h5", "d.npy", "--output", "h.npy"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(outcome.out ==
        "h.npy: means of layer 'hidden' given each row, 8 x 2, in closed form (posterior_mean, exact)\n");
  const Table means = read_npy(folder / "h.npy");
  REQUIRE(means.rows == 8);
  REQUIRE(means.cols == 2);
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned j = 0; j < 2; ++j) CHECK(means.at(v, j) == doctest::Approx(hidden_mean(v, j)).epsilon(1e-12));
  CHECK(transformed(folder, {"m.h5", "d.npy", "--output", "h.csv", "--quiet"}).out == "");
  CHECK(content_of(folder / "h.csv").starts_with("hidden[0],hidden[1]\n"));
  const auto rows = words_below_header(folder / "h.csv");
  REQUIRE(rows.size() == 8);
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned j = 0; j < 2; ++j) CHECK(std::stod(rows[v][j]) == means.at(v, j));
}

TEST_CASE("draws of transform have the law of the latent units, and are the same for any number of threads") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  constexpr unsigned copies = 2500;  // more rows than are transformed at once
  std::vector<double> rows;
  const std::vector<double> bits = bit_rows(8, 3);
  for (unsigned i = 0; i < copies; ++i) rows.insert(rows.end(), bits.begin(), bits.end());
  folder.write("d.npy", npy_bytes(8 * copies, 3, rows));
  const auto draw = [&](const char* output, const char* threads, const char* seed) {
    REQUIRE(transformed(folder, {"m.h5", "d.npy", "--draws", "--output", output, "--threads", threads, "--seed", seed})
                .status == 0);
    return content_of(folder / output);
  };
  const std::string one = draw("a.npy", "1", "5");
  CHECK(one == draw("b.npy", "2", "5"));
  CHECK(one != draw("c.npy", "2", "6"));
  const Table drawn = read_npy(folder / "a.npy");
  // 16 means of 2500 draws each: beyond 5 standard deviations once in 100 000 such tests. Draws of another row's law, or one
  // draw for all copies, are further away.
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned j = 0; j < 2; ++j) {
      double sum = 0.0;
      for (unsigned i = 0; i < copies; ++i) {
        const double x = drawn.at(8 * i + v, j);
        CHECK((x == 0.0 || x == 1.0));
        sum += x;
      }
      const double p = hidden_mean(v, j);
      CHECK(std::abs(sum / copies - p) < 5 * std::sqrt(p * (1 - p) / copies));
    }
}

TEST_CASE("coupled latent layers are added up where they can be, and mean field is used only where it is asked for") {
  const CliFolder folder;
  const auto trained = [&](const std::string& sizes, const char* output) {
    REQUIRE(run(folder, {"train", "small.toml", "--output", output, "--quiet", "--set",
                         fmt::format("model={{type=\"deep\", num_visible=9, num_hidden={}}}", sizes)})
                .status == 0);
  };
  trained("[4,3]", "small");
  trained("[20,20]", "large");
  const Words rows{"small", "bars_and_stripes"};
  CHECK(transformed(folder, {"small", "bars_and_stripes", "--layer", "hidden2", "--output", "e.npy"}).out ==
        "e.npy: means of layer 'hidden2' given each row, 14 x 3, by adding up all latent states (exact)\n");
  CHECK(transformed(folder,
                    {"small", "bars_and_stripes", "--layer", "hidden2", "--phase", "mean_field", "--output", "f.npy"})
            .out == "f.npy: means of layer 'hidden2' given each row, 14 x 3, by mean field (mean_field, not exact)\n");
  CHECK(content_of(folder / "e.npy") != content_of(folder / "f.npy"));
  // Of several layers the line says which one it is.
  CHECK(transformed(folder, {"small", "bars_and_stripes", "--output", "g.npy"}).out ==
        "g.npy: means of layer 'hidden1' (the first of 2; --layer hidden2 has the last one) given each row, 14 x 4, by "
        "adding up all latent states (exact)\n");
  const Words large{"large", "bars_and_stripes", "--output", "l.npy"};
  check_refusal(
      transformed(folder, large), 2,
      "layer 'hidden1': latent units are coupled given the observed ones, and their states are too many to add up "
      "(more than 2^16). Add --phase mean_field for means that are approximate.");
  const auto refused = [&](const Words& more, const char* pattern) {
    Words words = large;
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(transformed(folder, words), 2, pattern);
  };
  refused({"--phase", "exact"},
          "--phase exact: the latent states are too many to add up (more than 2^16). Try mean_field.");
  refused({"--phase", "posterior_mean"},
          "--phase posterior_mean: latent units are coupled given the observed ones. Try exact.");
  refused({"--phase", "mean_feld"},
          "--phase mean_feld: there is no such way (did you mean 'mean_field'?). Known: posterior_mean, exact, "
          "mean_field.");
  refused({"--phase", "mean_field", "--draws"},
          "--phase mean_field: it gives means, and no draws. Leave --draws or --phase out.");
  refused(
      {"--layer", "hiden1"},
      "--layer hiden1: the model has no such latent layer, nor is it that of labels (did you mean 'hidden1'?). Known: "
      "hidden1, hidden2.");
  CHECK_FALSE(std::filesystem::exists(folder / "l.npy"));
  CHECK(transformed(folder, {"large", "bars_and_stripes", "--phase", "mean_field", "--output", "l.npy"}).status == 0);
}

TEST_CASE("the probabilities of classes need no labels, and are those that accuracy goes by") {
  const ScratchFolder folder;
  std::string with, without;
  for (int r = 0; r < 60; ++r) {
    const std::string x = fmt::format("{},{},{}", r % 2, r / 2 % 2, r / 4 % 2);
    with += fmt::format("{},{}\n", x, (r % 2 + r / 2 % 2));
    without += x + "\n";
  }
  folder.write("with.csv", with);
  folder.write("without.csv", without);
  REQUIRE(run(folder, {"init", "with.csv", "--set", "data.label_column=last", "--output", "c.toml"}).status == 0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet", "--set", "training.num_epochs=20"}).status ==
          0);
  CHECK(transformed(folder, {"run", "with.csv", "--layer", "label", "--output", "a.csv"}).out ==
        "a.csv: probabilities of layer 'label' given each row, 60 x 3, by the free energy of each class (exact)\n");
  REQUIRE(transformed(folder, {"run", "without.csv", "--layer", "label", "--output", "b.csv"}).status == 0);
  CHECK(content_of(folder / "a.csv") == content_of(folder / "b.csv"));
  CHECK(content_of(folder / "a.csv").starts_with("label=0,label=1,label=2\n"));
  const auto judged = run(folder, {"evaluate", "run", "--data", "with.csv"}).out;
  double right = 0.0, log_likelihood = 0.0;
  const auto rows = words_below_header(folder / "a.csv");
  for (int r = 0; r < 60; ++r) {
    double sum = 0.0;
    std::vector<double> p;
    for (const std::string& word : rows[static_cast<std::size_t>(r)]) p.push_back(std::stod(word));
    for (const double q : p) sum += q;
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-12));
    const auto own = static_cast<std::size_t>(r % 2 + r / 2 % 2);
    right += std::ranges::max_element(p) - p.begin() == static_cast<std::ptrdiff_t>(own) ? 1.0 : 0.0;
    log_likelihood += std::log(p[own]) / 60;
  }
  CHECK(judged.find(fmt::format("accuracy {:>33.6f}", right / 60)) != std::string::npos);
  CHECK(judged.find(fmt::format("label_log_likelihood {:>21.6f}", log_likelihood)) != std::string::npos);
  check_refusal(transformed(folder, {"run", "with.csv", "--layer", "label", "--draws", "--output", "x.csv"}), 2,
                "--draws: of labels there are probabilities. Leave it out, or draw by 'harmonium sample --clamp FILE "
                "--clamp label=free'.");
  check_refusal(transformed(folder, {"run", "with.csv", "--layer", "label", "--phase", "exact", "--output", "x.csv"}),
                2, "--phase exact: the probabilities of labels are exact. Leave it out.");
  check_refusal(transformed(folder, {"run", "with.csv", "--output", "with.csv"}), 2,
                "--output with.csv: that is the file which the command reads (with.csv). Give another name.");
  check_refusal(transformed(folder, {"run", "with.csv", "--output", "x.h5"}), 2,
                "--output x.h5: rows are written as .npy or .csv. Give a name that ends so.");
}

TEST_CASE("a stack whose first machine has classes sums them out of its features, unless they are asked for") {
  const ScratchFolder folder;
  std::string with, other, without;
  for (int r = 0; r < 24; ++r) {
    const std::string x = fmt::format("{},{},{}", r % 2, r / 2 % 2, r / 4 % 2);
    with += fmt::format("{},{}\n", x, r % 2 + r / 2 % 2);
    other += fmt::format("{},{}\n", x, 2 - r % 3);
    without += x + "\n";
  }
  folder.write("with.csv", with);
  folder.write("other.csv", other);
  folder.write("without.csv", without);
  REQUIRE(run(folder, {"init", "with.csv", "--set", "data.label_column=last", "--output", "c.toml"}).status == 0);
  folder.write("s.toml",
               "base = \"c.toml\"\n[[machines]]\nmodel.num_hidden = 3\ntraining.num_epochs = 30\n"
               "[[machines]]\nmodel.num_hidden = 2\ntraining.num_epochs = 3\n");
  const Outcome made = run(folder, {"stack", "s.toml", "--output", "s", "--quiet"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  const auto features = [&](const char* model, const char* data, const Words& more) {
    Words words{model, data, "--output", "f.npy"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = transformed(folder, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    const Table table = read_npy(folder / "f.npy");
    std::vector<double> values;
    for (Index i = 0; i < table.rows * table.cols; ++i) values.push_back(table.at(i / table.cols, i % table.cols));
    return values;
  };
  // Those of the first machine by itself, which other tests hold against sums.
  const std::vector<double> alone = features("s/machine1", "with.csv", {}), stacked = features("s", "with.csv", {});
  REQUIRE(alone.size() == stacked.size());
  for (std::size_t i = 0; i < alone.size(); ++i) CHECK(stacked[i] == doctest::Approx(alone[i]).epsilon(1e-6));
  for (const char* layer : {"hidden1", "hidden2"}) {
    CAPTURE(layer);
    const std::vector<double> own = features("s", "with.csv", {"--layer", layer});
    CHECK(features("s", "other.csv", {"--layer", layer}) == own);
    CHECK(features("s", "without.csv", {"--layer", layer}) == own);
    CHECK(features("s", "with.csv", {"--layer", layer, "--given-label"}) != own);
    CHECK(features("s", "other.csv", {"--layer", layer, "--given-label"}) !=
          features("s", "with.csv", {"--layer", layer, "--given-label"}));
    CHECK(features("s", "other.csv", {"--layer", layer, "--draws"}) ==
          features("s", "without.csv", {"--layer", layer, "--draws"}));
  }
  CHECK(transformed(folder, {"s", "with.csv", "--output", "f.npy"})
            .out.find("labels summed out by the first machine, then each given the means below it") !=
        std::string::npos);
}

TEST_CASE("features of bits that are drawn each epoch are said to be of drawn bits") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("gray.npy", npy_bytes(8, 3, std::vector<double>(24, 0.5)));
  folder.write("bits.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto line = [&](const char* data) {
    return transformed(folder, {"m.h5", data, "--set", "data.binarize=each_epoch", "--output", "h.npy"}).out;
  };
  // 24 bits of probability 1/2 are the same in two epochs once in 2^24.
  CHECK(line("gray.npy") ==
        "h.npy: means of layer 'hidden' given each row, 8 x 2, in closed form (posterior_mean, exact); of rows whose "
        "bits "
        "were drawn once of gray values (data.binarize = \"each_epoch\"; threshold draws none)\n");
  CHECK(line("bits.npy") ==
        "h.npy: means of layer 'hidden' given each row, 8 x 2, in closed form (posterior_mean, exact)\n");
}

TEST_CASE("probabilities of classes that words name have these words") {
  const ScratchFolder folder;
  folder.write("rows.csv", "a,b,kind\n0,1,cat\n1,0,dog\n0,1,cat\n1,0,dog\n");
  folder.write("rows.toml", R"(data = { type = "csv", path = "rows.csv", label_column = "kind" }
model = { type = "rbm", num_visible = 2, num_hidden = 2, num_labels = 2 }
estimator = { type = "cd" }
training = { num_epochs = 2, batch_size = 2 }
)");
  REQUIRE(run(folder, {"train", "rows.toml", "--output", "run", "--quiet"}).status == 0);
  REQUIRE(transformed(folder, {"run", "rows.csv", "--layer", "label", "--output", "p.csv"}).status == 0);
  CHECK(csv_fields(folder / "p.csv")[0] == Words{"kind=cat", "kind=dog"});
}

TEST_CASE("--split transforms a part of a run's own rows, which are those that the run dealt") {
  const ScratchFolder folder;
  std::string text;
  for (int r = 0; r < 16; ++r) text += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, r >> 3 & 1);
  folder.write("x.csv", text);
  folder.write("x.toml",
               "precision = \"float64\"\n"
               "data = { type = \"csv\", path = \"x.csv\", validation = 5, test = 2 }\n"
               "model = { type = \"rbm\", num_visible = 4, num_hidden = 3 }\n"
               "estimator = \"exact\"\ntraining = { num_epochs = 3, batch_size = 3 }\n");
  REQUIRE(run(folder, {"train", "x.toml", "--output", "run", "--quiet"}).status == 0);
  const auto file = [&](const Words& rows, const char* output) {
    Words words{"run", "--output", output};
    words.insert(words.end(), rows.begin(), rows.end());
    const Outcome outcome = transformed(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  CHECK(like(
      file({"--split", "validation"}, "v.csv"),
      "v.csv: means of layer 'hidden' given each validation row, 5 x *, in closed form (posterior_mean, exact)\n"));
  file({"--split", "training"}, "training.csv");
  file({"--split", "test"}, "test.csv");
  file({"x.csv"}, "all.csv");
  // Each row of the file is in one part, in its order: 16 rows that are all unlike, and so are their means.
  const auto same = [](const Words& one, const Words& other) {
    return std::ranges::equal(one, other, [](const std::string& x, const std::string& y) {
      return std::abs(std::stod(x) - std::stod(y)) < 1e-12;
    });
  };
  const auto all = words_below_header(folder / "all.csv");
  REQUIRE(all.size() == 16);
  std::vector<std::size_t> had;
  const std::pair<const char*, std::size_t> parts[] = {{"training.csv", 9}, {"v.csv", 5}, {"test.csv", 2}};
  for (const auto& part : parts) {
    const auto rows = words_below_header(folder / part.first);
    REQUIRE(rows.size() == part.second);
    std::size_t r = 0;
    for (const Words& row : rows) {
      while (r < 16 && !same(row, all[r])) ++r;
      REQUIRE(r < 16);
      had.push_back(r++);
    }
  }
  std::ranges::sort(had);
  for (std::size_t r = 0; r < 16; ++r) CHECK(had[r] == r);
  // And they are the rows that evaluate judges by that name.
  REQUIRE(run(folder, {"evaluate", "run", "--split", "validation", "--rows", "f.csv"}).status == 0);
  const auto figures = words_below_header(folder / "f.csv"), validation = words_below_header(folder / "v.csv");
  REQUIRE(figures.size() == 5);
  for (std::size_t r = 0; r < 5; ++r) CHECK(same(validation[r], all.at(std::stoul(figures[r][0]))));

  const auto refused = [&](Words words, const char* pattern) {
    words.insert(words.begin(), {"transform", "run"});
    if (std::ranges::find(words, "--output") == words.end()) words.insert(words.end(), {"--output", "x.npy"});
    check_refusal(run(folder, words), 2, pattern);
  };
  refused({"--split", "tst"},
          "--split tst: the run has no such rows (did you mean 'test'?). It has: training, validation, test.");
  refused({"x.csv", "--split", "test"}, "--split test: DATA names the rows already. Leave one of the two out.");
  refused({"--split", "test", "--set", "data.scale=2"},
          "--split test: settings of data (--set data...) name rows of their own. Leave one of the two out.");
  refused({"--split", "test", "--output", "x.csv"},
          "--output x.csv: that is the file which the command reads (*x.csv). Give another name.");
  check_refusal(run(folder, {"evaluate", "run", "--split", "test", "--rows", "x.csv"}), 2,
                "--rows x.csv: that is the file which the command reads (*x.csv). Give another name.");
  write_foreign_model(folder / "m.h5");
  check_refusal(run(folder, {"transform", "m.h5", "--split", "test", "--output", "x.npy"}), 2,
                "m.h5: the model does not say which data it was trained on. Add --data FILE.");
}

TEST_CASE("--rows tells the number and the class of each row that transform writes, as evaluate has them") {
  const ScratchFolder folder;
  std::string text = "a,b,c,kind\n";
  for (int r = 0; r < 16; ++r)
    text += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, r % 3 == 0 ? "odd" : "even");
  folder.write("x.csv", text);
  folder.write("x.toml",
               "data = { type = \"csv\", path = \"x.csv\", label_column = \"kind\", validation = 5 }\n"
               "model = { type = \"rbm\", num_visible = 3, num_labels = 2, num_hidden = 2 }\n"
               "estimator = \"exact\"\ntraining = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "x.toml", "--output", "run", "--quiet"}).status == 0);
  const auto same_rows = [&](const Words& rows) {
    Words words{"run", "--output", "h.npy", "--rows", "t.csv"},
        judged{"evaluate", "run", "--log-z", "none", "--rows", "e.csv"};
    words.insert(words.end(), rows.begin(), rows.end());
    judged.insert(judged.end(), rows.begin(), rows.end());
    const Outcome outcome = transformed(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    REQUIRE(run(folder, judged).status == 0);
    const auto own = csv_fields(folder / "t.csv"), others = csv_fields(folder / "e.csv");
    REQUIRE(own.size() == others.size());
    CHECK(own[0] == Words{"row", "class"});
    CHECK(read_npy(folder / "h.npy").rows + 1 == own.size());
    for (std::size_t r = 0; r < own.size(); ++r) CHECK(own[r] == Words(others[r].begin(), others[r].begin() + 2));
    return own;
  };
  CHECK(same_rows({"--data", "x.csv"}).at(4) == Words{"3", "odd"});
  CHECK(same_rows({"--split", "training"}).size() == 12);
  same_rows({"--split", "validation"});
  // Of --layer label and --complete, too; and rows without classes have their numbers alone.
  for (const Words& more : {Words{"--layer", "label"}, {"--complete"}}) {
    Words words{"run", "x.csv", "--output", "h.csv", "--rows", "t.csv"};
    words.insert(words.end(), more.begin(), more.end());
    CHECK(transformed(folder, words).status == 0);
    CHECK(csv_fields(folder / "t.csv").at(16) == Words{"15", "odd"});
  }
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  CHECK(transformed(folder, {"m.h5", "d.npy", "--output", "h.npy", "--rows", "t.csv"}).status == 0);
  CHECK(content_of(folder / "t.csv") == "row\n0\n1\n2\n3\n4\n5\n6\n7\n");

  const auto refused = [&](const char* file, const char* pattern) {
    check_refusal(transformed(folder, {"m.h5", "d.npy", "--output", "h.npy", "--rows", file}), 2, pattern);
  };
  refused("h.npy", "--rows h.npy: --output names that file already. Give another name.");
  refused("d.npy", "--rows d.npy: that is the file which the command reads (d.npy). Give another name.");
  refused("t.txt", "--rows t.txt: numbers and classes of rows are written as .csv or .npy. Give a name that ends so.");
}

TEST_CASE("transform without rows names those of the training, and evaluate tells of bits that were drawn") {
  const ScratchFolder folder;
  REQUIRE(trained(folder, "run", {"training.num_epochs=1"}).status == 0);
  check_refusal(
      run(folder, {"transform", "run", "--output", "h.npy"}), 2,
      "transform: DATA is missing. Name the rows behind the model, by --data, or by --split; the model was trained on "
      "rows of */x.csv.");
  folder.write("gray.csv", "0.5,0.25,1\n0.75,0,0\n");
  const Outcome drawn = run(folder, {"evaluate", "run", "--data", "gray.csv", "--set", "data.binarize=each_epoch",
                                     "--set", "data.range=[0,1]"});
  INFO(drawn.err);
  CHECK(told(drawn, "the rows are bits that were drawn once of gray values"));
  CHECK(!told(run(folder, {"evaluate", "run"}), "drawn once"));
}

}  // namespace transform_test
