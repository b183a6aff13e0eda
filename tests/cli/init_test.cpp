#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/tests/support/data.hpp>

#include "files.hpp"

namespace init_test {

using namespace harmonium::testing;

namespace {

/// Bars and stripes of side 3, as bytes of two values.
std::vector<std::uint8_t> bars_and_stripes(std::uint8_t on) {
  std::vector<std::uint8_t> values;
  for (int kind = 0; kind < 2; ++kind)
    for (int lines = 0; lines < (kind == 0 ? 8 : 7); ++lines)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) values.push_back(lines >> (kind == 0 ? r : c) & 1 ? on : 0);
  values.resize(14 * 9);  // all ones and all zeros were in both kinds
  return values;
}

std::vector<double> numbers(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

TEST_CASE("what init writes for a data file of any known kind is trained as it stands") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "data");
  folder.write("data/bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  folder.write("data/gray.npy", npy_bytes(3, 2, {0.0, 0.25, 0.5, 1.0, 0.75, 0.0}));
  folder.write("data/bytes.idx", idx_bytes(14, 9, bars_and_stripes(200)));
  folder.write_gzipped("data/bits.idx.gz", idx_bytes(14, 9, bars_and_stripes(1)));
  folder.write_gzipped("data/bits.npy.gz", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  for (const char* name : {"bits.npy", "gray.npy", "bytes.idx", "bits.idx.gz", "bits.npy.gz"}) {
    CAPTURE(name);
    const Outcome written =
        run(folder, {"init", "data/" + std::string(name), "--output", "data/c.toml", "--overwrite"});
    CHECK(written.status == 0);
    CHECK(written.out == "");
    CHECK(written.err == "");
    const std::string config = content_of(folder / "data/c.toml");
    CHECK(config.find("path = \"" + std::string(name) + "\"\n") != std::string::npos);
    const bool gray = name[0] == 'g' || name[1] == 'y';
    CHECK((config.find("binarize = \"threshold\"") != std::string::npos) == gray);
    const Outcome trained =
        run(folder, {"train", "data/c.toml", "--output", "run", "--overwrite", "--set", "training.num_epochs=1"});
    CHECK(trained.err == "");
    CHECK(trained.status == 0);
    const Outcome shown = run(folder, {"init", "data/" + std::string(name)});
    folder.write("shown.toml", shown.out);
    CHECK(run(folder, {"train", "shown.toml", "--output", "run", "--overwrite", "--set", "training.num_epochs=1"})
              .status == 0);
  }
}

TEST_CASE("init makes bits of levels by their own range, and takes Gaussian units for real values") {
  const ScratchFolder folder;
  folder.write("levels.csv", "0,16,3\n5,0,1\n16,16,0\n0,3,9\n");
  const std::string levels = run(folder, {"init", "levels.csv"}).out;
  CHECK(levels.find("binarize = \"threshold\"") != std::string::npos);
  CHECK(levels.find("range = [0.0, 16.0]") != std::string::npos);
  folder.write("real.npy", npy_bytes(40, 2, [] {
                 std::vector<double> values;
                 values.reserve(80);
                 for (int i = 0; i < 80; ++i) values.push_back(10.0 * std::sin(i * i));
                 return values;
               }()));
  REQUIRE(run(folder, {"init", "real.npy", "--output", "real.toml"}).status == 0);
  const std::string real = content_of(folder / "real.toml");
  CHECK(real.find("standardize = true") != std::string::npos);
  CHECK(real.find("visible_units = \"gaussian\"") != std::string::npos);
  CHECK(run(folder, {"train", "real.toml", "--output", "run", "--set", "training.num_epochs=3"}).status == 0);
  CHECK(run(folder, {"evaluate", "run/model.h5"}).status == 0);
}

TEST_CASE("what init proposes learns the data") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  REQUIRE(run(folder, {"init", "bits.npy", "--output", "c.toml"}).status == 0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  const Outcome judged = run(folder, {"evaluate", "run/model.h5", "--data", "bits.npy", "--json"});
  // The entropy of 14 rows is 2.64 nats: no model is better. Independent pixels of mean 1/2 have 6.24.
  CHECK(nlohmann::json::parse(judged.out)["log_likelihood"].get<double>() > -3.0);
}

TEST_CASE("init writes what it is told to set, with every setting's meaning above it") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  const Outcome outcome = run(folder, {"init", "bits.npy", "--set", "model.num_hidden=7", "--set",
                                       "optimizer.momentum=0.5", "--set", "data.test_path=bits.npy", "--seed", "8"});
  check_golden("init", outcome.out);
  CHECK(outcome.out.find("\ntest_path = \"bits.npy\"\n") != std::string::npos);
  const auto told = [&](const Words& length) {
    Words words{"init", "bits.npy"};
    words.insert(words.end(), length.begin(), length.end());
    return run(folder, words);
  };
  const std::string text = told({"--epochs", "3"}).out;
  CHECK(text.find("\nnum_epochs = 3\n") != std::string::npos);
  CHECK(text == told({"--set", "training.num_epochs=3"}).out);
  check_refusal(told({"--epochs", "3", "--set", "training.num_updates=5"}), 2,
                "--epochs 3: --set training.num_updates=5 says how long the run is too. Leave one out.");
}

TEST_CASE("init takes what makes rows, as inspect does") {
  const ScratchFolder folder;
  REQUIRE(run(folder, {"init", "bars_and_stripes:side=4", "--output", "c.toml"}).status == 0);
  const std::string written = content_of(folder / "c.toml");
  CAPTURE(written);
  CHECK(written.starts_with("# bars_and_stripes:side=4: 30 rows of 16 bits.\n"));
  for (const char* line : {"type = \"bars_and_stripes\"", "side = 4", "num_visible = 16"})
    CHECK_MESSAGE(written.find(std::string("\n") + line + "\n") != std::string::npos, line);
  CHECK(written.find("\npath = ") == std::string::npos);
  CHECK(run(folder, {"train", "c.toml", "--output", "run", "--epochs", "1", "--quiet"}).status == 0);
  check_refusal(run(folder, {"init", "bars_and_stripes:size=4"}), 2, "*unknown option 'size'*");
  check_refusal(run(folder, {"init", "bars_and_stripes", "--set", "data.type=npy"}), 2,
                "--set data: bars_and_stripes says what data.type is. Leave it out.");
}

TEST_CASE("init takes settings of the data behind the file's name, and --set after them") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  const auto written = [&](Words words) {
    words.insert(words.begin(), "init");
    const Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  const std::string named = written({"bits.npy:validation=2,scale=1.0"});
  CHECK(named == written({"bits.npy", "--set", "data.validation=2", "--set", "data.scale=1.0"}));
  CHECK(named.find("\nvalidation = 2\n") != std::string::npos);
  CHECK(written({"bits.npy:validation=3", "--set", "data.validation=2"}) ==
        written({"bits.npy", "--set", "data.validation=2"}));
}

TEST_CASE("init names further files so that they are found from the configuration's own folder") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  folder.write("classes.npy", npy_bytes(14, 1, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  std::filesystem::create_directory(folder / "runs");
  REQUIRE(run(folder, {"init", "bits.npy", "--set", "data.labels=classes.npy", "--set", "training.num_epochs=1",
                       "--output", "runs/c.toml"})
              .status == 0);
  const std::string written = content_of(folder / "runs/c.toml");
  CHECK(written.find("path = \"../bits.npy\"") != std::string::npos);
  CHECK(written.find("labels = \"../classes.npy\"") != std::string::npos);
  CHECK(run(Surroundings{folder / "runs"}, {"train", "c.toml", "--output", "run"}).status == 0);
}

TEST_CASE("init refuses what train would refuse") {
  const ScratchFolder folder;
  folder.write("real.npy", npy_bytes(2, 2, {-1.5, 0.0, 3.0, 0.5}));
  const auto refused = [&](const Words& more, int status, std::string_view pattern) {
    Words words{"init"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), status, pattern);
  };
  CHECK(run(folder, {"init", "real.npy", "--set", "data.binarize=threshold"}).status == 0);
  refused({"none.npy"}, 2, "[data] path 'none.npy': no such file");
  refused({"."}, 2, ".: a folder, not a file. Name the data file in it.");
  refused({}, 2, "init: DATA is missing. See 'harmonium init --help'.");
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  refused({"bits.npy", "--set", "model.num_hiden=3"}, 2,
          "--set model.num_hiden=3: model 'rbm': unknown option 'num_hiden' (did you mean 'num_hidden'?). *");
  refused({"bits.npy", "--set", "data.path=x"}, 2,
          "--set data: the file bits.npy says what data.path is. Leave it out.");
  refused({"bits.npy:validation"}, 2, "bits.npy:validation: 'validation' is no KEY=VALUE. *");
  refused({"bits.npy:path=x"}, 2, "--set data: the file bits.npy says what data.path is. Leave it out.");
  refused({"bits.npy:validation=2", "--output", "./bits.npy", "--overwrite"}, 2,
          "--output ./bits.npy: that is the data. *");
  refused({"bits.npy", "--overwrite"}, 2, "init: --overwrite says what to do with a file, and there is none. *");
  refused({"bits.npy", "--output", "bits.npy", "--overwrite"}, 2, "--output bits.npy: that is the data. *");
  folder.write("c.toml", "mine");
  refused({"bits.npy", "--output", "c.toml"}, 2,
          "--output c.toml: the file exists already. Take another name, or add --overwrite.");
  CHECK(content_of(folder / "c.toml") == "mine");
}

namespace {

/// Rows of `columns` numbers, by row and column.
template <class Number>
std::string csv_of(int rows, int columns, const Number& number) {
  std::string text;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) text += std::to_string(number(r, c)) + (c + 1 < columns ? "," : "\n");
  return text;
}

int bit(int r, int c) { return (r * 7 + c * c * 5 + r * c) % 11 < 5 ? 1 : 0; }

std::vector<double> bars_as(double off, double on) {
  std::vector<double> values = numbers(bars_and_stripes(1));
  for (double& v : values) v = v == 1 ? on : off;
  return values;
}

/// Whether each of these lines is in a configuration.
void check_lines(const std::string& config, const Words& lines) {
  CAPTURE(config);
  for (const std::string& line : lines) CHECK_MESSAGE(config.find("\n" + line + "\n") != std::string::npos, line);
}

}  // namespace

