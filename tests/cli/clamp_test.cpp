#include <cmath>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace clamp_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Visible states of the foreign machine that were drawn, by number.
std::vector<double> shares(const std::filesystem::path& samples) {
  const Table rows = read_npy(samples);
  std::vector<double> share(8, 0.0);
  for (Index r = 0; r < rows.rows; ++r) {
    unsigned v = 0;
    for (Index c = 0; c < 3; ++c) v |= rows.at(r, c) == 1.0 ? 1u << c : 0u;
    share[v] += 1.0 / static_cast<double>(rows.rows);
  }
  return share;
}

/// Its exact law where the bits of `mask` are those of `value`.
std::vector<double> conditional(unsigned mask, unsigned value) {
  std::vector<double> p(8, 0.0);
  double sum = 0.0;
  for (unsigned v = 0; v < 8; ++v) {
    if ((v & mask) != value) continue;
    for (unsigned h = 0; h < 4; ++h) p[v] += std::exp(-foreign_energy(v, h));
    sum += p[v];
  }
  for (double& q : p) q /= sum;
  return p;
}

/// A share of n draws errs by √(p(1 − p)/n); 5 deviations of 8 shares are a false alarm in 5e-6.
void check_shares(const std::vector<double>& drawn, const std::vector<double>& law, double n) {
  for (unsigned v = 0; v < 8; ++v) {
    CAPTURE(v);
    CHECK(std::abs(drawn[v] - law[v]) <= 5.0 * std::sqrt(law[v] * (1.0 - law[v]) / n));
  }
}

std::vector<double> drawn_shares(const ScratchFolder& folder, const Words& clamps) {
  Words words{"sample", "m.h5", "--num-samples", "20000", "--steps", "60", "--output", "s.npy"};
  words.insert(words.end(), clamps.begin(), clamps.end());
  const Outcome outcome = run(folder, words);
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  return shares(folder / "s.npy");
}

}  // namespace

TEST_CASE("units that are clamped stay, and the others follow their law given them") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto drawn = [&](const Words& clamps) { return drawn_shares(folder, clamps); };
  check_shares(drawn({}), conditional(0, 0), 20000);
  check_shares(drawn({"--clamp", "visible[1]=1"}), conditional(2, 2), 20000);
  check_shares(drawn({"--clamp", "visible[0:2]=0"}), conditional(3, 0), 20000);
  check_shares(drawn({"--clamp", "visible[0]=1", "--clamp", "visible[2]=0"}), conditional(5, 1), 20000);
  CHECK(std::abs(drawn({"--clamp", "visible=1"})[7] - 1.0) < 1e-9);
  const auto exactly = [&](const char* clamp) { return drawn({"--sampler", "exact", "--clamp", clamp}); };
  check_shares(exactly("visible[1]=1"), conditional(2, 2), 20000);
  check_shares(exactly("visible[0]=1,visible[2]=0"), conditional(5, 1), 20000);

  // Rows of a file hold what they have seen; samples take them in turn.
  folder.write("holes.csv", "1,nan,0\nnan,1,nan\n");
  const Outcome outcome = run(folder, {"sample", "m.h5", "--num-samples", "40000", "--steps", "60", "--clamp",
                                       "holes.csv", "--output", "s.csv"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  std::vector<double> first(8, 0.0), second(8, 0.0);
  std::istringstream lines(content_of(folder / "s.csv"));
  std::string line;
  std::vector<std::string> rows;
  while (std::getline(lines, line))
    if (!line.empty() && (line[0] == '0' || line[0] == '1')) rows.push_back(line);
  REQUIRE(rows.size() == 40000);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const unsigned v = (rows[r][0] == '1' ? 1u : 0u) | (rows[r][2] == '1' ? 2u : 0u) | (rows[r][4] == '1' ? 4u : 0u);
    (r % 2 == 0 ? first : second)[v] += 1.0 / 20000;
  }
  check_shares(first, conditional(5, 1), 20000);
  check_shares(second, conditional(2, 2), 20000);
}

