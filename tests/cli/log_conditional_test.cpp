// evaluate --clamp NAME=free: log p of some units given the rest of each row.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace log_conditional_test {

using namespace harmonium::testing;

namespace {

/// The numbers of a column of FILE.csv.
std::vector<double> numbers(const std::filesystem::path& path, const std::string& name) {
  std::vector<double> values;
  const auto lines = csv_fields(path);
  for (std::size_t c = 0; c < lines[0].size(); ++c)
    for (std::size_t r = 1; lines[0][c] == name && r < lines.size(); ++r) values.push_back(std::stod(lines[r].at(c)));
  REQUIRE(!values.empty());
  return values;
}

/// log Σ exp(−β E) of the foreign model over its hidden units and the visible ones of `free`, a bit a unit, the others being as in `v`.
double log_sum(unsigned v, unsigned free, double beta) {
  double sum = 0.0;
  for (unsigned other = 0; other < 8; ++other)
    for (unsigned h = 0; h < 4 && (other & ~free) == (v & ~free); ++h)
      sum += std::exp(-beta * foreign_energy(other, h));
  return std::log(sum);
}

}  // namespace

TEST_CASE("log p of what is free given the rest of a row is a difference of sums over states, without log Z") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  for (const auto& [words, free] : {std::pair{Words{"visible[1]=free"}, 2u},
                                    {Words{"visible[0]=free", "visible[2]=free"}, 5u},
                                    {Words{"visible[0:2]=free"}, 3u},
                                    {Words{"visible=free"}, 7u}})
    for (const double beta : {1.0, 0.5}) {
      Words all{"--data", "d.npy", "--rows", "r.csv", "--log-z", "none", "--beta", beta == 1.0 ? "1" : "0.5"};
      for (const std::string& word : words) all.insert(all.end(), {"--clamp", word});
      const auto found = judged(folder, all);
      const std::vector<double> rows = numbers(folder / "r.csv", "log_conditional");
      REQUIRE(rows.size() == 8);
      double mean = 0.0, squares = 0.0;
      for (unsigned v = 0; v < 8; ++v) {
        CHECK(rows[v] == doctest::Approx(log_sum(v, 0, beta) - log_sum(v, free, beta)).epsilon(1e-12));
        mean += rows[v] / 8.0;
      }
      for (const double of_row : rows) squares += (of_row - mean) * (of_row - mean);
      CHECK(found["log_conditional"].get<double>() == doctest::Approx(mean).epsilon(1e-12));
      CHECK(found["log_conditional_error"].get<double>() ==
            doctest::Approx(std::sqrt(squares / 7.0 / 8.0)).epsilon(1e-10));
    }
}

TEST_CASE("log p of what is free is that at each of several temperatures") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const Words along{"--data", "d.npy", "--betas", "0.5,1.7", "--clamp", "visible[1]=free"};
  const auto all = judged(folder, along);
  REQUIRE(all.size() == 2);
  for (const auto& found : all) {
    const double beta = found["beta"].get<double>();
    double mean = 0.0;
    for (unsigned v = 0; v < 8; ++v) mean += (log_sum(v, 0, beta) - log_sum(v, 2, beta)) / 8.0;
    CHECK(found["log_conditional"].get<double>() == doctest::Approx(mean).epsilon(1e-12));
  }
  CHECK(all[0]["log_conditional"] != all[1]["log_conditional"]);
  Words words{"evaluate", "m.h5"};
  words.insert(words.end(), along.begin(), along.end());
  CHECK(like(run(folder, words).out,
             fmt::format("* log_conditional * log_conditional_error\n* 0.5 *{:.6f} *\n* 1.7 *{:.6f} *",
                         all[0]["log_conditional"].get<double>(), all[1]["log_conditional"].get<double>())));
}

TEST_CASE("units that are free one by one make the pseudo likelihood, and all together the likelihood") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto all = judged(folder, {"--data", "d.npy", "--clamp", "visible=free"});
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    sum += judged(folder, {"--data", "d.npy", "--clamp", fmt::format("visible[{}]=free", i)})["log_conditional"]
               .get<double>();
  CHECK(sum == doctest::Approx(all["pseudo_log_likelihood"].get<double>()).epsilon(1e-12));
  CHECK(all["log_conditional"].get<double>() == doctest::Approx(all["log_likelihood"].get<double>()).epsilon(1e-12));
  CHECK(std::abs(sum - all["log_conditional"].get<double>()) > 1e-3);
}

TEST_CASE("a class that is free, and a column by its name, have log p given the rest") {
  const ScratchFolder folder;
  std::string text = "left,middle,right,kind\n";
  for (unsigned r = 0; r < 12; ++r)
    text += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, (r >> 1 & 1) != (r >> 3) ? "sea" : "land");
  folder.write("d.csv", text);
  folder.write("c.toml",
               "precision = \"float64\"\ndata = { type = \"csv\", path = \"d.csv\", label_column = \"kind\" }\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 2, num_labels = 2 }\nestimator = \"exact\"\n"
               "training = { num_epochs = 20, batch_size = 3 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const auto free = [&](const std::string& what) {
    const Outcome outcome = run(folder, {"evaluate", "run", "--split", "training", "--json", "--clamp", what});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto label = free("label=free");
  CHECK(label["log_conditional"].get<double>() ==
        doctest::Approx(label["label_log_likelihood"].get<double>()).epsilon(1e-12));
  CHECK(free("kind=free")["log_conditional"] == label["log_conditional"]);
  CHECK(free("middle=free")["log_conditional"] == free("visible[1]=free")["log_conditional"]);
  CHECK(free("middle=free")["log_conditional"] != free("left=free")["log_conditional"]);
  const Outcome splits = run(folder, {"evaluate", "run", "--clamp", "middle=free"});
  CHECK(splits.out.find("\nlog_conditional ") != std::string::npos);
}