TEST_CASE("init proposes spins for -1 and 1, and they learn as bits do") {
  const ScratchFolder folder;
  folder.write("spins.npy", npy_bytes(14, 9, bars_as(-1, 1)));
  REQUIRE(run(folder, {"init", "spins.npy", "--output", "c.toml"}).status == 0);
  const std::string config = content_of(folder / "c.toml");
  check_lines(config, {"visible_units = \"spin\"", "learning_rate = 0.1", "std = 0.25", "type = \"exact\""});
  CHECK(config.find("standardize") == std::string::npos);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  const Outcome judged = run(folder, {"evaluate", "run/model.h5", "--data", "spins.npy", "--json"});
  CHECK(nlohmann::json::parse(judged.out)["log_likelihood"].get<double>() > -3.0);
}

TEST_CASE("init leaves out the energies that sample adds, where nobody says what is read, and names them") {
  const ScratchFolder folder;
  std::string rows = "a,b,c,energy\n";
  for (int r = 0; r < 40; ++r)
    rows += fmt::format("{},{},{},{}\n", r % 2 * 2 - 1, r / 2 % 2 * 2 - 1, r / 4 % 2 * 2 - 1, -0.37 * r);
  folder.write("s.csv", rows);
  const Outcome without = run(folder, {"init", "s.csv", "--output", "c.toml"});
  CHECK(
      like(without.err,
           "harmonium: note: s.csv: its last column is called 'energy', as 'sample --energies' calls what it adds, and "
           "is left out: ignore = [\"energy\"]. --set 'data.ignore=[]' takes it.\n"));
  check_lines(content_of(folder / "c.toml"), {"ignore = [\"energy\"]", "num_visible = 3", "visible_units = \"spin\""});
  CHECK(run(folder, {"train", "c.toml", "--output", "run", "--epochs", "1", "--quiet"}).status == 0);
  const Outcome with = run(folder, {"init", "s.csv", "--set", "data.ignore=[]"});
  CHECK(with.out.find("num_visible = 4") != std::string::npos);
  CHECK(with.err.find("left out") == std::string::npos);
}