TEST_CASE("sample says where not all rows of a file are held in as many samples") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("rows.csv", "1,nan,0\nnan,1,nan\n0,0,nan\nnan,nan,1\n1,1,nan\n");
  const auto told = [&](const char* samples, const char* file = "rows.csv") {
    const Outcome outcome =
        run(folder, {"sample", "m.h5", "--num-samples", samples, "--steps", "1", "--clamp", file, "--output", "s.npy"});
    CHECK(outcome.status == 0);
    return outcome.err;
  };
  const std::string note = "harmonium: note: ";
  CHECK(told("2") == note +
                         "2 of the 5 rows of rows.csv: samples hold its rows in order. --num-samples 10 draws 2 for "
                         "each.\n");
  CHECK(told("1") == note +
                         "1 of the 5 rows of rows.csv: samples hold its rows in order. --num-samples 5 draws one for "
                         "each.\n");
  const std::string around =
      " of the 5 rows of rows.csv: they hold its rows in order, from the start again at its end, ";
  CHECK(told("7") == note + "7 samples" + around +
                         "so that the first 2 are held once more than the others. "
                         "--num-samples 10 draws 2 for each.\n");
  CHECK(told("11") == note + "11 samples" + around +
                          "so that the first is held once more than the others. "
                          "--num-samples 15 draws 3 for each.\n");
  CHECK(told("5") == "");
  CHECK(told("15") == "");
  CHECK(told("2", "rows.csv:rows=1:3") == "");
  CHECK(run(folder, {"sample", "m.h5", "--steps", "1", "--clamp", "rows.csv", "--output", "s.npy"}).err == "");
}

TEST_CASE("several units that are held may stand behind each other") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto drawn = [&](const Words& clamps) {
    Words words{"sample", "m.h5", "--num-samples", "20", "--steps", "9", "--output", "s.npy"};
    words.insert(words.end(), clamps.begin(), clamps.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return content_of(folder / "s.npy");
  };
  const std::string apart = drawn({"--clamp", "visible[0]=1", "--clamp", "visible[1:3]=0"});
  CHECK(drawn({"--clamp", "visible[0]=1,visible[1:3]=0"}) == apart);
  CHECK(drawn({"--clamp", "visible[0]=0,visible[1:3]=0"}) != apart);
}

TEST_CASE("units that are left free of a file's rows follow their law given the rest of the row") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("rows.csv", "1,1,0\n");
  const auto drawn = [&](const Words& clamps) { return drawn_shares(folder, clamps); };
  check_shares(drawn({"--clamp", "rows.csv", "--clamp", "visible[1]=free"}), conditional(5, 1), 20000);
  check_shares(drawn({"--clamp", "visible[1:3]=free", "--clamp", "rows.csv"}), conditional(1, 1), 20000);
  // A value holds what the file does not.
  check_shares(drawn({"--clamp", "rows.csv", "--clamp", "visible[1:3]=free", "--clamp", "visible[2]=1"}),
               conditional(5, 5), 20000);
}

