// transform at another temperature: against enumeration, and against models whose couplings are multiplied by beta.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace transform_beta_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double beta = 0.4;

/// E[h_j | v] of the foreign model by adding up its hidden states.
double hidden_mean(unsigned v, unsigned j, double at) {
  double on = 0.0, all = 0.0;
  for (unsigned h = 0; h < 4; ++h) {
    const double p = std::exp(-at * foreign_energy(v, h));
    all += p;
    if (h >> j & 1) on += p;
  }
  return on / all;
}

/// p(v_1 = 1 | the other two bits) of the foreign model, by all its states.
double second_bit(unsigned v, double at) {
  double on = 0.0, all = 0.0;
  for (const unsigned bit : {0u, 2u})
    for (unsigned h = 0; h < 4; ++h) {
      const double p = std::exp(-at * foreign_energy((v & 5u) | bit, h));
      all += p;
      if (bit != 0) on += p;
    }
  return on / all;
}

std::string transformed(const ScratchFolder& folder, const Words& more) {
  Words words{"transform"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run(folder, words);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return outcome.out;
}

}  // namespace

TEST_CASE("features and completed rows of bits at another temperature are those of all states at it") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  CHECK(
      transformed(folder, {"m.h5", "d.npy", "--beta", "0.4", "--output", "h.npy"}) ==
      "h.npy: means of layer 'hidden' given each row, 8 x 2, in closed form (posterior_mean, exact); at beta = 0.4\n");
  for (const char* phase : {"exact", "mean_field"})
    transformed(folder,
                {"m.h5", "d.npy", "--temperature", "2.5", "--phase", phase, "--output", fmt::format("{}.npy", phase)});
  CHECK(transformed(folder, {"m.h5", "d.npy", "--complete", "--clamp", "visible[1]=free", "--beta", "0.4", "--spread",
                             "s.npy", "--output", "c.npy"}) ==
        "c.npy: rows completed by E[missing | seen], 8 x 3, 8 rows with holes, by sums over what is missing (exact); "
        "s.npy has the standard deviations of what is missing; at beta = 0.4\n");
  const Table means = read_npy(folder / "h.npy"), exact = read_npy(folder / "exact.npy"),
              field = read_npy(folder / "mean_field.npy"), rows = read_npy(folder / "c.npy"),
              spread = read_npy(folder / "s.npy");
  for (unsigned v = 0; v < 8; ++v) {
    for (unsigned j = 0; j < 2; ++j) {
      const double expected = hidden_mean(v, j, beta);
      CHECK(means.at(v, j) == doctest::Approx(expected).epsilon(1e-12));
      CHECK(exact.at(v, j) == doctest::Approx(expected).epsilon(1e-12));
      CHECK(field.at(v, j) == doctest::Approx(expected).epsilon(1e-4));
      CHECK(std::abs(expected - hidden_mean(v, j, 1.0)) > 1e-3);
    }
    const double p = second_bit(v, beta);
    CHECK(rows.at(v, 1) == doctest::Approx(p).epsilon(1e-9));
    CHECK(spread.at(v, 1) == doctest::Approx(std::sqrt(p * (1 - p))).epsilon(1e-9));
    CHECK(std::abs(p - second_bit(v, 1.0)) > 1e-3);
  }
}

TEST_CASE("draws at another temperature have the law of the hidden units at it") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  constexpr unsigned copies = 2500;
  std::vector<double> rows;
  const std::vector<double> bits = bit_rows(8, 3);
  for (unsigned i = 0; i < copies; ++i) rows.insert(rows.end(), bits.begin(), bits.end());
  folder.write("d.npy", npy_bytes(8 * copies, 3, rows));
  transformed(folder, {"m.h5", "d.npy", "--draws", "--beta", "0.4", "--seed", "5", "--output", "a.npy"});
  const Table drawn = read_npy(folder / "a.npy");
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned j = 0; j < 2; ++j) {
      double sum = 0.0;
      for (unsigned i = 0; i < copies; ++i) sum += drawn.at(8 * i + v, j);
      const double p = hidden_mean(v, j, beta);
      CHECK(std::abs(sum / copies - p) < 5 * std::sqrt(p * (1 - p) / copies));
    }
}

