#include <harmonium/tests/support/continuous.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/machines.hpp>

namespace harmonium::testing {
namespace {

using Vector = std::vector<double>;

/// Standard normal distribution function.
double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }
std::size_t part_of(double u, std::size_t parts) {
  return std::min(static_cast<std::size_t>(u * static_cast<double>(parts)), parts - 1);
}

/// A = C Cᵀ, C lower triangular, rows of a square matrix.
Vector cholesky(Vector a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0.0)) throw std::invalid_argument("the precision matrix is not positive definite");
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
    for (std::size_t j = i + 1; j < n; ++j) a[i * n + j] = 0.0;
  }
  return a;
}
Vector solve_lower(const Vector& c, Vector b) {  // C y = b
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= c[i * n + k] * b[k];
    b[i] /= c[i * n + i];
  }
  return b;
}
Vector solve_upper(const Vector& c, Vector b) {  // Cᵀ y = b
  const std::size_t n = b.size();
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= c[k * n + i] * b[k];
    b[i] /= c[i * n + i];
  }
  return b;
}

/// The energy's coefficients, times a factor.
struct Coefficients {
  std::size_t n = 0, m = 0;
  Vector a, k, w, c, l;

  std::vector<std::size_t> first;  ///< of each layer, among the units of its kind

  explicit Coefficients(const Layout& layout) : n(layout[LayerId{0}].size) {
    for (const LayerId id : layout.ids()) {
      first.push_back(m);
      if (id != LayerId{0}) m += layout[id].size;
    }
    a.resize(n * n);
    k.resize(n);
    w.resize(n * m);
    c.resize(m);
    l.resize(m * m);
  }
  void add(const EnergyModel& model, double factor) {
    const ParameterLayout& parameters = model.parameter_layout();
    for (Index b = 0; b < parameters.blocks().size(); ++b) {
      const ParameterBlock& block = parameters[b];
      const ConstMatrixRef t = parameters.view(b, model.parameters().data());
      const bool gaussian = block.layers[0] == LayerId{0};
      const std::size_t row = first[static_cast<std::size_t>(block.layers[0])];
      const std::size_t col = block.layers.size() > 1 ? first[static_cast<std::size_t>(block.layers[1])] : 0;
      for (Index i = 0; i < t.rows; ++i) {
        for (Index j = 0; j < t.cols; ++j) {
          const double v = factor * static_cast<double>(t(i, j));
          if (block.role == ParameterRole::bias) (gaussian ? k : c)[row + i] += v;
          else if (block.role == ParameterRole::log_precision)
            a[i * n + i] += factor * std::exp(static_cast<double>(t(i, j)));
          else if (gaussian && block.layers[1] != LayerId{0}) w[i * m + col + j] += v;
          else if (gaussian) a[i * n + j] -= v;
          else {
            l[(row + i) * m + col + j] += v;
            if (row != col) l[(col + j) * m + row + i] += v;
          }
        }
      }
    }
  }
};