TEST_CASE("units that go through their states are held in each of them in turn") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const Outcome outcome = run(folder, {"sample", "m.h5", "--num-samples", "40000", "--steps", "60", "--clamp",
                                       "visible[1:3]=each", "--output", "s.npy"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  const Table rows = read_npy(folder / "s.npy");
  std::vector<double> zeros(8, 0.0), ones(8, 0.0);
  for (Index r = 0; r < rows.rows; ++r) {
    unsigned v = 0;
    for (Index c = 0; c < 3; ++c) v |= rows.at(r, c) == 1.0 ? 1u << c : 0u;
    (r % 2 == 0 ? zeros : ones)[v] += 1.0 / 20000;
  }
  check_shares(zeros, conditional(6, 0), 20000);
  check_shares(ones, conditional(6, 6), 20000);
}

TEST_CASE("what cannot be clamped is refused") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto refused = [&](const Words& clamps, std::string_view pattern) {
    Words words{"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--output", "s.npy"};
    words.insert(words.end(), clamps.begin(), clamps.end());
    check_refusal(run(folder, words), 2, pattern);
  };
  refused(
      {"--clamp", "visable=1"},
      "--clamp visable=1: the model has no layer 'visable' (did you mean 'visible'?). Its layers: visible, hidden.");
  refused({"--clamp", "visible[3]=1"}, "--clamp visible[3]=1: layer 'visible' has the units 0 to 2.");
  refused({"--clamp", "visible[2:2]=1"}, "--clamp visible[2:2]=1: layer 'visible' has the units 0 to 2.");
  refused({"--clamp", "visible[a]=1"}, "--clamp visible[a]=1: units are whole numbers from 0: *");
  refused({"--clamp", "visible=2"}, "--clamp visible=2: a binary unit of layer 'visible' is one of 0, 1.");
  refused({"--clamp", "visible[]=1"},
          "--clamp visible[]=1: the list of units is empty. Write LAYER[UNIT]=VALUE, or LAYER=VALUE for all of them.");
  refused({"--clamp", ""}, "--clamp '': nothing is named. *");
  refused({"--clamp", "visible=on"}, "--clamp visible=on: 'on' is no number.");
  refused(
      {"--clamp", "visible[0]=1,0"},
      "--clamp visible[0]=1,0: '1,0' is no number. To hold several units write LAYER[UNIT]=VALUE,LAYER[UNIT]=VALUE, "
      "or --clamp twice.");
  refused({"--clamp", "visible[0]=1,visible[3]=1"}, "--clamp visible[3]=1: layer 'visible' has the units 0 to 2.");
  refused({"--clamp", "visible[0]=each", "--clamp", "hidden=each"},
          "--clamp hidden=each: other units go through their states already. Give one of them a value.");
  refused({"--clamp", "visible=each", "--thin", "3"},
          "--thin: --clamp LAYER=each gives each sample a state of its own, and --thin one chain to all of them. Leave "
          "one out.");
  refused({"--clamp", "none.csv"}, "*none.csv*no such file*");
  refused({"--clamp", "visible=free"},
          "--clamp LAYER=free: it draws units that a file of rows holds, and no file is given. Leave it out.");
  refused({"--clamp", "hidden=free"},
          "--clamp hidden=free: no file holds latent units, which are drawn where no value is given. Leave it out.");
  folder.write("a.csv", "1,nan,0\n");
  refused({"--clamp", "a.csv", "--clamp", "a.csv"}, "--clamp a.csv: a file of rows is given already. Give one.");
  refused({"--clamp", "a.csv", "--thin", "3"}, "--thin: a file by --clamp gives each sample a row of its own, *");
  refused(
      {"--clamp", "a.csv", "--sampler", "exact", "--set", "sampler.max_bits=0"},
      "sampler 'exact': enumeration of the units that are free would take 2^1 states, more than the limit of 2^0 *");
  folder.write("later.csv", "1,1,0\n1,nan,0\n");
  for (const char* file : {"a.csv", "later.csv"})
    CHECK(run(folder, {"sample", "m.h5", "--num-samples", "2", "--steps", "1", "--sampler", "exact", "--clamp", file,
                       "--output", "first.npy"})
              .status == 0);
  refused({"--set", "data.binarize=threshold"}, "--set data.binarize=threshold: no file is read. *");
  folder.write("wide.csv", "1,nan,0,1\n");
  refused({"--clamp", "a.csv:separator=comma,missing"}, "--clamp a.csv:*: 'missing' is no KEY=VALUE. *");
  refused({"--clamp", "a.csv:seperator=comma"}, "*unknown option 'seperator'*");
  refused({"--clamp", "wide.csv"}, "[data] *wide.csv has 4 columns, but the model has 3 observed ones. *");
}