TEST_CASE("spins at another temperature are completed as those of couplings times beta, by sums and by chains") {
  for (const int side : {3, 6}) {  // 2^9 ways to fill a row in are summed over, 2^36 are not
    CAPTURE(side);
    const ScratchFolder folder;
    write_torus(folder, side);
    std::string scaled = content_of(folder / "ising.txt");
    for (std::size_t at = 0; (at = scaled.find(" 1\n", at)) != std::string::npos;) scaled.replace(at, 3, " 0.4\n");
    folder.write("scaled.txt", scaled);
    REQUIRE(run(folder, {"import", "scaled.txt", "--output", "scaled.h5", "--precision", "float64"}).status == 0);
    const auto across = static_cast<std::size_t>(side);
    const std::size_t spins = across * across;
    std::vector<double> row(spins, std::nan(""));
    row[0] = row[1] = 1.0;
    folder.write("d.npy", npy_bytes(1, spins, row));
    const auto completed = [&](const char* model, const Words& more) {
      Words words{model, "d.npy", "--complete", "--steps", "50", "--seed", "3", "--output", "c.npy"};
      words.insert(words.end(), more.begin(), more.end());
      const std::string said = transformed(folder, words);
      CHECK((said.find("by sums over what is missing (exact)") != std::string::npos) == (side == 3));
      const Table found = read_npy(folder / "c.npy");
      std::vector<double> means;
      for (Index c = 0; c < found.cols; ++c) means.push_back(found.at(0, c));
      return means;
    };
    const std::vector<double> hot = completed("ising.h5", {"--temperature", "2.5"}),
                              expected = completed("scaled.h5", {}), plain = completed("ising.h5", {"--beta", "1"});
    for (std::size_t c = 0; c < spins; ++c) CHECK(hot[c] == doctest::Approx(expected[c]).epsilon(1e-9));
    CHECK(std::abs(hot[2] - plain[2]) > 1e-2);
  }
}

TEST_CASE("classes at another temperature are those of free energies at it") {
  const ScratchFolder folder;
  folder.write("d.csv", "left,middle,right,kind\n1,1,0,0\n0,1,1,0\n1,0,1,1\n0,0,0,1\n");
  folder.write(
      "c.toml",
      "seed = 2\nprecision = \"float64\"\ndata = { type = \"csv\", path = \"d.csv\", label_column = \"kind\" }\n"
      "model = { type = \"rbm\", num_visible = 3, num_labels = 2, num_hidden = 4 }\nestimator = \"exact\"\n"
      "optimizer = { type = \"sgd\", learning_rate = 0.5 }\ntraining = { num_epochs = 400, batch_size = 4 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const auto told = [&](const char* at, std::size_t column) {
    REQUIRE(run(folder, {"evaluate", "run/model.h5", "--data", "d.csv", "--beta", at, "--log-z", "none", "--rows",
                         "figures.csv", "--quiet"})
                .status == 0);
    const auto lines = csv_fields(folder / "figures.csv");
    for (std::size_t c = 0; c < lines[0].size(); ++c)
      if (lines[0][c] == "predicted_probability") return std::stod(lines.at(column + 1).at(c));
    return -1.0;
  };
  transformed(folder, {"run", "d.csv", "--layer", "label", "--beta", "0.4", "--output", "p.npy"});
  const Table p = read_npy(folder / "p.npy");
  for (std::size_t r = 0; r < 4; ++r) {
    const double likeliest = std::max(p.at(r, 0), p.at(r, 1));
    CHECK(likeliest == doctest::Approx(told("0.4", r)).epsilon(1e-9));
    CHECK(std::abs(likeliest - told("1", r)) > 1e-3);
  }
  // Labels are summed out by the same probabilities, as each label's features weigh.
  transformed(folder, {"run", "d.csv", "--beta", "0.4", "--output", "summed.npy"});
  const Table summed = read_npy(folder / "summed.npy");
  Table given[2];
  for (const unsigned y : {0u, 1u}) {
    folder.write("y.csv", fmt::format("left,middle,right,kind\n1,1,0,{0}\n0,1,1,{0}\n1,0,1,{0}\n0,0,0,{0}\n", y));
    transformed(folder, {"run", "y.csv", "--given-label", "--beta", "0.4", "--output", "given.npy"});
    given[y] = read_npy(folder / "given.npy");
  }
  for (Index r = 0; r < 4; ++r)
    for (Index c = 0; c < 4; ++c)
      CHECK(summed.at(r, c) ==
            doctest::Approx(p.at(r, 0) * given[0].at(r, c) + p.at(r, 1) * given[1].at(r, c)).epsilon(1e-9));
}

}  // namespace transform_beta_test
