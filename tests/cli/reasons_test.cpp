#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace reasons_test {

using namespace harmonium::testing;

namespace {

/// A configuration of 60 visible and 60 hidden units, of which log Z is out of reach.
constexpr const char* wide_config =
    "[data]\ntype = \"diagonal\"\nsize = 60\n[model]\ntype = \"rbm\"\nnum_visible = 60\nnum_hidden = 60\n[estimator]\n"
    "type = \"cd\"\n[training]\nnum_epochs = 1\nbatch_size = 10\n";

/// Of all figures but those of labels, which the models here have not.
nlohmann::json reasons_of(const ScratchFolder& folder, const Words& arguments) {
  const Outcome outcome = run(folder, arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  nlohmann::json reasons = nlohmann::json::parse(outcome.out)["reasons"];
  for (const char* of_labels : {"accuracy", "label_log_likelihood"}) {
    CHECK(reasons[of_labels] == "the model has no observed layer 'label' of one unit, or no free energy.");
    reasons.erase(of_labels);
  }
  return reasons;
}

}  // namespace

TEST_CASE("whatever figure evaluate leaves out it gives the reason for") {
  const CliFolder folder;
  folder.trained();
  const std::string no_data = "no data was given. Add --data FILE.";
  folder.write("rows.npy", npy_bytes(8, 9, bit_rows(8, 9)));
  write_foreign_model(folder / "m.h5");
  CHECK(reasons_of(folder, {"evaluate", "m.h5", "--json"}) == nlohmann::json{{"num_samples", no_data},
                                                                             {"log_likelihood", no_data},
                                                                             {"free_energy", no_data},
                                                                             {"pseudo_log_likelihood", no_data},
                                                                             {"reconstruction_error", no_data}});
  CHECK(reasons_of(folder, {"evaluate", "run/model.h5", "--data", "rows.npy", "--json"}).empty());

  folder.write("wide.toml", wide_config);
  REQUIRE(run(folder, {"train", "wide.toml", "--output", "wide"}).status == 0);
  const nlohmann::json wide = reasons_of(folder, {"evaluate", "wide/model.h5", "--set", "data.size=60", "--log-z",
                                                  "ais", "--set", "log_z.sides=forward", "--json"});
  CHECK(like(
      wide["log_z"].get<std::string>(),
      "forward annealing alone says no more than a lower bound. Take 'ais' with sides = \"both\". The figure is hardly "
      "less than *"));
  CHECK(wide["log_likelihood"] == "it takes log_z, which is absent too.");
  for (const char* figure : {"ground_state_energy", "mean_energy", "heat_capacity", "entropy"})
    CHECK(wide[figure] == "it is given where log Z is found exactly. 'harmonium observe' measures energies.");
  CHECK(wide.size() == 6);

  folder.write("gray.npy", npy_bytes(1, 9, {0, 0.5, 1, 0, 0, 0, 0, 0, 0}));
  const std::string gray = "the data holds values between the units' states. Set data.binarize to make states of them.";
  CHECK(reasons_of(folder, {"evaluate", "run/model.h5", "--data", "gray.npy", "--quiet", "--json"}) ==
        nlohmann::json{{"log_likelihood", gray}, {"pseudo_log_likelihood", gray}});

  const std::string text = run(folder, {"evaluate", "run/model.h5", "--data", "gray.npy", "--quiet"}).out;
  CHECK(
      like(text, "*\n\nNo log_likelihood, pseudo_log_likelihood: the data holds values between the units' states. *"));
  CHECK(run(folder, {"evaluate", "run/model.h5", "--data", "rows.npy"}).out.find("\nNo ") == std::string::npos);
}

TEST_CASE("whatever column gradient leaves empty it gives the reason for") {
  const CliFolder folder;
  folder.trained();
  const auto text = [&](const Words& more) {
    Words words{"gradient", "run/model.h5", "--set", "data.side=3", "--estimator", "cd", "--output", "g.h5"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words).out;
  };
  CHECK(like(text({}),
             "*\n\nNo variance: one estimate has none. Add --repeats N, with two or more.\nNo bias, noise in bias, "
             "against norm, cosine, signs off: there is nothing to compare with. Add --against*exact.\n"));
  CHECK(like(text({"--against", "exact"}),
             "*\n\nNo variance, noise in bias: one estimate has none. Add --repeats N, with two or more.\n"));
  CHECK(text({"--repeats", "2", "--against", "exact"}).find("\nNo ") == std::string::npos);
}

TEST_CASE("explain says what a run does not measure, and why") {
  const CliFolder folder;
  folder.write("wide.toml", wide_config);
  const std::string wide = run(folder, {"explain", "wide.toml", "--no-timing"}).out;
  for (const char* word :
       {"log_likelihood is not measured: log_partition 'exact': enumeration would take 2^60 states",
        "free_energy_gap is not measured: observer 'free_energy_gap': there are no validation rows."})
    CHECK_MESSAGE(wide.find(word) != std::string::npos, wide.substr(0, 3000));
  // Of 2^25 states log Z is dear at the end, too.
  const std::string dear = run(folder, {"explain", "small.toml", "--no-timing", "--set", "model.num_hidden=5", "--set",
                                        "data.side=5", "--set", "model.num_visible=25", "--set", "model.num_hidden=25"})
                               .out;
  CHECK_MESSAGE(
      dear.find("log_likelihood is not measured: log Z takes so long that it is due once in ") != std::string::npos,
      dear.substr(0, 3000));
  CHECK(dear.find("at the end of the run alone") == std::string::npos);
  CHECK(run(folder, {"explain", "small.toml", "--no-timing", "--set", "training.num_epochs=1000"})
            .out.find("log_likelihood is not") == std::string::npos);
}

TEST_CASE(
    "explain and train name variable elimination for a likelihood of states too many to enumerate, where it serves") {
  const CliFolder folder;
  const auto wrote = [&](int side) {
    std::string rows;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < side * side; ++c)
        rows += fmt::format("{}{}", (r * c + c / 3) % 5 < 2 ? 1 : -1, c + 1 < side * side ? "," : "\n");
    folder.write("rows.csv", rows);
    folder.write(
        "j.toml",
        fmt::format("data = {{ type = \"csv\", path = \"rows.csv\" }}\nestimator = \"pseudo_likelihood\"\n"
                    "training = {{ batch_size = 6, num_epochs = 2 }}\n[model]\ntype = \"layered\"\n"
                    "layers = [{{ name = \"s\", size = {0}, units = \"spin\", bias = false }}]\nterms = [{{ "
                    "type = \"lattice\", layer = \"s\", shape = [{1}, {1}], uniform = true, share = [0, 0] }}]\n",
                    side * side, side));
    std::string out = run(folder, {"explain", "j.toml", "--no-timing"}).out;  // its lines are folded
    for (std::size_t at = 0; (at = out.find("\n# ", at)) != std::string::npos;) out.replace(at, 3, " ");
    return out;
  };
  const std::string setting = "observers=[{type=\"log_likelihood\",log_z=\"variable_elimination\",every=1}]";
  const std::string narrow = wrote(6);
  CAPTURE(narrow);
  CHECK(
      like(narrow,
           "*log_likelihood is not measured: log_partition 'exact': enumeration would take 2^36 states, more than the "
           "limit of 2^30 (option max_bits). Summing units out one by one is exact too, and takes some * a value: "
           "--set '*variable_elimination*A run has it of its last model unasked.*"));
  CHECK(narrow.find(setting) != std::string::npos);
  CHECK(narrow.find("ake a smaller model") == std::string::npos);
  CHECK(run(folder, {"train", "j.toml", "--output", "run", "--set", setting}).status == 0);
  const std::string log = content_of(folder / "run/metrics.jsonl");
  CHECK(log.find("\"log_likelihood\"") != log.rfind("\"log_likelihood\""));
  const std::string wide = wrote(20);
  CAPTURE(wide);
  CHECK(wide.find("log_likelihood is not measured: ") != std::string::npos);
  CHECK(wide.find("variable_elimination") == std::string::npos);
  const Outcome told = run(folder, {"import", "j.toml", "--output", "j.h5"});
  CHECK(like(told.out, "*400 spin units; 1 parameter\n*"));
  CHECK(like(run(folder, {"inspect", "run/model.h5"}).out, "*, 1 parameter\n*"));
}