TEST_CASE("a unit that is held twice is refused, and one of a file's rows may be left free for a value") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto refused = [&](const Words& clamps, std::string_view pattern) {
    for (Words words : {Words{"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--output", "s.npy"},
                        Words{"draw", "m.h5", "--what", "samples", "--steps", "1", "--output", "s.png"},
                        Words{"observe", "m.h5", "--exact"}, Words{"evaluate", "m.h5"}}) {
      CAPTURE(words.front());
      if (clamps.front().ends_with(".csv") && (words.front() == "observe" || words.front() == "evaluate")) continue;
      for (const std::string& clamp : clamps) words.insert(words.end(), {"--clamp", clamp});
      check_refusal(run(folder, words), 2, pattern);
    }
  };
  const std::string once = " already. Give each unit once.";
  refused({"visible[2]=1,visible[2]=0"}, "--clamp visible[2]=0: unit visible[2] is given by visible[2]=1" + once);
  refused({"visible[0:2]=1", "hidden[1]=1", "visible[1]=0"},
          "--clamp visible[1]=0: unit visible[1] is given by visible[0:2]=1" + once);
  refused({"visible[1]=0", "visible=1"}, "--clamp visible=1: unit visible[1] is given by visible[1]=0" + once);
  refused({"visible[0]=1", "visible[0]=1"}, "--clamp visible[0]=1: unit visible[0] is given by visible[0]=1" + once);
  refused({"hidden=1", "hidden[1]=0"}, "--clamp hidden[1]=0: unit hidden[1] is given by hidden=1" + once);
  check_refusal(run(folder, {"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--output", "s.npy", "--clamp",
                             "visible[1]=each", "--clamp", "visible=1"}),
                2, "--clamp visible=1: unit visible[1] is given by visible[1]=each" + once);
  // Of a file the units that any of its rows has seen.
  folder.write("holes.csv", "1,nan,nan\nnan,nan,0\n");
  refused({"holes.csv", "visible[1:3]=1"},
          "--clamp visible[1:3]=1: unit visible[2] is given by row 1 (counted from 0) of holes.csv already. Give each "
          "unit once: leave one of the two out, or add --clamp 'visible[1:3]=free', which leaves the file's out.");
  for (const Words& beside : {Words{"visible[1]=1"}, Words{"hidden=1"}, Words{"visible=free", "visible[2]=1"}}) {
    Words words{"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--output", "s.npy", "--clamp", "holes.csv"};
    for (const std::string& clamp : beside) words.insert(words.end(), {"--clamp", clamp});
    CHECK(run(folder, words).status == 0);
  }
}