class GaussianBinaryLaw final : public DrawableLaw {
 public:
  GaussianBinaryLaw(const Coefficients& e, const std::vector<std::uint8_t>& held) : e_(e) {
    for (std::size_t i = 0; i < e.n; ++i) (held[i] ? fixed_ : free_).push_back(i);
    const std::size_t f = free_.size();
    Vector a(f * f);
    for (std::size_t i = 0; i < f; ++i)
      for (std::size_t j = 0; j < f; ++j) a[i * f + j] = e.a[free_[i] * e.n + free_[j]];
    factor_ = cholesky(a, f);

    Vector log_weight;
    for (std::size_t h = 0; h < std::size_t{1} << e.m; ++h) {
      bool agrees = true;
      for (std::size_t j = 0; j < e.m; ++j)
        agrees = agrees && (!held[e.n + j] || static_cast<double>(h >> j & 1u) == held_bit(j));
      if (!agrees) continue;
      states_.push_back(h);
      double weight = 0.0;
      for (std::size_t i = 0; i < e.m; ++i) {
        if (!(h >> i & 1u)) continue;
        weight += e.c[i];
        for (std::size_t j = 0; j < e.m; ++j) weight += (h >> j & 1u) ? 0.5 * e.l[i * e.m + j] : 0.0;
      }
      Vector drive = e.k;
      for (std::size_t i = 0; i < e.n; ++i)
        for (std::size_t j = 0; j < e.m; ++j) drive[i] += (h >> j & 1u) ? e.w[i * e.m + j] : 0.0;
      for (const std::size_t s : fixed_) weight += drive[s] * held_gaussian(s);
      Vector kappa(f);
      for (std::size_t i = 0; i < f; ++i) {
        kappa[i] = drive[free_[i]];
        for (const std::size_t s : fixed_) kappa[i] -= e.a[free_[i] * e.n + s] * held_gaussian(s);
      }
      const Vector half = solve_lower(factor_, kappa);
      weight += 0.5 * std::inner_product(half.begin(), half.end(), half.begin(), 0.0);
      means_.push_back(solve_upper(factor_, half));
      log_weight.push_back(weight);
    }
    for (double& v : log_weight) v = -v;
    weights_ = law_of(log_weight);
    quarters_ = std::size_t{1} << (2 * f);
    for (const double p : weights_) cells_.insert(cells_.end(), quarters_, p / static_cast<double>(quarters_));
    drawing_.emplace(weights_);
  }

  void draw(std::mt19937_64& random, Vector& row) const override {
    const std::size_t at = (*drawing_)(random), h = states_[at];
    std::normal_distribution<double> normal;
    Vector z(free_.size());
    for (double& v : z) v = normal(random);
    z = solve_upper(factor_, z);
    row.resize(e_.n + e_.m);
    for (std::size_t i = 0; i < free_.size(); ++i) row[free_[i]] = means_[at][i] + z[i];
    for (const std::size_t s : fixed_) row[s] = held_gaussian(s);
    for (std::size_t j = 0; j < e_.m; ++j) row[e_.n + j] = static_cast<double>(h >> j & 1u);
  }
  const Law& cells() const override { return cells_; }
  std::size_t cell(const Vector& row) const override {
    std::size_t h = 0;
    for (std::size_t j = 0; j < e_.m; ++j) h |= row[e_.n + j] != 0.0 ? std::size_t{1} << j : 0;
    const auto found = std::find(states_.begin(), states_.end(), h);
    if (found == states_.end()) throw std::logic_error("a held bit has changed");
    const auto at = static_cast<std::size_t>(found - states_.begin());
    const std::size_t f = free_.size();
    std::size_t quarter = 0;
    for (std::size_t i = 0; i < f; ++i) {
      double z = 0.0;  // (Cᵀ (x − μ))_i
      for (std::size_t j = i; j < f; ++j) z += factor_[j * f + i] * (row[free_[j]] - means_[at][j]);
      quarter = 4 * quarter + part_of(normal_cdf(z), 4);
    }
    return at * quarters_ + quarter;
  }

 private:
  Coefficients e_;
  std::vector<std::size_t> free_, fixed_, states_;
  Vector factor_;
  std::vector<Vector> means_;
  Law weights_, cells_;
  std::size_t quarters_ = 1;
  std::optional<Drawing> drawing_;
};

