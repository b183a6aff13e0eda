#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/cli/text.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace evaluate_test {

using namespace harmonium::testing;

namespace {

std::set<std::string> keys(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& entry : object.items()) names.insert(entry.key());
  return names;
}

const std::set<std::string> all_keys{"log_z",
                                     "beta",
                                     "log_z_interval",
                                     "log_z_method",
                                     "agree",
                                     "why",
                                     "advice",
                                     "ground_state_energy",
                                     "mean_energy",
                                     "heat_capacity",
                                     "entropy",
                                     "log_likelihood",
                                     "log_likelihood_interval",
                                     "rows_error",
                                     "rows_interval",
                                     "num_samples",
                                     "free_energy",
                                     "free_energy_interval",
                                     "variational_bound",
                                     "variational_bound_interval",
                                     "first_machine_log_likelihood",
                                     "first_machine_interval",
                                     "machines_above",
                                     "pseudo_log_likelihood",
                                     "reconstruction_error",
                                     "accuracy",
                                     "accuracy_error",
                                     "label_log_likelihood",
                                     "label_log_likelihood_error",
                                     "num_classified",
                                     "log_conditional",
                                     "log_conditional_error",
                                     "num_conditioned",
                                     "log_conditional_jacobian",
                                     "units",
                                     "log_jacobian",
                                     "reasons",
                                     "splits"};

}  // namespace

TEST_CASE("every key is there, null where it needs data that is not given") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto bare = judged(folder, {});
  CHECK(keys(bare) == all_keys);
  CHECK(bare["log_z"].get<double>() == doctest::Approx(foreign_log_z()).epsilon(1e-13));
  for (const std::string& key : all_keys)
    if (!std::set<std::string>{"log_z", "beta", "log_z_interval", "log_z_method", "agree", "why", "units",
                               "log_jacobian", "reasons", "ground_state_energy", "mean_energy", "heat_capacity",
                               "entropy"}
             .contains(key))
      CHECK_MESSAGE(bare[key].is_null(), key);
  double lowest = 0.0, mean = 0.0;  // of the states of hidden units too
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned h = 0; h < 4; ++h) {
      lowest = std::min(lowest, foreign_energy(v, h));
      mean += foreign_energy(v, h) * std::exp(-foreign_energy(v, h) - foreign_log_z());
    }
  CHECK(bare["ground_state_energy"].get<double>() == doctest::Approx(lowest).epsilon(1e-13));
  CHECK(bare["beta"] == 1.0);
  CHECK(bare["mean_energy"].get<double>() == doctest::Approx(mean).epsilon(1e-12));
  CHECK(bare["log_z_interval"] == nlohmann::json{bare["log_z"], bare["log_z"]});
  CHECK(bare["agree"] == true);
  CHECK(bare["why"] == "");
  CHECK(bare["log_z_method"] == "exact, by enumeration");
  CHECK(bare["units"] == "data");
  CHECK(bare["log_jacobian"] == 0.0);

  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto full = judged(folder, {"--data", "d.npy"});
  CHECK(keys(full) == all_keys);
  CHECK(full["num_samples"] == 8);
  CHECK(full["log_likelihood"].get<double>() == doctest::Approx(foreign_log_likelihood()).epsilon(1e-13));
  CHECK(full["free_energy"].get<double>() ==
        doctest::Approx(-foreign_log_likelihood() - foreign_log_z()).epsilon(1e-13));
  CHECK(full["pseudo_log_likelihood"].get<double>() < 0);
  CHECK(full["reconstruction_error"].get<double>() > 0);
}

TEST_CASE("numbers have 17 significant digits") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const std::string text = run(folder, {"evaluate", "m.h5", "--json"}).out;
  CHECK(like(text, "{\"log_z\": *, \"log_likelihood\": null, *}\n"));
  const std::string number = text.substr(10, text.find(',') - 10);
  CHECK(number.size() >= 17);  // a point and at least 16 digits: trailing zeros are not written
  CHECK(std::stod(number) == judged(folder, {})["log_z"].get<double>());
}

TEST_CASE("the inverse temperature of the figures is the one asked for") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  CHECK(judged(folder, {"--beta", "0.5"})["log_z"].get<double>() == doctest::Approx(foreign_log_z(0.5)).epsilon(1e-13));
  CHECK(judged(folder, {"--beta", "0.5"})["beta"] == 0.5);
  folder.write("row.csv", "1,0,1\n");
  const std::string text = run(folder, {"evaluate", "m.h5", "--beta", "0.5", "--data", "row.csv"}).out;
  CHECK(text.starts_with("at beta = 0.5 (T = 2)\n\n"));
  CHECK(text.find("nats, mean, beta times an energy\n") != std::string::npos);
  const std::string usual = run(folder, {"evaluate", "m.h5", "--data", "row.csv"}).out;
  CHECK(usual.starts_with("num_samples"));
  CHECK(usual.find("beta times") == std::string::npos);
  // At infinite temperature every state weighs the same.
  const auto hot = judged(folder, {"--beta", "0"});
  CHECK(hot["log_z"].get<double>() == doctest::Approx(5 * std::log(2.0)).epsilon(1e-13));
  CHECK(hot["heat_capacity"] == 0.0);
  CHECK(hot["entropy"] == hot["log_z"]);
  CHECK(judged(folder, {"--beta", "1e-9"})["log_z"].get<double>() == doctest::Approx(5 * std::log(2.0)).epsilon(1e-8));
}

