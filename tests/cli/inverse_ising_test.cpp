// Couplings from states: the recipe of docs/boltzmann_machines.md, held against the truth.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/files/hdf5.hpp>

#include "files.hpp"

namespace inverse_ising_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr int n = 6, k = n + n * (n - 1) / 2;  // spins; fields and couplings
constexpr const char* recipe =
    "seed = 1\nmodel = { type = \"fully_visible\", num_visible = 6, visible_units = \"spin\" }\n"
    "data = { type = \"csv\", path = \"states.csv\" }\nestimator = { type = \"pseudo_likelihood\" }\n"
    "optimizer = { type = \"adam\", learning_rate = 0.02, schedule = { type = \"linear\", final = 0.0 } }\n"
    "training = { batch_size = 1000, num_epochs = 60 }\n";

double true_coupling(int i, int j) { return 0.1 * ((7 * i * i + 3 * i * j + 5 * j) % 5 - 2); }

using Vector = std::array<double, k>;
using Matrix = std::array<Vector, k>;

/// The place of the coupling of i < j behind the fields.
int place(int i, int j) {
  int at = n;
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b, ++at)
      if (a == i && b == j) return at;
  return -1;
}

/// Of the negative log pseudo likelihood, at the truth: the mean Hessian H and the covariance K of a row's gradient.
std::pair<Matrix, Matrix> moments_of_score() {
  Matrix h{}, kk{};
  double z = 0.0;
  for (unsigned state = 0; state < 1u << n; ++state) {
    std::array<double, n> s{}, field{};
    for (int i = 0; i < n; ++i) s[i] = state >> i & 1 ? 1.0 : -1.0;
    double energy = 0.0;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) {
        const double w = true_coupling(i + 1, j + 1);
        energy -= w * s[i] * s[j];
        field[i] += w * s[j];
        field[j] += w * s[i];
      }
    const double weight = std::exp(-energy);
    z += weight;
    Vector score{};
    for (int u = 0; u < n; ++u) {
      Vector slope{};  // of the field of u, by each parameter
      slope[u] = 1.0;
      for (int j = 0; j < n; ++j)
        if (j != u) slope[place(std::min(u, j), std::max(u, j))] = s[j];
      const double mean = std::tanh(field[u]);
      for (int a = 0; a < k; ++a) {
        score[a] += (s[u] - mean) * slope[a];
        for (int b = 0; b < k; ++b) h[a][b] += weight * (1.0 - mean * mean) * slope[a] * slope[b];
      }
    }
    for (int a = 0; a < k; ++a)
      for (int b = 0; b < k; ++b) kk[a][b] += weight * score[a] * score[b];
  }
  for (Matrix* m : {&h, &kk})
    for (Vector& row : *m)
      for (double& v : row) v /= z;
  return {h, kk};
}

/// xᵀ M⁻¹ x of a positive definite matrix, by elimination.
double inverse_form(Matrix m, const Vector& x) {
  Vector y = x;
  double sum = 0.0;
  for (int a = 0; a < k; ++a) {
    sum += y[a] * y[a] / m[a][a];
    for (int b = a + 1; b < k; ++b) {
      const double f = m[b][a] / m[a][a];
      for (int c = a; c < k; ++c) m[b][c] -= f * m[a][c];
      y[b] -= f * y[a];
    }
  }
  return sum;
}

/// M⁻¹ x of the same.
Vector solved(Matrix m, Vector x) {
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b) {
      const double f = b == a ? 0.0 : m[b][a] / m[a][a];
      for (int c = a; c < k; ++c) m[b][c] -= f * m[a][c];
      x[b] -= f * x[a];
    }
  for (int a = 0; a < k; ++a) x[a] /= m[a][a];
  return x;
}