class DoubleWellLaw final : public DrawableLaw {
 public:
  DoubleWellLaw(double a, double b, double c, const std::vector<std::uint8_t>& held)
      : b_(b), c_(c), holds_x_(held[0] != 0), holds_y_(held[1] != 0) {
    // log density of x: y integrated out, or held
    std::vector<double> log_density(points);
    for (std::size_t i = 0; i < points; ++i) {
      const double x = x_of(i), well = a * (x * x - 1.0) * (x * x - 1.0);
      log_density[i] = holds_y_ ? -well - c * x * held_gaussian(1) : -well + 0.5 * c * c * x * x / b;
    }
    const double top = *std::max_element(log_density.begin(), log_density.end());
    cumulative_.assign(points, 0.0);
    for (std::size_t i = 1; i < points; ++i)
      cumulative_[i] = cumulative_[i - 1] + 0.5 * (std::exp(log_density[i - 1] - top) + std::exp(log_density[i] - top));
    for (double& v : cumulative_) v /= cumulative_.back();
    const std::size_t cells = (holds_x_ ? 1 : parts) * (holds_y_ ? 1 : parts);
    cells_.assign(cells, 1.0 / static_cast<double>(cells));
  }
  void draw(std::mt19937_64& random, Vector& row) const override {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const auto after = static_cast<std::size_t>(std::upper_bound(cumulative_.begin() + 1, cumulative_.end() - 1, u) -
                                                cumulative_.begin());
    const double part = (u - cumulative_[after - 1]) / std::max(cumulative_[after] - cumulative_[after - 1], 1e-300);
    std::normal_distribution<double> normal;
    row.resize(2);
    row[0] = holds_x_ ? held_gaussian(0) : x_of(after - 1) + part * (x_of(1) - x_of(0));
    row[1] = holds_y_ ? held_gaussian(1) : -c_ / b_ * row[0] + normal(random) / std::sqrt(b_);
  }
  const Law& cells() const override { return cells_; }
  std::size_t cell(const Vector& row) const override {
    std::size_t at = 0;
    if (!holds_x_) {
      const double place = std::clamp((row[0] - low) / (x_of(1) - low), 0.0, static_cast<double>(points - 1) - 1e-9);
      const auto i = static_cast<std::size_t>(place);
      at = part_of(cumulative_[i] + (place - static_cast<double>(i)) * (cumulative_[i + 1] - cumulative_[i]), parts);
    }
    if (!holds_y_) at = at * parts + part_of(normal_cdf((row[1] + c_ / b_ * row[0]) * std::sqrt(b_)), parts);
    return at;
  }

 private:
  static constexpr std::size_t points = 40'001, parts = 8;
  static constexpr double low = -6.0;
  static double x_of(std::size_t i) { return low + 12.0 * static_cast<double>(i) / static_cast<double>(points - 1); }

  double b_, c_;
  bool holds_x_, holds_y_;
  std::vector<double> cumulative_;
  Law cells_;
};

void put(const std::vector<double>& row, const Layout& layout, Chains& chains, Index r) {
  Index at = 0;
  for (const LayerId l : layout.ids()) {
    const MatrixRef x = chains.write(l);
    for (Index c = 0; c < x.cols; ++c) x(r, c) = static_cast<Real>(row[at++]);
  }
}
std::vector<double> read(const Layout& layout, const Chains& chains, Index r) {
  std::vector<double> row;
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = chains.read(l);
    for (Index c = 0; c < x.cols; ++c) row.push_back(static_cast<double>(x(r, c)));
  }
  return row;
}

}  // namespace

double held_gaussian(Index unit) { return 0.5 - 0.75 * static_cast<double>(unit % 3); }
double held_bit(Index unit) { return unit % 2 == 0 ? 1.0 : 0.0; }

LawMaker gaussian_binary_law(const EnergyModel& model, const EnergyModel* base) {
  return [&model, base](double beta, const std::vector<std::uint8_t>& held) -> std::unique_ptr<DrawableLaw> {
    Coefficients e(model.layout());
    e.add(model, beta);
    if (base) e.add(*base, 1.0 - beta);
    return std::make_unique<GaussianBinaryLaw>(e, held);
  };
}

std::unique_ptr<LayeredModel> coupled_normals(Index size, double coupling) {
  LayerGraph graph;
  graph.layers = {{"visible", size, std::make_shared<GaussianUnit>(), Role::observed}};
  graph.couplings = {{0, 0}};
  auto model = std::make_unique<LayeredModel>(std::move(graph));
  const ParameterLayout& parameters = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const MatrixRef l = parameters.view(parameters.find("weight.visible.visible"), theta.data());
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < size; ++j) l(i, j) = i == j ? Real{0} : static_cast<Real>(coupling);
  });
  return model;
}