TEST_CASE("a log Z that no enumeration reaches has an interval, and is refused where it is to be exact") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  check_refusal(run(folder, {"evaluate", "m.h5", "--set", "log_z.max_bits=1"}), 2,
                "*more than the limit of 2^1 (option max_bits). *");
  check_refusal(run(folder, {"evaluate", "m.h5", "--log-z", "exact", "--set", "log_z.max_bits=1"}), 2,
                "*more than the limit of 2^1 (option max_bits). *");
  folder.write("big.toml",
               "[data]\ntype = \"diagonal\"\nsize = 60\n[model]\ntype = \"rbm\"\nnum_visible = 60\nnum_hidden = 60\n"
               "[estimator]\ntype = \"cd\"\n[training]\nnum_updates = 1\nbatch_size = 10\n");
  CHECK(run(folder, {"train", "big.toml", "--output", "big"}).status == 0);
  folder.write("m.h5", content_of(folder / "big/model.h5"));
  const auto big = judged(folder, {"--set", "data.size=60"},
                          "harmonium: note: log Z is annealed and has an interval: * a sum over 2^60.*");
  CHECK(big["agree"] == true);
  CHECK(big["log_z_interval"][0].get<double>() < big["log_z"].get<double>());
  CHECK(big["log_z"].get<double>() < big["log_z_interval"][1].get<double>());
  CHECK(big["log_likelihood"].is_number());
  CHECK(big["free_energy"].is_number());
  // What log Z leaves open and what the rows do.
  const double of_rows = 1.959963984540054 * big["rows_error"].get<double>();
  for (const int side : {0, 1})
    CHECK(big["rows_interval"][side].get<double>() ==
          doctest::Approx(big["log_likelihood_interval"][side].get<double>() + (side == 0 ? -of_rows : of_rows))
              .epsilon(1e-12));
  check_refusal(run(folder, {"evaluate", "m.h5", "--log-z", "exact"}), 2, "*60*");
}

TEST_CASE("for people there is one line a figure, with '-' for what there is not") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const Outcome outcome = run(folder, {"evaluate", "m.h5"});
  check_golden("evaluate", outcome.out);
  CHECK(outcome.err == "");
}

TEST_CASE("bits are made of gray levels by their own range, though the model's data were bits already") {
  const CliFolder folder;
  std::vector<double> rows = bit_rows(14, 9);
  folder.write("bits.npy", npy_bytes(14, 9, rows));
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set", "data={type=\"npy\", path=\"bits.npy\"}"})
              .status == 0);
  std::vector<std::uint8_t> gray;
  std::vector<double> made;
  for (int i = 0; i < 14 * 9; ++i) {
    gray.push_back(static_cast<std::uint8_t>((i * i * 37) % 256));
    made.push_back(gray.back() > 127 ? 1 : 0);
  }
  folder.write("gray.idx", idx_bytes(14, 9, gray));
  folder.write("made.npy", npy_bytes(14, 9, made));
  const auto judge = [&](const Words& more) {
    Words words{"evaluate", "run/model.h5", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["log_likelihood"];
  };
  CHECK(judge({"--data", "gray.idx", "--set", "data.binarize=threshold"}) == judge({"--data", "made.npy"}));
}