TEST_CASE("init proposes no centering for a model of layers without biases, or with one for all units") {
  const ScratchFolder folder;
  std::vector<double> spins;  // more than are enumerated: chains are proposed
  for (int k = 0; k < 40 * 25; ++k) spins.push_back(k * k % 7 < 3 ? 1 : -1);
  folder.write("spins.npy", npy_bytes(40, 25, spins));
  const Words words{"init",
                    "spins.npy",
                    "--output",
                    "c.toml",
                    "--overwrite",
                    "--set",
                    "model.type=layered",
                    "--set",
                    "model.terms=[{type=\"lattice\",layer=\"s\",shape=[5,5],uniform=true}]",
                    "--set"};
  for (const bool bias : {false, true}) {
    Words own = words;
    own.push_back(fmt::format("model.layers=[{{name=\"s\",units=\"spin\",bias={}}}]", bias));
    const Outcome outcome = run(folder, own);
    CHECK_MESSAGE(outcome.status == 0, outcome.err);
    CHECK((content_of(folder / "c.toml").find("\ncentering = true") != std::string::npos) == bias);
  }
  Words shared = words;
  shared.push_back("model.layers=[{name=\"s\",units=\"spin\"}]");
  *std::ranges::find_if(shared, [](const std::string& w) { return w.starts_with("model.terms="); }) =
      "model.terms=[{type=\"lattice\",layer=\"s\",shape=[5,5],uniform=true},{type=\"bias\",layer=\"s\",uniform=true}]";
  const Outcome outcome = run(folder, shared);
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(content_of(folder / "c.toml").find("\ncentering = true") == std::string::npos);
}