std::unique_ptr<LayeredModel> small_gaussian(Index num_hidden, bool lateral_visible, bool lateral_hidden,
                                             std::uint64_t seed) {
  LayerGraph graph;
  graph.layers = {{"visible", 3, std::make_shared<GaussianUnit>(), Role::observed}};
  if (num_hidden > 0) {
    graph.layers.push_back({"hidden", num_hidden, std::make_shared<BinaryUnit>(), Role::latent});
    graph.couplings.emplace_back(0, 1);
    if (lateral_hidden) graph.couplings.emplace_back(1, 1);
  }
  auto model = random_machine(graph, 0.8, seed);
  if (!lateral_visible) return model;
  // Couplings of the Gaussian units small enough for A to be positive definite whatever the precisions drawn.
  LayerGraph coupled;
  coupled.layers = model->layout().layers();
  coupled.couplings = {{0, 0}};
  if (num_hidden > 0) coupled.couplings.emplace_back(0, 1);
  if (num_hidden > 0 && lateral_hidden) coupled.couplings.emplace_back(1, 1);
  auto result = std::make_unique<LayeredModel>(std::move(coupled));
  const ParameterLayout& parameters = result->parameter_layout();
  result->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& block : model->parameter_layout().blocks()) {
      const auto values = model->parameters().subspan(block.offset, block.size());
      std::ranges::copy(values,
                        theta.begin() + static_cast<std::ptrdiff_t>(parameters[parameters.find(block.name)].offset));
    }
    const MatrixRef l = parameters.view(parameters.find("weight.visible.visible"), theta.data());
    const MatrixRef log_gamma = parameters.view(parameters.find("log_precision.visible"), theta.data());
    for (Index i = 0; i < 3; ++i) {
      log_gamma(i, 0) = static_cast<Real>(0.25 * static_cast<double>(i));
      for (Index j = 0; j < 3; ++j) l(i, j) = i == j ? Real{0} : static_cast<Real>(i + j == 2 ? -0.45 : 0.4);
    }
  });
  return result;
}

DoubleWell::DoubleWell(double a, double c)
    : layout_(std::vector<Layer>{{"position", 2, std::make_shared<GaussianUnit>(), Role::observed}}),
      theta_{static_cast<Real>(a), static_cast<Real>(c)} {
  parameter_layout_.add({.name = "coefficients", .rows = 2, .layers = {LayerId{0}}});
}

void DoubleWell::energy(ConstChainView x, std::span<double> out) const {
  const ConstMatrixRef v = x[LayerId{0}];
  for (Index r = 0; r < v.rows; ++r) {
    const auto p = static_cast<double>(v(r, 0)), q = static_cast<double>(v(r, 1));
    out[r] = static_cast<double>(theta_[0]) * (p * p - 1.0) * (p * p - 1.0) + static_cast<double>(theta_[1]) * p * q +
             0.5 * q * q;
  }
}

void DoubleWell::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                              const Executor&) const {
  const ConstMatrixRef v = x[LayerId{0}];
  for (Index r = 0; r < v.rows; ++r) {
    const auto p = static_cast<double>(v(r, 0)), q = static_cast<double>(v(r, 1));
    gradient[0] += static_cast<Real>(weights[r] * (p * p - 1.0) * (p * p - 1.0));
    gradient[1] += static_cast<Real>(weights[r] * p * q);
  }
}

void DoubleWell::evaluate(ConstChainView x, std::span<const MatrixRef> out) const {
  if (out[0].empty()) return;
  const ConstMatrixRef v = x[LayerId{0}];
  for (Index r = 0; r < v.rows; ++r) {
    const Real p = v(r, 0), q = v(r, 1);
    out[0](r, 0) = 4 * theta_[0] * p * (p * p - 1) + theta_[1] * q;
    out[0](r, 1) = theta_[1] * p + q;
  }
}

LawMaker double_well_law(const DoubleWell& model, const DoubleWell* base) {
  return [&model, base](double beta, const std::vector<std::uint8_t>& held) -> std::unique_ptr<DrawableLaw> {
    const auto of = [](const DoubleWell& m, Index i) { return static_cast<double>(m.parameters()[i]); };
    const double rest = base ? 1.0 - beta : 0.0;
    const DoubleWell& other = base ? *base : model;
    return std::make_unique<DoubleWellLaw>(beta * of(model, 0) + rest * of(other, 0), beta + rest,
                                           beta * of(model, 1) + rest * of(other, 1), held);
  };
}