TEST_CASE("samples of a model with labels are read again from CSV as from other files") {
  const ScratchFolder folder;
  std::string rows;
  for (int r = 0; r < 60; ++r) rows += fmt::format("{},{},{},{}\n", r % 2, r / 2 % 2, (r * r) % 2, r % 3);
  folder.write("rows.csv", rows);
  REQUIRE(run(folder, {"init", "rows.csv", "--set", "data.label_column=last", "--output", "c.toml"}).status == 0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--set", "training.num_epochs=2"}).status == 0);
  const auto sampled = [&](const std::string& file) {
    REQUIRE(run(folder, {"sample", "run/model.h5", "--num-samples", "40", "--steps", "5", "--output", file}).status ==
            0);
    const Outcome outcome = run(folder, {"evaluate", "run/model.h5", "--data", file, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["log_likelihood"];
  };
  CHECK(sampled("s.csv") == sampled("s.npy"));
  // The run's own file, with its column of classes, is taken as it was.
  CHECK(run(folder, {"evaluate", "run/model.h5", "--data", "rows.csv"}).status == 0);
}

TEST_CASE("data is read by its kind, whatever its name, plain or gzipped") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const std::string npy = npy_bytes(8, 3, bit_rows(8, 3));
  std::vector<std::uint8_t> bytes;
  for (const double v : bit_rows(8, 3)) bytes.push_back(static_cast<std::uint8_t>(v));
  const std::string idx = idx_bytes(8, 3, bytes);
  folder.write("d.npy", npy);
  folder.write("images-idx2-ubyte", idx);
  folder.write("data", npy);
  folder.write("misnamed.npy", idx);
  folder.write_gzipped("d.npy.gz", npy);
  folder.write_gzipped("images-idx2-ubyte.gz", idx);
  for (const char* name : {"d.npy", "images-idx2-ubyte", "data", "misnamed.npy", "d.npy.gz", "images-idx2-ubyte.gz"}) {
    CAPTURE(name);
    CHECK(judged(folder, {"--data", name})["log_likelihood"].get<double>() ==
          doctest::Approx(foreign_log_likelihood()).epsilon(1e-13));
  }
}

TEST_CASE("--data replaces the path of the model's own data and keeps its other options") {
  const CliFolder folder;
  std::vector<double> gray;
  for (const double v : bit_rows(14, 9)) gray.push_back(v == 1 ? 0.9 : 0.2);
  folder.write("gray.npy", npy_bytes(14, 9, gray));
  folder.write("bits.npy", npy_bytes(14, 9, bit_rows(14, 9)));
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--set",
                     "data={type=\"npy\", path=\"bits.npy\", binarize=\"threshold\", validation=0.2}"})
            .err == "");
  folder.write("m.h5", content_of(folder / "run/model.h5"));
  const auto own = judged(folder, {"--data", "gray.npy"});
  CHECK(own["num_samples"] == 14);
  CHECK(own == judged(folder, {"--data", "bits.npy"}));
  const auto means = judged(folder, {"--data", "gray.npy", "--set", "data.binarize=none"}, "harmonium: note: *");
  CHECK(means["log_likelihood"].is_null());
  CHECK(means["reconstruction_error"] != own["reconstruction_error"]);
}

TEST_CASE("gray values have no likelihood, and a remark says so unless --quiet") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("gray.npy", npy_bytes(1, 3, {0.0, 0.5, 1.0}));
  const std::string note =
      "harmonium: note: the data holds values between the units' states: they have no likelihood. Set data.binarize to "
      "have "
      "one.\n";
  const auto figures = judged(folder, {"--data", "gray.npy"}, note);
  CHECK(keys(figures) == all_keys);
  CHECK(figures["log_likelihood"].is_null());
  CHECK(figures["pseudo_log_likelihood"].is_null());
  CHECK(judged(folder, {"--data", "gray.npy", "--quiet"}, "") == figures);
  CHECK(judged(folder, {"--data", "gray.npy", "--set", "data.binarize=threshold"})["log_likelihood"].is_number());
}

TEST_CASE("any named data can be judged with --set alone") {
  const CliFolder folder;
  folder.trained();
  folder.write("m.h5", content_of(folder / "run/model.h5"));
  CHECK(judged(folder, {"--set", "data.side=3"})["num_samples"] == 14);
  CHECK(judged(folder, {"--set", "data.type=one_d_ball", "--set", "data.size=9"})["num_samples"].get<int>() > 0);
}

TEST_CASE("a model trained on thresholded bytes judges bits as the bits they are") {
  const CliFolder folder;
  std::vector<double> gray = bit_rows(14, 9);
  const std::vector<double> bits = gray;
  for (double& v : gray) v *= 255;
  folder.write("gray.npy", npy_bytes(14, 9, gray));
  folder.write("bits.npy", npy_bytes(14, 9, bits));
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set",
                       "data={type=\"npy\", path=\"gray.npy\", binarize=\"threshold\"}"})
              .status == 0);
  const Outcome of_gray = run(folder, {"evaluate", "run/model.h5", "--data", "gray.npy", "--json"});
  const Outcome of_bits = run(folder, {"evaluate", "run/model.h5", "--data", "bits.npy", "--json"});
  CHECK(of_gray.status == 0);
  CHECK(of_gray.out == of_bits.out);
}