/// Fields and couplings of run/model.h5, less the true ones.
Vector errors(const ScratchFolder& folder) {
  const Hdf5File file = Hdf5File::open(folder / "run/model.h5");
  const auto bias = file.read<double>("parameters/bias.visible").values,
             weight = file.read<double>("parameters/weight.visible.visible").values;
  Vector d{};
  for (int i = 0; i < n; ++i) {
    d[i] = bias[i];
    for (int j = i + 1; j < n; ++j) d[place(i, j)] = weight[i * n + j] - true_coupling(i + 1, j + 1);
  }
  return d;
}

void draw_states(const ScratchFolder& folder, int rows) {
  std::string edges = fmt::format("{} {}\n", n, n * (n - 1) / 2);
  for (int i = 1; i <= n; ++i)
    for (int j = i + 1; j <= n; ++j) edges += fmt::format("{} {} {}\n", i, j, true_coupling(i, j));
  folder.write("truth.txt", edges);
  REQUIRE(run(folder, {"import", "truth.txt", "--output", "truth.h5"}).status == 0);
  REQUIRE(run(folder, {"sample", "truth.h5", "--sampler", "exact", "--num-samples", std::to_string(rows), "--steps",
                       "1", "--output", "states.csv"})
              .status == 0);
  folder.write("c.toml", recipe);
}

Outcome trained(const ScratchFolder& folder, const Words& more) {
  Words words{"train", "c.toml", "--output", "run", "--overwrite"};
  words.insert(words.end(), more.begin(), more.end());
  Outcome outcome = run(folder, words);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return outcome;
}

}  // namespace

TEST_CASE("the recipe for the inverse Ising problem finds couplings to the statistical error, and is content") {
  const ScratchFolder folder;
  const int rows = 10000;
  draw_states(folder, rows);
  const Outcome outcome = trained(folder, {});
  CHECK(outcome.err.find("still on their way") == std::string::npos);
  // The estimates are normal with the covariance H⁻¹ K H⁻¹ / rows: dᵀ H K⁻¹ H d · rows is χ² of k degrees of freedom.
  const auto [h, kk] = moments_of_score();
  const Vector d = errors(folder);
  Vector hd{};
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b) hd[a] += h[a][b] * d[b];
  const double chi_square = rows * inverse_form(kk, hd);
  CHECK(chi_square < k + 5.0 * std::sqrt(2.0 * k));
  CHECK(chi_square > k - 3.0 * std::sqrt(2.0 * k));
}