TEST_CASE("a row of which nothing that is free was seen is none of the mean, and the Jacobian is of what is free") {
  const ScratchFolder folder;
  std::string holes = "a,b,c\n", whole = holes;
  for (int r = 0; r < 40; ++r) {
    const std::string a = fmt::format("{:.3f}", 0.7 * r - 0.01 * r * r), b = fmt::format("{:.3f}", 3.0 + (r * r) % 11);
    const std::string c = fmt::format("{:.3f}", 0.1 * (r % 7));
    holes += fmt::format("{},{},{}\n", a, r % 4 == 0 ? "" : b, c);
    if (r % 4 != 0) whole += fmt::format("{},{},{}\n", a, b, c);
  }
  folder.write("holes.csv", holes);
  folder.write("whole.csv", whole);
  folder.write(
      "c.toml",
      "precision = \"float64\"\ndata = { type = \"csv\", path = \"holes.csv\", missing = \"nan\", standardize = true "
      "}\n"
      "model = { type = \"rbm\", num_visible = 3, num_hidden = 2, visible_units = \"gaussian\" }\n"
      "estimator = \"cd\"\ntraining = { num_epochs = 3, batch_size = 10 }\noptimizer = { learning_rate = 0.01 }\n");
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--quiet"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  const auto judge = [&](const char* data, const char* free) {
    const Outcome outcome =
        run(folder, {"evaluate", "run", "--data", data, "--json", "--log-z", "none", "--clamp", free});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return nlohmann::json::parse(outcome.out);
  };
  const auto some = judge("holes.csv", "b=free"), all = judge("whole.csv", "b=free");
  CHECK(some["num_samples"] == 40);
  CHECK(some["num_conditioned"] == 30);
  CHECK(all["num_conditioned"] == 30);
  CHECK(some["log_conditional"].get<double>() == doctest::Approx(all["log_conditional"].get<double>()).epsilon(1e-12));
  CHECK(some["log_conditional_error"].get<double>() ==
        doctest::Approx(all["log_conditional_error"].get<double>()).epsilon(1e-10));
  // Of a column that is standardized by s: log p of its own units is that of z less log s.
  const auto jacobian = [&](const char* data, const char* free) {
    return judge(data, free)["log_conditional_jacobian"].get<double>();
  };
  const double b = jacobian("holes.csv", "b=free");
  CHECK(jacobian("whole.csv", "b=free") == doctest::Approx(b).epsilon(1e-12));
  CHECK(jacobian("whole.csv", "a=free") + b + jacobian("whole.csv", "c=free") ==
        doctest::Approx(all["log_jacobian"].get<double>()).epsilon(1e-10));
  CHECK(std::abs(b - all["log_jacobian"].get<double>()) > 0.1);
  REQUIRE(
      run(folder, {"evaluate", "run", "--data", "holes.csv", "--log-z", "none", "--clamp", "b=free", "--rows", "r.csv"})
          .status == 0);
  const auto rows = csv_fields(folder / "r.csv");
  const auto column = std::ranges::find(rows[0], "log_conditional") - rows[0].begin();
  CHECK(rows[1][static_cast<std::size_t>(column)] == "nan");
  CHECK(rows[2][static_cast<std::size_t>(column)] != "nan");
  const std::string told =
      run(folder, {"evaluate", "run", "--data", "holes.csv", "--clamp", "b=free", "--log-z", "none"}).out;
  CHECK(told.find(fmt::format("num_conditioned {:>26}  rows of these; ", 30)) != std::string::npos);
}

TEST_CASE("evaluate --clamp refuses what is not free, and says where sums are too long") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto refused = [&](const Words& more, const char* pattern) {
    Words words{"evaluate", "m.h5"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), 2, pattern);
  };
  refused({"--data", "d.npy", "--clamp", "visible=1"},
          "--clamp visible=1: each row holds what it has. Name what is free, LAYER=free, LAYER[UNIT]=free or "
          "COLUMN=free: the figure is log p of that given the rest of the row. Log p of what is held is found without "
          "rows: name a model file, and leave --data out.");
  refused({"--data", "d.npy", "--clamp", "visibel=free"},
          "--clamp visibel=free: the model has no layer 'visibel' (did you mean 'visible'?). Its layers: visible, "
          "hidden.");
  refused({"--clamp", "visible[0]=free"}, "--clamp: it is about rows, and none are named. Add --data FILE.");
  refused({"--betas", "0.5,1", "--clamp", "visible[0]=free"},
          "--clamp: it is about rows, and none are named. Add --data FILE.");
  folder.write("wide.toml", "[model]\ntype = \"rbm\"\nnum_visible = 20\nnum_hidden = 20\n");
  REQUIRE(run(folder, {"import", "wide.toml", "--output", "wide.h5"}).status == 0);
  folder.write("w.npy", npy_bytes(4, 20, bit_rows(4, 20)));
  const auto judge = [&](const char* what) {
    const Outcome outcome =
        run(folder, {"evaluate", "wide.h5", "--data", "w.npy", "--log-z", "none", "--json", "--clamp", what});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  CHECK(judge("visible[0:8]=free")["log_conditional"].is_number());
  const auto wide = judge("visible=free");
  CHECK(wide["log_conditional"].is_null());
  CHECK(wide["reasons"]["log_conditional"] ==
        "what is free, or was not seen, has too many states to be summed over. Leave fewer units free.");
}

}  // namespace log_conditional_test