TEST_CASE("init takes sequences by the sites and letters that they have") {
  const ScratchFolder folder;
  const auto file_of = [&](const char* name, std::string letters) {
    std::string text;
    for (int r = 0; r < 30; ++r) {
      text += ">s\n";
      for (int c = 0; c < 5; ++c) text += letters[(r * r + 3 * c * r + c) % letters.size()];
      text += "\n";
    }
    folder.write(name, text);
  };
  const auto check = [&](const char* name, const std::string& alphabet, const std::string& states) {
    CAPTURE(name);
    const Outcome outcome = run(folder, {"init", name, "--output", "c.toml", "--overwrite"});
    CHECK(outcome.err == "");
    check_lines(content_of(folder / "c.toml"), {"alphabet = \"" + alphabet + "\"", "num_visible = 5",
                                                "type = \"categorical\"", "num_states = " + states});
    const Outcome trained =
        run(folder, {"train", "c.toml", "--output", "run", "--overwrite", "--set", "training.num_epochs=2"});
    const bool weighed = content_of(folder / "c.toml").find("reweight = 0.2") != std::string::npos;
    CHECK(weighed == (alphabet != "dna"));
    CHECK(like(
        trained.err,
        weighed
            ? "harmonium: note: reweight = 0.2: 30 training sequences count as * (M_eff, *).\n"
              "harmonium: note: log likelihood of all rows, *; all rows weigh alike in it, whatever data.reweight.\n"
            : ""));
    CHECK(trained.status == 0);
  };
  file_of("d.fasta", "ACGT-");
  file_of("r.fasta", "acgu.");
  file_of("p.fasta", "ACDEFGHIKLMNPQRSTVWY-");
  check("d.fasta", "dna", "5");
  check("r.fasta", "rna", "5");
  check("p.fasta", "protein", "21");
  check_lines(run(folder, {"init", "d.fasta", "--set", "data.alphabet=protein"}).out,
              {"alphabet = \"protein\"", "num_states = 21"});
  // Units of another kind are taken, and remarked on.
  const Outcome trained =
      run(folder, {"train", "c.toml", "--output", "run", "--overwrite", "--set", "model.visible_units=binary", "--set",
                   "model.num_visible=105", "--set", "data.reweight=0", "--set", "training.num_epochs=1"});
  CHECK(trained.status == 0);
  CHECK(
      trained.err ==
      "harmonium: note: each row is 5 sites of 21 states, a single 1 in each, and binary units know nothing of sites. "
      "Categorical units do: model.num_visible = 5, model.visible_units = { type = \"categorical\", num_states = 21 "
      "}.\n");
}

TEST_CASE("init gives labels that are named a layer of their own") {
  const ScratchFolder folder;
  folder.write("rows.csv", csv_of(60, 5, [](int r, int c) { return c == 4 ? r % 3 : bit(r, c); }));
  REQUIRE(run(folder, {"init", "rows.csv", "--set", "data.label_column=last", "--output", "c.toml"}).status == 0);
  check_lines(content_of(folder / "c.toml"), {"num_visible = 4", "num_labels = 3"});
  CHECK(run(folder, {"train", "c.toml", "--output", "run", "--set", "training.num_epochs=1"}).status == 0);
  const Outcome judged = run(folder, {"evaluate", "run/model.h5", "--data", "rows.csv", "--json"});
  CHECK(nlohmann::json::parse(judged.out)["accuracy"].is_number());
}

TEST_CASE("init takes gray values for numbers where bits would lose them") {
  const ScratchFolder folder;
  // Levels about the middle of their range: a threshold keeps 2/pi of a normal law's variance, and of this one less than 3/4.
  std::vector<std::uint8_t> gray;
  gray.reserve(50 * 4);
  for (int i = 0; i < 50 * 4; ++i)
    gray.push_back(static_cast<std::uint8_t>(127 + 40 * std::sin(i * i) + 30 * std::sin(i)));
  folder.write("gray.idx", idx_bytes(50, 4, gray));
  REQUIRE(run(folder, {"init", "gray.idx", "--output", "c.toml"}).status == 0);
  check_lines(content_of(folder / "c.toml"),
              {"standardize = true", "visible_units = \"gaussian\"", "learn_precision = true"});
  CHECK(content_of(folder / "c.toml").find("% of their variance: too little, so that they are taken as numbers.") !=
        std::string::npos);
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run"});
  CHECK(trained.err == "");
  CHECK(trained.status == 0);
}

TEST_CASE("init leaves out what the components that are asked for do not know") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  const Outcome outcome = run(folder, {"init", "bits.npy", "--set", "estimator.type=exact", "--set",
                                       "model.type=fully_visible", "--set", "optimizer.type=adam"});
  CHECK(outcome.err == "");
  for (const char* unknown : {"gibbs_steps", "num_hidden", "learning_rate ="})
    CHECK_MESSAGE(outcome.out.find(unknown) == std::string::npos, unknown);
  // Labels that are named are not left out without a word.
  folder.write("rows.csv", csv_of(60, 5, [](int r, int c) { return c == 4 ? r % 3 : bit(r, c); }));
  check_refusal(
      run(folder, {"init", "rows.csv", "--set", "data.label_column=last", "--set", "model.type=fully_visible"}), 2,
      "*model 'fully_visible': unknown option 'num_labels'*");
}

TEST_CASE(
    "init proposes a layer for each kind of column where these have scales of their own, with classes and without") {
  const ScratchFolder folder;
  std::string rows = "smoker,old,age,risk\n";
  const char* const risks[] = {"low", "middle", "high"};
  for (int r = 0; r < 120; ++r)
    rows += fmt::format("{},{},{},{}\n", bit(r, 0), bit(r, 1), 20.5 + r * r % 61, risks[r % 3]);
  folder.write("patients.csv", rows);
  for (const Words& more :
       {Words{}, Words{"--set", "data.label_column=risk"}, Words{"--set", "data.ignore=[\"risk\"]"}}) {
    CAPTURE(more.size());
    Words words{"init", "patients.csv", "--output", "c.toml"};
    words.insert(words.end(), more.begin(), more.end());
    std::filesystem::remove(folder / "c.toml");
    const Outcome outcome = run(folder, words);
    CHECK(outcome.status == 0);
    CHECK(like(outcome.err, "harmonium: note: patients.csv: a table whose columns have units of their own kinds. *\n"));
    const std::string config = content_of(folder / "c.toml");
    CHECK(config.find("type = \"table\"") != std::string::npos);
    CHECK((config.find("label_column = \"risk\"") != std::string::npos) ==
          (more.size() == 2 && more[1].find("label") < 10));
    CHECK(run(folder, {"train", "c.toml", "--output", "run", "--overwrite", "--epochs", "1", "--quiet"}).status == 0);
  }
}