TEST_CASE("export --errors has the standard errors of what the recipe finds, in files like those of the parameters") {
  const ScratchFolder folder;
  const int rows = 10000;
  draw_states(folder, rows);
  trained(folder, {});
  const Outcome outcome = run(folder, {"export", "run", "--errors", "--output", "errors"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(like(outcome.err,
             "*note: standard errors of 10000 rows, if these are independent: those of the run's objective, *"));
  const auto [h, kk] = moments_of_score();
  std::vector<double> found;
  for (const char* file : {"errors/bias.visible.csv", "errors/weight.visible.visible.csv"}) {
    const std::vector<Words> lines = csv_fields(folder / file);
    for (std::size_t i = 1; i < lines.size(); ++i) found.push_back(std::stod(lines[i].back()));
  }
  REQUIRE(found.size() == k);
  for (int a = 0; a < k; ++a) {
    CAPTURE(a);
    Vector of_a{};
    of_a[a] = 1.0;
    const Vector x = solved(h, of_a);
    double variance = 0.0;
    for (int b = 0; b < k; ++b)
      for (int c = 0; c < k; ++c) variance += x[b] * kk[b][c] * x[c] / rows;
    // Squares of 10,000 rows are known to some 2 %, of errors at what was found in place of the truth: four of these. The curvature alone,
    // or the covariance alone, would be off by a factor of √2 and 2.
    CHECK(std::abs(found[a] / std::sqrt(variance) - 1.0) < 0.08);
  }
  CHECK(outcome.err.find("on their way") == std::string::npos);
  REQUIRE(run(folder, {"export", "run", "--errors", "--output", "errors.npz", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "short", "--epochs", "3", "--quiet"}).status == 0);
  CHECK(like(run(folder, {"export", "short", "--errors", "--output", "errors"}).err,
             "*note: errors are those of the optimum, and the parameters are still on their way: *"));
  check_refusal(run(folder, {"export", "run", "--errors", "--contacts", "--output", "pairs.csv"}), 2, "--errors: *");
  check_refusal(run(folder, {"export", "truth.h5", "--errors", "--output", "e"}), 2,
                "truth.h5: --errors: they are those of a fit to rows, and the model does not say which data it was "
                "trained on. *");
  CHECK_FALSE(std::filesystem::exists(folder / "e"));
}

TEST_CASE("export --errors of categorical units is of the zero-sum gauge, and names what no row has") {
  const ScratchFolder folder;
  const auto exported = [&](int colors, const Words& more) {
    std::string rows = "color,size,shape\n";
    for (int r = 0; r < 270; ++r)
      if (r % 3 != 1 || r / 3 % 3 != 1)
        rows += fmt::format("{},{},{}\n", (r / 9 + r % 3 / 2) % colors, r % 3, r / 3 % 3);
    folder.write("s.csv", rows);
    folder.write("p.toml",
                 "data = { type = \"csv\", path = \"s.csv\" }\nestimator = { type = \"pseudo_likelihood\" }\n"
                 "model = { type = \"fully_visible\", num_visible = 3, visible_units = { type = \"categorical\", "
                 "num_states = 3 } }\ntraining = { batch_size = 240, num_epochs = 5 }\n");
    REQUIRE(run(folder, {"train", "p.toml", "--output", "potts", "--overwrite", "--quiet"}).status == 0);
    Words words{"export", "potts", "--errors", "--output", "e"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  check_refusal(exported(3, {}), 2,
                "--errors: couplings and biases of categorical units have a gauge: *Add --gauge "
                "zero_sum for the errors of those that sum to zero over the states of each unit.");
  const Outcome outcome = exported(3, {"--gauge", "zero_sum"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(like(outcome.err,
             "*note: standard errors of 240 rows*(sandwich), in the zero-sum gauge.\n*note: never together "
             "are 'size=1' and 'shape=1': the optimum of such a coupling is not finite, *"));
  // Of a sum over the states of either site, each has an error; 9 of a site pair and 3 of a site.
  CHECK(csv_fields(folder / "e/weight.visible.visible.csv").size() == 1 + 27);
  for (const Words& line : csv_fields(folder / "e/bias.visible.csv"))
    CHECK((line.back() == "value" || std::stod(line.back()) > 0.0));
  for (const Words& gauge : {Words{}, Words{"--gauge", "zero_sum"}})
    check_refusal(exported(2, gauge), 1, "--errors: 'color=2' is in no row: *");
}

TEST_CASE("of many rows the gradient of all is what has to be small") {
  // That of 10000 of them alone would be 0.82 times what the chance of these makes of it, at the optimum of all 30000.
  const ScratchFolder folder;
  draw_states(folder, 30000);
  CHECK(trained(folder, {}).err.find("still on their way") == std::string::npos);
  CHECK(like(trained(folder, {"--epochs", "2"}).err,
             "*still on their way*standard errors of 30000 rows from the optimum of the objective (root mean square; "
             "the farthest is * of its own), and below *"));
}

TEST_CASE("flat directions are told of, where the gradient is small beside its chance") {
  // A ring of spins at a low temperature.
  const ScratchFolder folder;
  folder.write("flat.txt", "6 6\n1 2 1.2\n2 3 1.2\n3 4 1.2\n4 5 1.2\n5 6 1.2\n1 6 1.2\n");
  REQUIRE(run(folder, {"import", "flat.txt", "--output", "flat.h5"}).status == 0);
  REQUIRE(run(folder, {"sample", "flat.h5", "--sampler", "exact", "--num-samples", "10000", "--steps", "1", "--output",
                       "states.csv"})
              .status == 0);
  folder.write("c.toml", recipe);
  const Words exact{"--set", "estimator={type=\"exact\"}", "--set", "precision=\"float64\""};
  Words longer = exact;
  longer.insert(longer.end(), {"--epochs", "600"});
  CHECK(like(trained(folder, exact).err,
             "*still on their way*standard errors of 10000 rows from the optimum of the log likelihood*"));
  CHECK(trained(folder, longer).err.find("still on their way") == std::string::npos);
}

TEST_CASE("a run of a model without latent units that stopped on its way says so") {
  const ScratchFolder folder;
  draw_states(folder, 500);
  const Words defaults{"--set", "optimizer={type=\"sgd\"}", "--set", "training.batch_size=100",
                       "--set", "training.num_epochs=10"};
  for (const char* estimator : {"pseudo_likelihood", "noise_contrastive", "pcd", "exact"}) {
    CAPTURE(estimator);
    Words words = defaults;
    words.insert(words.end(), {"--set", fmt::format("estimator={{type=\"{}\"}}", estimator)});
    const bool by_chains = estimator == std::string("pcd") || estimator == std::string("exact");
    const std::string words_of =
        estimator == std::string("noise_contrastive")
            ? "the gradient of the objective is * times what the chance of 500 rows alone makes, and falls well below "
              "half "
              "of that"
            : fmt::format(
                  "they are * standard errors of 500 rows from the optimum of the {} (root mean square; the farthest "
                  "is * of "
                  "its own), and below a third of one, none beyond one,",
                  by_chains ? "log likelihood" : "objective");
    CHECK(like(trained(folder, words).err,
               fmt::format("*the parameters are still on their way: {} once they have arrived. "
                           "Train longer (--epochs), *",
                           words_of)));
    words.emplace_back("--quiet");
    CHECK(trained(folder, words).err == "");
  }
  for (const char* estimator : {"pseudo_likelihood", "noise_contrastive"}) {
    CAPTURE(estimator);
    CHECK(trained(folder, {"--set", "training.batch_size=500", "--epochs", "400", "--set",
                           fmt::format("estimator={{type=\"{}\"}}", estimator)})
              .err.find("on their way") == std::string::npos);
  }
  // A penalty moves the optimum: nothing can be said.
  Words penalized = defaults;
  penalized.insert(penalized.end(), {"--set", "regularizers=[{type=\"l2\"}]"});
  CHECK(trained(folder, penalized).err.find("on their way") == std::string::npos);
}

TEST_CASE("a Gaussian model that stopped on its way by score matching says so, and one that arrived does not") {
  const ScratchFolder folder;
  std::string rows;
  for (int r = 0; r < 600; ++r) {  // correlated, of no chance at all
    const double a = std::sin(1.0 * r), b = std::sin(0.7 * r + 1.0);
    rows += fmt::format("{:.4f},{:.4f},{:.4f}\n", a, 0.4 * a + b, 0.3 * b + std::sin(2.3 * r));
  }
  folder.write("rows.csv", rows);
  folder.write("c.toml",
               "seed = 1\nmodel = { type = \"fully_visible\", num_visible = 3, visible_units = \"gaussian\" }\n"
               "data = { type = \"csv\", path = \"rows.csv\" }\nestimator = { type = \"score_matching\" }\n"
               "optimizer = { type = \"adam\", learning_rate = 0.02, schedule = { type = \"linear\", final = 0.0 } }\n"
               "training = { batch_size = 600, num_epochs = 200 }\n");
  CHECK(like(trained(folder, {"--epochs", "1"}).err,
             "*they are * standard errors of 600 rows from the optimum of the objective*"));
  CHECK(trained(folder, {}).err.find("on their way") == std::string::npos);
}

TEST_CASE("chains that have not arrived on 16 spins are told, though these have 65,536 states") {
  const ScratchFolder folder;
  std::string edges = "16 120\n";
  for (int i = 1; i <= 16; ++i)
    for (int j = i + 1; j <= 16; ++j) edges += fmt::format("{} {} {}\n", i, j, true_coupling(i, j));
  folder.write("truth.txt", edges);
  REQUIRE(run(folder, {"import", "truth.txt", "--output", "truth.h5"}).status == 0);
  REQUIRE(run(folder, {"sample", "truth.h5", "--sampler", "exact", "--num-samples", "2000", "--steps", "1", "--output",
                       "states.csv"})
              .status == 0);
  folder.write("c.toml",
               "seed = 1\nmodel = { type = \"fully_visible\", num_visible = 16, visible_units = \"spin\" }\n"
               "data = { type = \"csv\", path = \"states.csv\" }\nestimator = { type = \"pcd\" }\n");
  CHECK(like(trained(folder, {"--epochs", "1"}).err,
             "*they are * standard errors of 2000 rows from the optimum of the log likelihood*"));
}

TEST_CASE("of a sparse glass l1 finds the graph: couplings that are not there are 0, and the others are not") {
  // A chain of 8 spins with couplings of ±0.5, and 10000 rows: at the solution the slopes of absent couplings are 0.06 to 0.08,
  // with errors of some 0.01, and a strength of 0.1 leaves of the others 0.4.
  const ScratchFolder folder;
  std::string edges = "8 7\n";
  for (int i = 1; i < 8; ++i) edges += fmt::format("{} {} {}\n", i, i + 1, i % 3 == 0 ? -0.5 : 0.5);
  folder.write("truth.txt", edges);
  REQUIRE(run(folder, {"import", "truth.txt", "--output", "truth.h5"}).status == 0);
  REQUIRE(run(folder, {"sample", "truth.h5", "--sampler", "exact", "--num-samples", "10000", "--steps", "1", "--output",
                       "states.csv"})
              .status == 0);
  folder.write("c.toml",
               "seed = 1\nmodel = { type = \"fully_visible\", num_visible = 8, visible_units = \"spin\" }\n"
               "data = { type = \"csv\", path = \"states.csv\" }\nestimator = { type = \"pseudo_likelihood\" }\n"
               "optimizer = { type = \"adam\", learning_rate = 0.02, schedule = { type = \"linear\", final = 0.0 } }\n"
               "regularizers = [{ type = \"l1\", strength = 0.1 }]\n"
               "training = { batch_size = 10000, num_epochs = 200 }\n");
  const auto weights = [&](const Words& more) {
    trained(folder, more);
    return Hdf5File::open(folder / "run/model.h5").read<double>("parameters/weight.visible.visible").values;
  };
  const auto sparse = weights({});
  for (int i = 0; i < 8; ++i)
    for (int j = i + 1; j < 8; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      if (j > i + 1) CHECK(sparse[i * 8 + j] == 0.0);
      else CHECK(std::abs(std::abs(sparse[i * 8 + j]) - 0.4) < 0.1);
      CHECK(sparse[i * 8 + j] == sparse[j * 8 + i]);
    }
  // Without it none is 0.
  const auto dense = weights({"--set", "regularizers=[]"});
  CHECK(std::ranges::count(dense, 0.0) == 8);  // the diagonal
}

TEST_CASE("a run with l1 and momentum goes on to the bit") {
  const ScratchFolder folder;
  draw_states(folder, 500);
  const auto to = [&](const char* output, const char* epochs) {
    return run(folder, {"train", "c.toml", "--output", output, "--quiet", "--set",
                        "optimizer={type=\"sgd\", learning_rate=0.05, momentum=0.9}", "--set",
                        "regularizers=[{type=\"l1\", strength=0.05}]", "--set", "training.batch_size=100", "--set",
                        "training.checkpoint_every=5", "--epochs", epochs})
        .status;
  };
  REQUIRE(to("short", "5") == 0);
  REQUIRE(to("long", "10") == 0);
  REQUIRE(run(folder, {"train", "--resume", "short", "--epochs", "10", "--quiet"}).status == 0);
  const auto weights = [&](const char* name) {
    return Hdf5File::open(folder / name / "model.h5").read<double>("parameters/weight.visible.visible").values;
  };
  CHECK(weights("short") == weights("long"));
}

}  // namespace inverse_ising_test