Findings examine_continuous(Sampler& sampler, const ContinuousScenario& s, MeanChanges* means) {
  const Layout& layout = s.model.layout();
  Target target{s.model, s.base, s.beta, s.ladder, nullptr};
  struct Group {
    std::uint32_t rung;
    std::vector<std::uint8_t> held;
    std::unique_ptr<DrawableLaw> law;
  };
  std::vector<Group> groups;
  const Index units = layout.columns(layout.all());
  std::vector<std::vector<std::uint8_t>> patterns = s.held_units;
  if (patterns.empty()) patterns.emplace_back(units, std::uint8_t{0});
  for (std::uint32_t rung = 0; rung < std::max<std::size_t>(s.ladder.size(), 1); ++rung) {
    for (std::vector<std::uint8_t> held : patterns) {
      Index at = 0;
      for (const LayerId l : layout.ids())
        for (Index i = 0; i < layout[l].size; ++i, ++at)
          if (s.held_layers.contains(l)) held[at] = 1;
      auto law = s.law(target.beta_of(rung), held);
      groups.push_back({rung, std::move(held), std::move(law)});
    }
  }

  const Executor executor(s.threads);
  const Execution execution{executor, {20, 26}};
  std::mt19937_64 random(17);
  std::vector<std::vector<std::uint64_t>> counts;
  counts.reserve(groups.size());
  for (const Group& group : groups) counts.emplace_back(group.law->cells().size(), 0);
  // Pairs of neighboring chains, by the last part of their cells.
  constexpr std::size_t glimpses = 8;
  std::vector<std::uint64_t> pair_counts(glimpses * glimpses, 0);
  Law glimpse(glimpses, 0.0), pair_law;
  for (std::size_t c = 0; c < groups[0].law->cells().size(); ++c) glimpse[c % glimpses] += groups[0].law->cells()[c];
  for (const double p : glimpse)
    for (const double q : glimpse) pair_law.push_back(p * q);

  Findings findings;
  for (Index first = 0; first < s.draws; first += s.batch) {
    Chains chains(layout, s.batch, s.first_chain + static_cast<std::uint32_t>(first));
    std::vector<std::vector<double>> start(s.batch);
    std::vector<std::vector<std::uint8_t>> bytes(layout.size());
    for (Index r = 0; r < s.batch; ++r) {
      const Group& group = groups[(first + r) % groups.size()];
      group.law->draw(random, start[r]);
      put(start[r], layout, chains, r);
      start[r] = read(layout, chains, r);  // as rounded to Real
      chains.rung()[r] = group.rung;
      Index at = 0;
      for (const LayerId l : layout.ids())
        for (Index i = 0; i < layout[l].size; ++i) bytes[static_cast<Index>(l)].push_back(group.held[at++]);
    }
    HeldMask held(s.held_layers);
    if (!s.held_units.empty())
      for (const LayerId l : layout.ids())
        if (!s.held_layers.contains(l)) held.hold_units(l, layout[l].size, bytes[static_cast<Index>(l)]);
    if (!held.layers().empty() || held.any_units()) target.held = &held;
    const Chains before = chains;
    sampler.advance(target, chains, s.steps, execution);
    target.held = nullptr;
    if (means) means->add(before, chains);

    std::size_t previous = 0;
    for (Index r = 0; r < s.batch; ++r) {
      const Group& group = groups[(first + r) % groups.size()];
      const std::vector<double> end = read(layout, chains, r);
      const std::size_t cell = group.law->cell(end);
      ++counts[(first + r) % groups.size()][cell];
      bool changed = false;
      for (Index i = 0; i < units; ++i) changed = changed || (group.held[i] && end[i] != start[r][i]);
      findings.held_changed += changed ? 1 : 0;
      if (groups.size() == 1 && r % 2 == 1) ++pair_counts[previous % glimpses * glimpses + cell % glimpses];
      previous = cell;
    }
    findings.draws += static_cast<double>(s.batch);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) findings.law.add(counts[g], groups[g].law->cells());
  if (groups.size() == 1 && groups[0].law->cells().size() >= glimpses) {
    findings.pairs.resize(1);
    findings.pairs[0].add(pair_counts, pair_law);
  }
  return findings;
}

}  // namespace harmonium::testing