TEST_CASE("init writes to a folder that is there, and says so of another") {
  const ScratchFolder folder;
  folder.write("bits.csv", "0,1\n1,0\n1,1\n0,0\n");
  check_refusal(run(folder, {"init", "bits.csv", "--output", "none/c.toml"}), 1,
                "--output none/c.toml: there is no folder none. Create it first.");
}

TEST_CASE("init asks where values could mean one thing or another") {
  const ScratchFolder folder;
  const auto asked = [&](const char* name, const std::string& content, std::string_view question, const Words& answer) {
    CAPTURE(name);
    folder.write(name, content);
    check_refusal(run(folder, {"init", name, "--output", "c.toml"}), 2, question);
    CHECK_FALSE(std::filesystem::exists(folder / "c.toml"));
    if (answer.empty()) return;
    Words words{"init", name, "--output", "c.toml"};
    words.insert(words.end(), answer.begin(), answer.end());
    const Outcome answered = run(folder, words);
    CHECK(answered.err == "");
    CHECK(run(folder, {"train", "c.toml", "--output", "run", "--overwrite", "--set", "training.num_epochs=1"}).status ==
          0);
    std::filesystem::remove(folder / "c.toml");
  };
  asked("counted.csv", csv_of(200, 4, [](int r, int c) { return c == 0 ? r : bit(r, c); }),
        "*counted.csv: column 1 (counted from 1) counts the rows, from 0 to 199. Take it out of the file.", {});
  asked("classes.csv", csv_of(90, 4, [](int r, int c) { return c == 3 ? r % 3 : 0.5 * ((r * r + c * r) % 23); }),
        "*classes.csv: its last column holds the whole numbers from 0 to 2, about as often each: are they classes? If "
        "so, "
        "add --set data.label_column=last. If they are values like the others, take them as such: --set "
        "data.standardize=true.",
        {"--set", "data.label_column=last"});
  for (const Words& answer : {Words{"--set", "data.binarize=threshold", "--set", "data.range=[1, 5]"},
                              Words{"--set", R"(model.visible_units={type="levels",num_states=5,low=1})"}})
    asked("ranks.csv", csv_of(60, 4, [](int r, int c) { return 1 + (r * r + 2 * c * r + c) % 5; }),
          "*ranks.csv: its values are the whole numbers from 1 to 5, and what they stand for is not to be seen. Of "
          "names of states subtract 1, so that they count from 0; of amounts make bits (--set data.binarize=threshold "
          "--set 'data.range=[1, 5]') or numbers (--set "
          "data.standardize=true); of ranks, or spins of several levels, make units of these (--set "
          "'model.visible_units={type=\"levels\",num_states=5,low=1}').",
          answer);
  asked("black.csv", "0,5\n1,6\n7,8\n", "*black.csv: its values are the whole numbers from 0 to 8, *", {});
  check_refusal(run(folder, {"init", "black.csv", "--set", "data.binarize=threshold"}), 2,
                "*black.csv: every value is 0 after data.binarize (look at data.range): there is nothing to learn.");
  asked(
      "one.csv", "3\n5\n4\n",
      "*one.csv: it has a single column, so that there is nothing to couple. If it holds the classes or the weights of "
      "another file's rows, give that file, and add --set data.labels or data.weights with the name of this.",
      {});
  asked("row.csv", "-1,1,1\n", "*row.csv: it has a single row, and nothing can be learned of one. Give more.", {});
  asked("same.csv", "2,2\n2,2\n", "*same.csv: every value is 2: there is nothing to learn.", {});
  asked("edges.csv", "3 2\n1 2 0.5\n2 3 -1\n",
        "edges.csv: a file of edges, and not of rows. 'harmonium import edges.csv --output MODEL.h5' makes a model "
        "of it (with --negate where its energy is +w s s, as of a maximum cut).",
        {});
}