TEST_CASE("a unit is held once, whether its column, a class or its number names it") {
  const ScratchFolder folder;
  folder.write("d.csv", "weight,sick,kind\n50.5,no,a\n60.5,yes,b\n70.5,no,c\n62.5,yes,a\n55.5,no,b\n");
  folder.write("c.toml",
               "data = { type = \"table\", path = \"d.csv\" }\nmodel = { type = \"mixed\", num_hidden = 2 }\n"
               "estimator = { type = \"cd\" }\ntraining = { num_epochs = 1 }\n");
  folder.write("l.csv", "x,y,kind\n0,1,sea\n1,0,land\n1,1,sea\n0,0,land\n");
  folder.write("l.toml",
               "data = { type = \"csv\", path = \"l.csv\", label_column = \"kind\" }\n"
               "model = { type = \"rbm\", num_visible = 2, num_hidden = 2, num_labels = 2 }\n"
               "estimator = { type = \"cd\" }\ntraining = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "t", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"train", "l.toml", "--output", "l", "--quiet"}).status == 0);
  const auto refused = [&](const char* model, const Words& clamps, std::string_view pattern) {
    Words words{"sample", model, "--num-samples", "2", "--steps", "1", "--output", "s.csv"};
    for (const std::string& clamp : clamps) words.insert(words.end(), {"--clamp", clamp});
    check_refusal(run(folder, words), 2, pattern);
  };
  const std::string once = " already. Give each unit once.";
  refused("t", {"kind=a,kind=b"}, "--clamp kind=b: unit categorical3[0] is given by kind=a" + once);
  refused("t", {"binary[0]=1", "sick=no"}, "--clamp sick=no: unit binary[0] is given by binary[0]=1" + once);
  refused("l", {"kind=sea", "label=land"}, "--clamp label=land: unit label[0] is given by kind=sea" + once);
  refused("l", {"x=1", "visible=0"}, "--clamp visible=0: unit visible[0] is given by x=1" + once);
  folder.write("held.csv", "weight,sick,kind\n60,,a\n");
  refused("t", {"held.csv", "kind=b"},
          "--clamp kind=b: unit categorical3[0] is given by row 0 (counted from 0) of held.csv already. Give each unit "
          "once: leave one of the two out, or add --clamp 'categorical3[0]=free', which leaves the file's out.");
}

TEST_CASE("a name that is no layer may be meant for a column of the data") {
  const ScratchFolder folder;
  folder.write("g.csv", "weight,height\n50,160\n60,170\n70,185\n62,171\n");
  folder.write("t.csv", "weight,sick,kind\n50.5,no,a\n60.5,yes,b\n70.5,no,c\n62.5,yes,a\n55.5,no,b\n");
  const std::string rest = "estimator = { type = \"cd\" }\ntraining = { num_epochs = 1 }\n";
  folder.write("g.toml",
               "data = { type = \"csv\", path = \"g.csv\", standardize = true }\nmodel = { type = \"rbm\", num_visible "
               "= 2, num_hidden = 2, visible_units = \"gaussian\" }\n" +
                   rest);
  folder.write("t.toml",
               "data = { type = \"table\", path = \"t.csv\" }\nmodel = { type = \"mixed\", num_hidden = 2 }\n" + rest);
  for (const std::string name : {"g", "t"}) {
    const std::string columns = name == "g" ? "weight, height" : "weight, sick, kind";
    const std::string layers = name == "g" ? "visible, hidden" : "binary, real, categorical3, hidden";
    REQUIRE(run(folder, {"train", name + ".toml", "--output", name, "--quiet"}).status == 0);
    const auto clamped = [&](const char* clamp) {
      return run(folder, {"sample", name, "--num-samples", "2", "--steps", "1", "--output", "s.csv", "--clamp", clamp});
    };
    CHECK(clamped("weight=60").status == 0);
    for (const std::string word : {"weigth", "weight[0]"})
      check_refusal(
          clamped((word + "=60").c_str()), 2,
          "--clamp " + word + "=60: '" + word +
              "' is neither a layer of the model nor one column of its data (did you mean 'weight'?). Layers: " +
              layers + ". Columns: " + columns + ".");
    // A range is no value.
    const std::string range = " A range cannot be held: draw many samples, and keep those that are in it.";
    check_refusal(clamped("weight>60"), 2,
                  "--clamp weight>60: it is neither NAME=VALUE nor a file of rows (no such file)." + range);
    check_refusal(clamped("weight>=60"), 2,
                  "--clamp weight>=60: 'weight>' is neither a layer of the model nor one column of its data (did you "
                  "mean 'weight'?). Layers: " +
                      layers + ". Columns: " + columns + "." + range);
    check_refusal(run(folder, {"observe", name, "--output", "o", "--clamp", "weight>60"}), 2,
                  "--clamp weight>60: it is neither NAME=VALUE nor a file of rows (no such file)." + range);
  }
}

TEST_CASE("a clamp that names nothing is refused by a model of generated data too") {
  const CliFolder folder;
  folder.trained();
  check_refusal(
      run(folder, {"sample", "run/model.h5", "--num-samples", "4", "--steps", "1", "--output", "s.npy", "--clamp", ""}),
      2,
      "--clamp '': nothing is named. Write LAYER=VALUE, LAYER[UNIT]=VALUE, LAYER[BEGIN:END]=VALUE, "
      "LAYER=each or the name "
      "of a file of rows.");
}

TEST_CASE("a site of several states that no row has seen is drawn") {
  const ScratchFolder folder;
  std::string rows;
  for (int r = 0; r < 12; ++r) rows += r % 3 == 0 ? "1,0,0,0,1,0\n" : r % 3 == 1 ? "0,1,0,0,0,1\n" : "0,0,1,1,0,0\n";
  folder.write("rows.csv", rows);
  folder.write("c.toml",
               "[data]\ntype = \"csv\"\npath = \"rows.csv\"\n[model]\ntype = \"rbm\"\nnum_visible = 2\n"
               "num_hidden = 2\nvisible_units = { type = \"categorical\", num_states = 3 }\n[estimator]\n"
               "type = \"cd\"\n[training]\nnum_epochs = 2\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  for (const char* holes : {"1,0,0,,,\n", "1,0,0,,,\n0,1,0,,,\n"}) {
    folder.write("holes.csv", holes);
    const Outcome outcome = run(folder, {"sample", "run/model.h5", "--num-samples", "20", "--steps", "5", "--clamp",
                                         "holes.csv", "--output", "s.npy"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const Table drawn = read_npy(folder / "s.npy");
    for (Index r = 0; r < 20; ++r) {
      CHECK(drawn.at(r, 0) + drawn.at(r, 1) == 1.0);
      CHECK(drawn.at(r, 3) + drawn.at(r, 4) + drawn.at(r, 5) == 1.0);
    }
  }
  // What is there must be a state.
  folder.write("holes.csv", "1,1,0,,,\n");
  check_refusal(run(folder, {"sample", "run/model.h5", "--num-samples", "20", "--steps", "5", "--clamp", "holes.csv",
                             "--output", "s.npy"}),
                2, "*sum to 2, but they are the states of one categorical unit*");
}

TEST_CASE("sample holds whatever draw holds, in the same words, and overwrites no file that it reads") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("a.csv", "1,nan,0\n");
  for (const Words& clamp :
       {Words{"visible=1"}, Words{"visible[2]=0"}, Words{"visible[0:2]=1", "hidden[0]=0"}, Words{"visible[1]=each"},
        Words{"hidden=each"}, Words{"a.csv"}, Words{"a.csv", "hidden[1]=1"}}) {
    CAPTURE(clamp.front());
    Words sample{"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--output", "s.npy"},
        draw{"draw", "m.h5", "--what", "samples", "--steps", "1", "--count", "4", "--output", "s.png"};
    for (const std::string& one : clamp)
      for (Words* words : {&sample, &draw}) words->insert(words->end(), {"--clamp", one});
    for (const Words& words : {sample, draw}) {
      const Outcome outcome = run(folder, words);
      CHECK(outcome.status == 0);
      CHECK(outcome.err == "");
    }
  }
  check_refusal(
      run(folder, {"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--clamp", "a.csv", "--output", "a.csv"}), 2,
      "--output a.csv: that is the file which the command reads (a.csv). Give another name.");
  CHECK(content_of(folder / "a.csv") == "1,nan,0\n");

  // A file may have options behind it, as that of --data.
  const auto sampled = [&](const char* clamp) {
    const Outcome outcome =
        run(folder, {"sample", "m.h5", "--num-samples", "4", "--steps", "5", "--clamp", clamp, "--output", "s.csv"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return content_of(folder / "s.csv");
  };
  folder.write("tab.csv", "1\tnan\t0\n");
  CHECK(sampled("a.csv:separator=comma,missing=nan_columns") == sampled("a.csv"));
  CHECK(sampled("tab.csv:separator=tab") == sampled("a.csv"));
  check_refusal(run(folder, {"sample", "m.h5", "--num-samples", "4", "--steps", "1", "--clamp", "a.csv:separator=comma",
                             "--output", "a.csv"}),
                2, "--output a.csv: that is the file which the command reads (a.csv). Give another name.");
}

}  // namespace clamp_test
