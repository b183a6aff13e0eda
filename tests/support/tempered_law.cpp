#include <harmonium/tests/support/tempered_law.hpp>

#include <cmath>
#include <stdexcept>

#include <harmonium/tests/support/machines.hpp>

namespace harmonium::testing {
namespace {

std::vector<Law> identity(std::size_t size) {
  std::vector<Law> rows(size, Law(size, 0.0));
  for (std::size_t s = 0; s < size; ++s) rows[s][s] = 1.0;
  return rows;
}

std::vector<Law> product(const std::vector<Law>& a, const std::vector<Law>& b) {
  std::vector<Law> c(a.size(), Law(a.size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a.size(); ++k)
      for (std::size_t j = 0; j < a.size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrices scans_in(std::span<const double> energy, const StateSpace& space, std::span<const double> betas,
                  bool backward) {
  Matrices all;
  for (const double beta : betas) {
    std::vector<double> scaled(energy.begin(), energy.end());
    for (double& e : scaled) e *= beta;
    std::vector<Law> matrix = identity(space.size());
    for (Law& row : matrix)
      for (std::size_t u = 0; u < space.num_units(); ++u)
        redraw_unit(row, scaled, space, backward ? space.num_units() - 1 - u : u);
    all.push_back(std::move(matrix));
  }
  return all;
}

}  // namespace

std::vector<double> tempered_betas(const TemperedCase& c) {
  std::vector<double> betas;
  for (Index k = 1; k <= c.num_temperatures; ++k)
    betas.push_back(std::pow(c.lowest_beta, static_cast<double>(k) / static_cast<double>(c.num_temperatures)));
  return betas;
}

Matrices scans(std::span<const double> energy, const StateSpace& space, std::span<const double> betas) {
  return scans_in(energy, space, betas, false);
}
Matrices backward_scans(std::span<const double> energy, const StateSpace& space, std::span<const double> betas) {
  return scans_in(energy, space, betas, true);
}

Law tempered_law(std::span<const double> energy, std::span<const double> betas, const Matrices& up,
                 const Matrices& down) {
  const std::size_t size = energy.size();
  if (betas.empty() || betas.size() > 2) throw std::invalid_argument("one or two temperatures");
  const Law law = law_of(energy);
  // Beyond the first temperature: from x̂_1 to x̌_1, and what the ratio gains on that way.
  const bool two = betas.size() == 2;
  const std::vector<Law> beyond = two ? product(up[1], down[1]) : identity(size);
  Law after(size, 0.0);
  for (std::size_t from = 0; from < size; ++from) {
    double kept = 1.0;
    for (std::size_t top = 0; top < size; ++top) {
      for (std::size_t other = 0; other < size; ++other) {
        const double way = up[0][from][top] * beyond[top][other];
        if (way == 0.0) continue;
        const double gained = two ? (betas[0] - betas[1]) * (energy[top] - energy[other]) : 0.0;
        for (std::size_t to = 0; to < size; ++to) {
          const double ratio = (1.0 - betas[0]) * (energy[from] - energy[to]) + gained;
          const double taken = way * down[0][other][to] * std::exp(std::min(0.0, ratio));
          after[to] += law[from] * taken;
          kept -= taken;
        }
      }
    }
    after[from] += law[from] * kept;
  }
  return after;
}

const std::vector<TemperedCase>& tempered_cases() {
  static const auto deep = [] {
    return random_machine(binary_layers({2, 1, 1}, {true, false, false}, {{0, 1}, {1, 2}}), 3.5, 3);
  };
  static const auto general = [] {
    return random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}, {0, 0}, {1, 1}}), 1.0, 3);
  };
  static const auto visible = [](double strength) {
    return [=] { return random_machine(binary_layers({4}, {true}, {{0, 0}}), strength, 3); };
  };
  static const std::vector<TemperedCase> all{{"deep, two temperatures", deep, 2, 0.1, 600'000},
                                             {"general, two temperatures", general, 2, 0.4, 600'000},
                                             {"visible, two temperatures", visible(2.0), 2, 0.4, 600'000},
                                             {"visible, one temperature", visible(5.0), 1, 0.4, 600'000}};
  return all;
}

}  // namespace harmonium::testing