TEST_CASE("of an array of columns of several kinds init and inspect name the file that is read by these") {
  const ScratchFolder folder;
  std::vector<double> values;
  std::string text = "smoker,older,age,height\n";
  for (int r = 0; r < 60; ++r) {
    const double age = 20.25 + (r * r * 7) % 41, height = r % 9 == 0 ? NAN : 150.5 + (r * r * 5 + r) % 37;
    for (const double v : {double(bit(r, 0)), double(bit(r, 1)), age, height}) values.push_back(v);
    text += fmt::format("{},{},{},{}\n", bit(r, 0), bit(r, 1), age, height);
  }
  folder.write("people.npy", npy_bytes(60, 4, values));
  folder.write("people.csv", text);
  const std::string way =
      "Written as a CSV file with a line of names (numpy.savetxt with delimiter and header), which 'harmonium "
      "init FILE.csv --set data.type=table' takes, each column has units of its kind, real ones standardized.";
  check_refusal(run(folder, {"init", "people.npy", "--set", "data.missing=nan"}), 2,
                "*people.npy: column 1 (counted from 1) goes from 0 to 1 and column * one kind of unit does not serve "
                "both. *. " +
                    way);
  CHECK(run(folder, {"inspect", "people.npy"})
            .out.find("note: columns of 0 and 1 stand beside real ones, and are taken for numbers like these. " +
                      way) != std::string::npos);
  check_refusal(run(folder, {"init", "people.csv"}), 1,
                "*people.csv:2: field 4 ('height') is nan (a finite number expected). If that means that nothing was "
                "seen, set data.missing = \"nan\".");
  const Outcome made = run(folder, {"init", "people.csv", "--set", "data.type=table", "--output", "p.toml"});
  CHECK_MESSAGE(made.status == 0, made.err);
  const std::string written = content_of(folder / "p.toml");
  for (const char* line : {"type = \"table\"", "type = \"mixed\"", "missing = \"nan\""})
    CHECK(written.find(line) != std::string::npos);
  CHECK(run(folder, {"train", "p.toml", "--output", "run", "--epochs", "1"}).status == 0);
}

TEST_CASE("init takes what is empty in a file with a column of classes as not seen, in that column too") {
  const ScratchFolder folder;
  const auto file = [&](const char* name, const auto& entry, const auto& word) {
    std::string text = "a,b,c,color\n";
    for (int r = 0; r < 40; ++r) text += fmt::format("{},{},{},{}\n", bit(r, 0), entry(r), bit(r, 2), word(r));
    folder.write(name, text);
  };
  const auto whole = [](int r) { return std::to_string(bit(r, 1)); };
  const auto holed = [](int r) { return r == 1 ? std::string() : std::to_string(bit(r, 1)); };
  const auto color = [](int r) { return r % 2 == 0 ? "red" : "blue"; };
  const auto some = [](int r) { return r == 2 ? "" : r % 2 == 0 ? "red" : "blue"; };
  file("entries.csv", holed, color);
  file("classes.csv", whole, some);
  file("both.csv", holed, some);
  file("whole.csv", whole, color);
  for (const std::string name : {"entries.csv", "classes.csv", "both.csv"}) {
    CAPTURE(name);
    const Outcome made =
        run(folder, {"init", name, "--set", "data.label_column=color", "--output", "c.toml", "--overwrite"});
    REQUIRE_MESSAGE(made.status == 0, made.err);
    CHECK(made.err.find(name + ": entries or classes are empty, and are taken as not seen: missing = \"nan\".") !=
          std::string::npos);
    const std::string written = content_of(folder / "c.toml");
    check_lines(written, {"type = \"csv\"", "label_column = \"color\"", "missing = \"nan\"", "num_labels = 2"});
    const Outcome trained =
        run(folder, {"train", "c.toml", "--output", "run", "--overwrite", "--quiet", "--epochs", "1"});
    CHECK_MESSAGE(trained.status == 0, trained.err);
  }
  const Outcome made = run(folder, {"init", "whole.csv", "--set", "data.label_column=color"});
  CHECK(made.err == "");
  CHECK(made.out.find("missing") == std::string::npos);
  // What is said goes.
  check_refusal(
      run(folder, {"init", "classes.csv", "--set", "data.label_column=color", "--set", "data.missing=refuse"}), 1,
      "*classes.csv:4: field 4 ('color') is empty (a class expected). *");
  // Another mistake is told as it is.
  folder.write("short.csv", "a,b,color\n0,1,red\n,1,blue\n1,red\n");
  check_refusal(run(folder, {"init", "short.csv", "--set", "data.label_column=color"}), 1, "*short.csv:*");
}

TEST_CASE("one of two settings that exclude each other replaces the other, in a proposal and in a file") {
  const ScratchFolder folder;
  std::vector<double> rows;
  for (int r = 0; r < 1200; ++r)
    for (int c = 0; c < 6; ++c) rows.push_back(bit(r, c));
  folder.write("rows.npy", npy_bytes(1200, 6, rows));
  folder.write("other.npy", npy_bytes(14, 6, std::vector<double>(rows.begin(), rows.begin() + 14 * 6)));
  const auto written = [&](const Words& more) {
    Words words{"init", "rows.npy", "--output", "c.toml", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == "");
    return content_of(folder / "c.toml");
  };
  std::string config = written({"--set", "data.validation_path=other.npy"});
  CHECK(config.find("\nvalidation = ") == std::string::npos);
  check_lines(config, {"validation_path = \"other.npy\"", "num_epochs = 834"});
  config = written({"--set", "training.num_updates=5"});
  CHECK(config.find("\nnum_epochs = ") == std::string::npos);
  check_lines(config, {"validation = 120", "num_updates = 5"});
  // Rows are those of the file, and epochs of what is trained on: 10,000 updates of batches of 100.
  config = written({"--set", "data.validation=0.5"});
  CHECK(config.find("rows.npy: 1200 rows of 6 bits.") != std::string::npos);
  check_lines(config, {"num_epochs = 1667"});
  check_lines(written({"--set", "data.validation=0"}), {"num_epochs = 834"});
  const Outcome trained =
      run(folder, {"train", "c.toml", "--output", "run", "--set", "training.num_updates=3", "--quiet"});
  CHECK(trained.err == "");
  CHECK(trained.status == 0);
  // Both by hand is still a mistake.
  check_refusal(run(folder, {"train", "c.toml", "--output", "new", "--set", "training.num_updates=3", "--set",
                             "training.num_epochs=3"}),
                2, "*'num_epochs' and 'num_updates' are both given*");
}