TEST_CASE("a log likelihood that is due too seldom is put down to what takes the time, and measured at the end alone") {
  const CliFolder folder;
  const auto told = [&](const Words& settings, const std::string& why) {
    Words words{"explain", "small.toml", "--no-timing"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    std::string out = run(folder, words).out;  // its lines are folded
    for (std::size_t at = 0; (at = out.find("\n# ", at)) != std::string::npos;) out.replace(at, 3, " ");
    CHECK_MESSAGE(out.find("log_likelihood is measured at the end of the run alone: " + why) != std::string::npos,
                  out.substr(0, 3000));
    CHECK(out.find("log_likelihood is not measured") == std::string::npos);
  };
  // Eight rows that lack 14 of 16 bits, of which there are fewer states than of hidden units.
  std::string rows;
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 16; ++c)
      rows += std::string(c / 2 == r ? std::to_string(c % 2) : "nan") + (c < 15 ? "," : "\n");
  folder.write("holes.csv", rows);
  told({"data={type=\"csv\", path=\"holes.csv\", missing=\"nan\"}", "model.num_visible=16", "model.num_hidden=17",
        "training.batch_size=8"},
       "the sums over what rows with holes lack take so long that it is due once in ");
  // 2^9 states for each of 14 rows, and as many for log Z.
  told({"model={type=\"deep\", num_visible=9, num_hidden=[9, 12]}"},
       "the sums over the latent states of each row take so long that it is due once in ");
  told({"observers=[{type=\"log_likelihood\", every=9}]"},
       "its 'every' says that it is due once in 9 epochs, and the run has 4.");
}