TEST_CASE("values beyond the range of a model's thresholded bytes are refused wherever its data are read") {
  const CliFolder folder;
  std::vector<double> gray = bit_rows(14, 9);
  for (double& v : gray) v *= 255;
  folder.write("gray.npy", npy_bytes(14, 9, gray));
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set",
                       "data={type=\"npy\", path=\"gray.npy\", binarize=\"threshold\"}"})
              .status == 0);
  std::vector<double> standardized(9, 0.5);
  standardized[4] = -2;
  folder.write("z.npy", npy_bytes(1, 9, standardized));
  const std::string refused =
      "*z.npy: its values go from -2 to 0.5, and bits are made by the range 0 to 255: row 0, column 4 (both counted "
      "from 0) is -2, below all values of such a scale. Give values as those of the training were before bits were "
      "made of them, or set data.range = [-2, 0.5], whose middle then decides.";
  for (const Words& words :
       {Words{"evaluate", "run", "--data", "z.npy"}, Words{"transform", "run", "z.npy", "--output", "h.npy"},
        Words{"diagnose", "run", "--data", "z.npy", "--steps", "100"},
        Words{"sample", "run", "--num-samples", "1", "--steps", "1", "--clamp", "z.npy", "--output", "s.npy"},
        Words{"train", "run/config.toml", "--output", "other", "--set", "data.path=z.npy"}}) {
    CAPTURE(words[0]);
    check_refusal(run(folder, words), 2, refused);
  }
  // Spins are states, whatever the range.
  std::vector<double> spins = bit_rows(14, 9);
  for (double& v : spins) v = 2 * v - 1;
  folder.write("spins.npy", npy_bytes(14, 9, spins));
  CHECK(run(folder, {"evaluate", "run", "--data", "spins.npy", "--json"}).out ==
        run(folder, {"evaluate", "run", "--data", "gray.npy", "--json"}).out);
}

TEST_CASE("continuous units without a base measure have no law at infinite temperature") {
  const ScratchFolder folder;
  folder.write("m.toml", "[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\nvisible_units = \"gaussian\"\n");
  REQUIRE(run(folder, {"import", "m.toml", "--output", "m.h5"}).status == 0);
  for (const char* option : {"--beta", "--betas"})
    check_refusal(run(folder, {"evaluate", "m.h5", option, "0"}), 2,
                  "--beta: at beta = 0 the continuous units of layer 'visible' have no law. Take a beta above 0.");
}

TEST_CASE("an inverse temperature at which numbers overflow is refused") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  check_refusal(run(folder, {"evaluate", "m.h5", "--beta", "1e308", "--json"}), 2,
                "--beta 1e+308: log_z is inf (energies times beta leave the range of numbers). Take a beta nearer to "
                "1.");
}

TEST_CASE("a figure that rounds to 0 has no sign") {
  const std::pair<double, const char*> of_six[] = {{-0.0, "0.000000"},    {-4e-7, "0.000000"}, {-6e-7, "-0.000001"},
                                                   {-10.0, "-10.000000"}, {1.5, "1.500000"},   {-INFINITY, "-inf"}};
  for (const auto& [value, text] : of_six) CHECK(harmonium::fixed_text(value, 6) == text);
  CHECK(harmonium::fixed_text(-0.0004, 3) == "0.000");
  const ScratchFolder folder;
  folder.write("free.txt", "2 0\n");
  REQUIRE(run(folder, {"import", "free.txt", "--negate", "--output", "free.h5"}).status == 0);
  const std::string alone = run(folder, {"evaluate", "free.h5"}).out;
  CHECK(like(alone, "*\nground_state_energy               0.000000 *\nmean_energy                       0.000000 *"));
  CHECK(run(folder, {"evaluate", "free.h5", "--against", "free.h5"}).out.find("-0.0") == std::string::npos);
}

TEST_CASE("a long enumeration ends at the first signal") {
  const ScratchFolder folder;
  folder.write("wide.toml",
               "[data]\ntype = \"diagonal\"\nsize = 40\n[model]\ntype = \"rbm\"\nnum_visible = 40\nnum_hidden = 40\n"
               "[estimator]\ntype = \"cd\"\n[training]\nnum_updates = 1\nbatch_size = 10\n");
  REQUIRE(run(folder, {"train", "wide.toml", "--output", "wide"}).status == 0);
  const Words before = files_below(folder.path());
  for (const int signal : {SIGINT, SIGTERM}) {
    // 2^40 states take hours.
    Running running({"evaluate", "wide/model.h5", "--set", "log_z.max_bits=40", "--quiet"}, {.folder = folder.path()});
    REQUIRE(running.catches(signal));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    running.signal(signal);
    const auto asked = std::chrono::steady_clock::now();
    check_refusal(running.wait(), 1, "stopped by a signal.");
    CHECK(std::chrono::steady_clock::now() - asked < std::chrono::minutes(1));  // a sanitizer's build needs seconds
  }
  CHECK(files_below(folder.path()) == before);
}

}  // namespace evaluate_test