TEST_CASE("what init writes for few rows is trained under any split of them") {
  const ScratchFolder folder;
  folder.write("bits.csv", csv_of(30, 4, [](int r, int c) { return bit(r, c); }));
  folder.write("many.csv", csv_of(1000, 4, [](int r, int c) { return bit(r, c); }));
  std::string kinds = "smoker,age,risk\n";
  for (int r = 0; r < 120; ++r)
    kinds += fmt::format("{},{},{}\n", bit(r, 0), 20.5 + r * r % 61, r % 3 == 0 ? "low" : "high");
  folder.write("kinds.csv", kinds);
  for (const char* name : {"bits.csv", "kinds.csv", "many.csv"})
    for (const char* share : {"0.1", "0.5", "0.9"}) {
      CAPTURE(name);
      CAPTURE(share);
      REQUIRE(run(folder, {"init", name, "--output", "c.toml", "--overwrite", "--quiet"}).status == 0);
      const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--overwrite", "--quiet", "--epochs",
                                           "1", "--set", std::string("data.validation=") + share});
      CHECK(trained.err == "");
      CHECK(trained.status == 0);
    }
  CHECK(run(folder, {"init", "many.csv"}).out.find("\nbatch_size = 100\n") == std::string::npos);
  folder.write("more.csv", csv_of(1200, 4, [](int r, int c) { return bit(r, c); }));
  CHECK(run(folder, {"init", "more.csv"}).out.find("\nbatch_size = 100\n") != std::string::npos);
}

TEST_CASE("init sets rows aside from 200 on, a fifth of few and a tenth of many, and says so") {
  const ScratchFolder folder;
  const auto written = [&](int rows, const Words& more = {}) {
    folder.write("bits.csv", csv_of(rows, 4, [](int r, int c) { return bit(r, c); }));
    Words words{"init", "bits.csv", "--output", "c.toml", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(run(folder, words).status == 0);
    return content_of(folder / "c.toml");
  };
  CHECK(written(199).find("\nvalidation = ") == std::string::npos);
  const std::pair<int, const char*> parts[] = {{200, "40"}, {499, "99"}, {999, "100"}, {1010, "101"}};
  for (const auto& [rows, part] : parts)
    check_lines(written(rows),
                {"# These rows, drawn at random, are left out of training, so that learning by heart can be seen. 0: "
                 "train on all rows.",
                 std::string("validation = ") + part});
  // 10,000 updates, of all rows and of those that are left.
  check_lines(written(200, {"--set", "data.validation=0"}), {"validation = 0", "num_epochs = 5000"});
  check_lines(written(200), {"num_epochs = 5000"});
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--epochs", "1", "--quiet"});
  CHECK(trained.err == "");
  REQUIRE(trained.status == 0);
  const auto judged = nlohmann::json::parse(run(folder, {"evaluate", "run", "--json"}).out);
  CHECK(judged["splits"]["training"]["num_samples"] == 160);
  CHECK(judged["splits"]["validation"]["num_samples"] == 40);
}

TEST_CASE("train names init to somebody who gives it data") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  folder.write("rows.csv", "0,1\n1,0\n");
  for (const char* command : {"train", "explain", "check"})
    for (const std::string name : {"bits.npy", "rows.csv"})
      check_refusal(run(folder, {command, name}), 2,
                    name + ": a file of data, not a configuration. 'harmonium init " + name +
                        " --output CONFIG.toml' writes one for it.");
}

TEST_CASE("bits that are asked for are told apart from bits in the file") {
  const ScratchFolder folder;
  folder.write("gray.npy", npy_bytes(3, 2, {0.0, 0.25, 0.5, 1.0, 0.75, 0.0}));
  CHECK(run(folder, {"init", "gray.npy", "--set", "data.binarize=threshold"})
            .out.find("gray.npy: 3 rows of 2 values, of which data.binarize makes bits.") != std::string::npos);
}

