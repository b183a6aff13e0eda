// A graph of layers that no preset has, from a configuration to exact numbers, held against sums over its states that are
// written down here.
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace layered_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const char* const forked = R"(
precision = "float64"
[data]
type = "csv"
path = "rows.csv"
label_column = "last"
num_classes = 2
[model]
type = "layered"
terms = [
  { type = "coupling", layers = ["visible", "left"] },
  { type = "coupling", layers = ["visible", "right"] },
  { type = "coupling", layers = ["label", "left"] },
  { type = "lateral", layer = "visible" },
]
masks = [{ coupling = "visible.visible", edges = "grid.txt" }]
[[model.layers]]
name = "visible"
size = 9
[[model.layers]]
name = "label"
size = 1
units = { type = "categorical", num_states = 2 }
[[model.layers]]
name = "left"
size = 2
role = "latent"
[[model.layers]]
name = "right"
size = 2
role = "latent"
[estimator]
type = "pcd"
num_chains = 50
gibbs_steps = 2
[optimizer]
type = "sgd"
learning_rate = 0.2
[training]
num_epochs = 600
batch_size = 12
)";

bool on_grid(Index i, Index j) {
  const Index a = std::min(i, j), b = std::max(i, j);
  return (b - a == 1 && b % 3 != 0) || b - a == 3;
}

/// Images of 3 × 3 pixels whose rows are alike, class 0, or whose columns are, class 1.
std::vector<std::uint8_t> write_rows(const ScratchFolder& folder) {
  std::vector<std::uint8_t> rows;
  for (Index bits = 0; bits < 8; ++bits)
    for (Index label = 0; label < 2; ++label) {
      for (Index c = 0; c < 9; ++c) rows.push_back((bits >> (label == 0 ? c / 3 : c % 3)) & 1);
      rows.push_back(static_cast<std::uint8_t>(label));
    }
  std::ofstream file(folder / "rows.csv");
  for (Index i = 0; i < rows.size(); ++i) file << int{rows[i]} << (i % 10 == 9 ? "\n" : ",");
  std::ofstream edges(folder / "grid.txt");
  edges << "9 12\n";
  for (Index i = 0; i < 9; ++i)
    for (Index j = i + 1; j < 9; ++j)
      if (on_grid(i, j)) edges << i + 1 << " " << j + 1 << " 1\n";
  return rows;
}

/// The model of the file, its law summed up state by state.
class Enumerated {
 public:
  explicit Enumerated(const std::filesystem::path& model) {
    const Hdf5File file = Hdf5File::open(model);
    const auto read = [&](const char* name) { return file.read<double>(std::string("parameters/") + name).values; };
    bias_ = read("bias.visible");
    of_label_ = read("bias.label");
    left_ = read("weight.visible.left");
    right_ = read("weight.visible.right");
    label_left_ = read("weight.label.left");
    lateral_ = read("weight.visible.visible");
    bias_left_ = read("bias.left");
    bias_right_ = read("bias.right");
    for (Index v = 0; v < 512; ++v)
      for (Index y = 0; y < 2; ++y) z_ += std::exp(log_weight(v, y));
  }
  double log_z() const { return std::log(z_); }
  double log_likelihood(Index v, Index y) const { return log_weight(v, y) - log_z(); }
  const std::vector<double>& lateral() const { return lateral_; }

 private:
  /// log Σ_{left, right} e^{−E}, the four hidden units summed over their 16 states.
  double log_weight(Index v, Index y) const {
    const auto x = [&](Index i) { return static_cast<double>((v >> i) & 1); };
    double observed = of_label_[y];
    for (Index i = 0; i < 9; ++i) observed += bias_[i] * x(i);
    for (Index i = 0; i < 9; ++i)
      for (Index j = i + 1; j < 9; ++j)
        if (on_grid(i, j)) observed += lateral_[i * 9 + j] * x(i) * x(j);
    double sum = 0.0;
    for (Index h = 0; h < 16; ++h) {
      double e = 0.0;
      for (Index k = 0; k < 2; ++k) {
        const auto l = static_cast<double>((h >> k) & 1), r = static_cast<double>((h >> (2 + k)) & 1);
        e += l * (bias_left_[k] + label_left_[y * 2 + k]) + r * bias_right_[k];
        for (Index i = 0; i < 9; ++i) e += x(i) * (left_[i * 2 + k] * l + right_[i * 2 + k] * r);
      }
      sum += std::exp(e);
    }
    return observed + std::log(sum);
  }

  std::vector<double> bias_, of_label_, left_, right_, label_left_, lateral_, bias_left_, bias_right_;
  double z_ = 0.0;
};

Index word_of(const std::uint8_t* row) {
  Index v = 0;
  for (Index i = 0; i < 9; ++i) v |= Index{row[i]} << i;
  return v;
}

}  // namespace

TEST_CASE("layers and terms that no preset has are trained, evaluated exactly, and sampled") {
  const ScratchFolder folder;
  const std::vector<std::uint8_t> rows = write_rows(folder);
  std::ofstream(folder / "run.toml") << forked;
  const Outcome trained = run(folder, {"train", "run.toml", "--output", "run", "--quiet"});
  REQUIRE(trained.err == "");
  const Enumerated law(folder / "run" / "model.h5");
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 9; ++j) CHECK((law.lateral()[i * 9 + j] != 0.0) == (i != j && on_grid(i, j)));

  const auto figures = nlohmann::json::parse(
      run(folder, {"evaluate", "run/model.h5", "--data", "rows.csv", "--log-z", "exact", "--json"}).out);
  double mean = 0.0;
  for (Index r = 0; r < 16; ++r) mean += law.log_likelihood(word_of(&rows[r * 10]), rows[r * 10 + 9]) / 16.0;
  CHECK(figures["log_z"].get<double>() == doctest::Approx(law.log_z()).epsilon(1e-12));
  CHECK(figures["log_likelihood"].get<double>() == doctest::Approx(mean).epsilon(1e-12));
  CHECK(mean > -std::log(1024.0) + 1.0);  // it has learned: a nat better than where it began

  // How often a sample is one of the 16 rows: expected p, of 4,000 samples each from a chain of its own.
  constexpr Index num = 4000;
  REQUIRE(
      run(folder, {"sample", "run/model.h5", "--num-samples", "4000", "--steps", "200", "--output", "s.npy"}).status ==
      0);
  const Table samples = read_npy(folder / "s.npy");
  std::vector<double> expected(1024, 0.0);
  double p = 0.0, met = 0.0;
  for (Index r = 0; r < 16; ++r) expected[word_of(&rows[r * 10]) * 2 + rows[r * 10 + 9]] = 1.0;
  for (Index w = 0; w < 1024; ++w)
    if (expected[w] != 0.0) p += std::exp(law.log_likelihood(w / 2, w % 2));
  for (Index r = 0; r < num; ++r) {
    Index v = 0;
    for (Index i = 0; i < 9; ++i) v |= static_cast<Index>(samples.at(r, i)) << i;
    met += expected[v * 2 + static_cast<Index>(samples.at(r, 10))];
  }
  // Five standard errors: a false alarm in two million runs; an error of a fifth of p would be seen.
  CHECK(std::abs(met / num - p) < 5.0 * std::sqrt(p * (1.0 - p) / num));
  CHECK(5.0 * std::sqrt(p * (1.0 - p) / num) < 0.2 * p);
}

}  // namespace layered_test