TEST_CASE("a run that is refused leaves no folder, so that the corrected command is taken") {
  const CliFolder folder;
  const Words before = files_below(folder.path());
  const Words asked{"train", "small.toml", "--output", "run", "--set", "observers=[{type=\"loss\"}]"};
  check_refusal(run(folder, asked), 2,
                "*observer 'loss': the estimator follows the likelihood, and reports no loss. *");
  CHECK(files_below(folder.path()) == before);
  CHECK(run(folder, {"train", "small.toml", "--output", "run"}).status == 0);
  // What was there before is not its business.
  std::filesystem::create_directory(folder / "mine");
  folder.write("mine/notes.txt", "mine");
  check_refusal(run(folder, {"train", "small.toml", "--output", "mine", "--set", "observers=[{type=\"loss\"}]"}), 2,
                "*");
  CHECK(files_below(folder / "mine") == Words{"notes.txt"});
  // Nor is an earlier run replaced by one that is refused.
  const Words kept = files_below(folder / "run");
  for (const char* observer : {"loss", "meeting_times", "posterior_bound"}) {
    Words replacing{"train", "small.toml", "--output", "run", "--overwrite", "--set"};
    replacing.push_back(fmt::format("observers=[{{type=\"{}\"}}]", observer));
    check_refusal(run(folder, replacing), 2, fmt::format("*observer '{}': *", observer));
    CHECK(files_below(folder / "run") == kept);
  }
}

TEST_CASE("train remarks on data that its units take, and hardly for what it is") {
  const ScratchFolder folder;
  folder.write("bits.csv", "0,1\n1,1\n0,0\n1,0\n");
  folder.write("large.csv", "0,400\n100,300\n20,100\n90,800.5\n");
  folder.write("c.toml",
               "[data]\ntype = \"csv\"\npath = \"bits.csv\"\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 2\n"
               "visible_units = \"gaussian\"\n[estimator]\ntype = \"cd\"\n[optimizer]\nlearning_rate = 1e-9\n");
  const auto remark = [&](const Words& more) {
    Words words{"train", "c.toml", "--output", "run", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.status == 0);
    return outcome.err;
  };
  CHECK(remark({}) ==
        "harmonium: note: every value is 0 or 1, and gaussian units of layer 'visible' take them for numbers. Binary "
        "units "
        "take bits.\n");
  CHECK(like(
      remark({"--set", "data.path=large.csv"}),
      "harmonium: note: the columns have standard deviations from 43* to 25*, and gaussian units of layer 'visible' "
      "begin with 1. Set data.standardize or data.whiten.\n"));
  CHECK(remark({"--set", "data.path=large.csv", "--set", "data.standardize=true"}) == "");
  CHECK(remark({"--set", "model.visible_units=binary"}) == "");
  const std::string of_labels =
      "harmonium: note: the data has labels of 2 classes, and the model no layer for them, so that they are not used. "
      "Set "
      "model.num_labels = 2 for one; in a model of type \"layered\", add an observed layer \"label\".\n";
  const Words binary{"--set", "data.label_column=last", "--set", "model.visible_units=binary",
                     "--set", "model.num_visible=1"};
  CHECK(remark(binary) == of_labels);
  Words used = binary;
  used.insert(used.end(), {"--set", "model.num_labels=2"});
  CHECK(remark(used) == "");
}

TEST_CASE("data of another kind of unit is refused when the run is assembled") {
  const ScratchFolder folder;
  folder.write("bits.csv", "0,1\n1,1\n0,0\n1,0\n");
  folder.write("spins.csv", "-1,1\n1,1\n-1,-1\n1,-1\n");
  folder.write("c.toml",
               "[data]\ntype = \"csv\"\npath = \"bits.csv\"\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 2\n"
               "[estimator]\ntype = \"cd\"\n");
  const auto trained = [&](const Words& more) {
    Words words{"train", "c.toml", "--output", "run", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  check_refusal(
      trained({"--set", "model.visible_units=spin"}), 2,
      "*bits.csv: its values are 0 and 1 or lie between, but spin units of layer 'visible' take -1 and 1, and 0 "
      "is no state of theirs. Set data.binarize = \"threshold\", which makes -1 and 1 of them for spins, or the "
      "layer's units to \"binary\".");
  check_refusal(
      trained({"--set", "data.path=spins.csv"}), 2,
      "*spins.csv: row 0, column 0 (both counted from 0) is -1, but binary units of layer 'visible' take values "
      "from 0 to 1. Every value is -1 or 1: set the layer's units to \"spin\".");
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
  CHECK(trained({"--set", "data.path=spins.csv", "--set", "model.visible_units=spin"}).status == 0);
  // Spins that happen to be all up are spins.
  folder.write("up.csv", "1,1\n");
  CHECK(run(folder, {"evaluate", "run/model.h5", "--data", "up.csv"}).status == 0);
}

}  // namespace reasons_test