TEST_CASE("a table about pairs is no table of samples") {
  const ScratchFolder folder;
  std::string pairs, sorted;
  for (int i = 1; i < 8; ++i)
    for (int j = i + 1; j < 8; ++j) {
      pairs += std::to_string(i) + " " + std::to_string(j) + " " + std::to_string(0.1 * ((i * j * 7) % 11)) + "\n";
      sorted += std::to_string(i) + " " + std::to_string(j % 3) + " " + std::to_string(0.1 * ((i * j * 7) % 11)) + "\n";
    }
  folder.write("pairs.csv", pairs);
  check_refusal(run(folder, {"init", "pairs.csv"}), 2,
                "*pairs.csv: its first two columns number pairs, all of them once, as of the entries of a matrix: *");
  CHECK(run(folder, {"init", "pairs.csv", "--set", "data.standardize=true"}).status == 0);
  folder.write("sorted.csv", sorted);  // by its first column, as many a table of measurements
  CHECK(run(folder, {"init", "sorted.csv"}).err.find("number pairs") == std::string::npos);
}

TEST_CASE("what init proposes for few neurons learns what they have in common") {
  const auto spikes = data_file("neuro/spikes15-idx2-ubyte.gz");
  if (!spikes) return;
  const ScratchFolder folder;
  REQUIRE(run(folder, {"init", spikes->string(), "--output", "c.toml"}).status == 0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const Outcome judged = run(folder, {"evaluate", "run/model.h5", "--data", spikes->string(), "--json"});
  // Independent neurons have -4.5536 nats, the pairwise machine -4.4869 at its best.
  CHECK(nlohmann::json::parse(judged.out)["log_likelihood"].get<double>() > -4.505);
}

TEST_CASE("init signs what an expert would on real files") {
  const auto some = data_file("optdigits/optdigits.tra.gz");
  if (!some) return;
  const std::filesystem::path data = some->parent_path().parent_path();
  const ScratchFolder folder;
  const auto proposed = [&](const char* file, const Words& lines, const Words& more = {}) {
    CAPTURE(file);
    Words words{"init", (data / file).string(), "--output", "c.toml", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == "");
    check_lines(content_of(folder / "c.toml"), lines);
  };
  const auto asked = [&](const char* file, std::string_view question) {
    check_refusal(run(folder, {"init", (data / file).string()}), 2, question);
  };
  proposed("optdigits/optdigits.tra.gz",
           {"binarize = \"threshold\"", "range = [0.0, 16.0]", "num_visible = 64", "num_labels = 10"},
           {"--set", "data.label_column=last"});
  proposed("neuro/spikes15-idx2-ubyte.gz", {"num_visible = 15", "num_hidden = 30", "learning_rate = 0.4"});
  proposed("patches/kodak_grey_12x12-idx3-ubyte.gz",
           {"whiten = \"zca\"", "whiten_epsilon = 0.02", "visible_units = \"gaussian\"", "learn_precision = true",
            "std = 0.1", "hidden_bias = -3.0", "type = \"cd\"", "momentum = 0.9", "strength = 0.0007"});
  proposed("protein/PF00014_mgap6.fasta.gz",
           {"alphabet = \"protein\"", "reweight = 0.2", "num_visible = 53", "num_hidden = 106", "num_states = 21"});
  proposed("mnist/t10k-images-idx3-ubyte.gz", {"binarize = \"threshold\"", "num_visible = 784", "num_hidden = 500"});
  asked("optdigits/optdigits.tes.gz", "*its last column holds the whole numbers from 0 to 9, about as often each: *");
  asked("mnist/t10k-labels-idx1-ubyte.gz", "*it has a single column, *");
  asked("protein/PF00014_tab_cont.txt.gz", "*its first two columns number pairs, all of them once, *");
  asked("protein/PF00014_weights.txt.gz", "*it has a single column, *");
  asked("spinglass/be/be100.1.txt.gz", "*a file of edges, and not of rows. *");
  asked("spinglass/be/be100.1.cut.txt.gz", "*it has a single row, *");
}

TEST_CASE("init says of the estimator and of centering what holds of the model") {
  const ScratchFolder folder;
  std::string rows;  // of 24 columns, which are too many for the sum over all states
  for (int r = 0; r < 60; ++r)
    for (int c = 0; c < 24; ++c)
      rows += fmt::format("{}{}", (r * (c + 3) + r * r) % 7 < 3 ? 1 : 0, c < 23 ? "," : "\n");
  folder.write("rows.csv", rows);
  const auto written = [&](const Words& settings) {
    Words words{"init", "rows.csv"};
    for (const std::string& s : settings) words.insert(words.end(), {"--set", s});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("\ncentering = true\n") != std::string::npos);
    return outcome.out;
  };
  const auto says = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  const char *on_hidden = "without it hidden units may all become one", *on_chains = "# \"cd\" is quicker at first";
  const std::string rbm = written({});
  CHECK(says(rbm, on_hidden));
  CHECK(says(rbm, on_chains));
  const std::string without_chains = written({"estimator.type=pseudo_likelihood"});
  CHECK(says(without_chains, on_hidden));
  CHECK_FALSE(says(without_chains, on_chains));
  const std::string visible = written({"model.type=fully_visible"});
  CHECK_FALSE(says(visible, on_hidden));
  CHECK(says(visible, on_chains));
  const std::string neither = written({"model.type=fully_visible", "estimator.type=pseudo_likelihood"});
  CHECK_FALSE(says(neither, on_hidden));
  CHECK_FALSE(says(neither, on_chains));
}

}  // namespace init_test
