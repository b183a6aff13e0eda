#include <harmonium/estimators/gradients/noise_contrastive.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <harmonium/estimators/gradients/loss_checks.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index noise_piece = 64;       // evaluated
constexpr Index rows_of_noise = 10000;  // of the data that the noise is made after
constexpr Index rows_of_start = 1000;

/// Refuses a column of continuous units that hardly varies: noise as narrow tells nothing of log Z.
void check_width(const Layer& layer, ConstMatrixRef x) {
  constexpr double least_variance = 1e-6;  // the least that the noise takes
  const Matrix<double> values = xt::cast<double>(as_xtensor(x));
  const Vector<double> variances = xt::variance(values, {0});
  for (Index c = 0; c < variances.size(); ++c)
    if (variances(c) < least_variance)
      throw CapabilityError(fmt::format(
          "estimator 'noise_contrastive': column {} of layer '{}' hardly varies in the data, and noise made after "
          "it would tell nothing of log Z. Leave the column out, or try 'pcd'.",
          c, layer.name));
}

/// Refuses rows that have no probability: gray values of units with states.
void check_states(const Layout& layout, const Chains& rows) {
  for (const LayerId l : layout.ids(layout.observed())) {
    if (const auto row = first_outside(layout[l], rows.read(l), Domain::states))
      throw CapabilityError(fmt::format(
          "estimator 'noise_contrastive': the data has values between the states of the units of layer "
          "'{}' (row {} of those looked at), and so no probability. Set data.binarize, or try 'pseudo_likelihood'.",
          layout[l].name, *row));
  }
}

}  // namespace

NoiseContrastive::NoiseContrastive(Options options) : noise_rows_(options.noise_rows) {}

void NoiseContrastive::check(const EnergyModel& model) const {
  check_summed_out("noise_contrastive", model);
  AnnealingBase::uniform(model);  // throws where a kind of units has no law of its own
}

void NoiseContrastive::begin(const EnergyModel& model, const DataOutline& data) {
  check_complete("noise_contrastive", data);
  if (!data.some_rows) {
    noise_.emplace(AnnealingBase::uniform(model));
    return;
  }
  const Chains rows = data.some_rows(rows_of_noise);
  check_states(model.layout(), rows);
  for (const LayerId l : model.layout().ids(model.layout().observed()))
    if (has_precision(*model.layout()[l].unit)) check_width(model.layout()[l], rows.read(l));
  noise_.emplace(AnnealingBase::marginals(model, rows));
}

ParameterLayout NoiseContrastive::own_parameters(const EnergyModel&) const { return {{.name = "log_z", .rows = 1}}; }

void NoiseContrastive::start(const EnergyModel& model, const Execution& execution) {
  const Chains noise = draw(model, rows_of_start, 0, execution.random.child("start"));
  const std::vector<double> ratios = log_ratios(model, noise, execution.executor);
  *log_z_ = static_cast<Real>(logsumexp(ratios) - std::log(static_cast<double>(ratios.size())));
}

Chains NoiseContrastive::draw(const EnergyModel& model, Index rows, std::uint32_t first,
                              const RandomSource& random) const {
  Chains noise(model.layout(), rows, first);
  const HeldMask latent(model.layout().latent());
  noise_->draw(&latent, random, noise);
  return noise;
}

std::vector<double> NoiseContrastive::log_ratios(const EnergyModel& model, const Chains& x,
                                                 const Executor& executor) const {
  const LayerSet observed = model.layout().observed();
  const FactorialBase& law = noise_->law();
  const double log_z_of_noise = law.log_partition(1.0);
  const ConstChainView rows = x.real();
  std::vector<double> own(x.size()), noise(x.size());
  executor.for_each_piece(x.size(), noise_piece, [&](Index begin, Index end) {
    const ConstChainView part = rows.slice(begin, end);
    model.free_energy()->evaluate(observed, 1.0, part, std::span(own).subspan(begin, end - begin));
    law.free_energy()->evaluate(observed, 1.0, part, std::span(noise).subspan(begin, end - begin));
  });
  // log q = −F₀ − log Z₀
  std::ranges::transform(noise, own, own.begin(), [&](double f0, double f) { return f0 + log_z_of_noise - f; });
  return own;
}

GradientEstimator::Report NoiseContrastive::estimate(const EnergyModel& model, const DataBatch& data,
                                                     std::span<Real> gradient, const Execution& execution) {
  std::ranges::fill(gradient, Real{0});
  Report report = estimate_shard(model, data, {}, gradient, {}, execution);
  finish(model, {}, gradient, {}, execution.executor);
  return report;
}

void NoiseContrastive::join(ShardEstimator& first) {
  auto& other = dynamic_cast<NoiseContrastive&>(first);
  log_z_ = other.log_z_;
  updates_ = other.updates_;
}

GradientEstimator::Report NoiseContrastive::estimate_shard(const EnergyModel& model, const DataBatch& data,
                                                           const WholeBatch&, std::span<Real> gradient, std::span<Real>,
                                                           const Execution& execution) {
  if (data.observed) begin(model, {.rows = data.rows.size(), .missing = true});
  check_states(model.layout(), data.rows);
  const Index rows = data.rows.size();
  const Chains noise =
      draw(model, noise_rows_ * rows, static_cast<std::uint32_t>(data.rows.first_chain() * noise_rows_),
           execution.random.child("noise").child(std::to_string(*updates_)));
  std::vector<double> of_data = log_ratios(model, data.rows, execution.executor),
                      of_noise = log_ratios(model, noise, execution.executor);
  const double shift = static_cast<double>(*log_z_) + std::log(static_cast<double>(noise_rows_));
  // Rows that all weigh nothing are told as if they weighed alike: 0 would stand in the mean of an epoch as a share of them.
  const double all = data.total_weight(), share = 1.0 / (all > 0.0 ? all : static_cast<double>(rows));
  const auto told = [&](Index r) { return all > 0.0 ? data.weights[r] : 1.0; };
  double loss = 0.0, of_log_z = 0.0, data_told = 0.0, noise_told = 0.0;
  // From log ratios to weights of ∂F: σ(−G) of data and −σ(G) of noise, whose sum is ∂L/∂c.
  for (Index r = 0; r < rows; ++r) {
    const double g = of_data[r] - shift;
    loss += data.weights[r] * log1pexp(-g);
    data_told += g > 0.0 ? told(r) : 0.0;
    of_log_z += of_data[r] = data.weights[r] * logistic(-g);
  }
  for (Index j = 0; j < noise.size(); ++j) {
    const double g = of_noise[j] - shift, weight = data.weights[j / noise_rows_];
    loss += weight * log1pexp(g);
    noise_told += g > 0.0 ? 0.0 : told(j / noise_rows_);
    of_log_z += of_noise[j] = -weight * logistic(g);
  }
  const std::span<Real> of_theta = gradient.first(model.parameters().size());
  const LayerSet observed = model.layout().observed();
  model.free_energy()->add_gradient(observed, data.rows, of_data, of_theta, execution.executor);
  model.free_energy()->add_gradient(observed, noise, of_noise, of_theta, execution.executor);
  gradient.back() = static_cast<Real>(of_log_z);

  Report report;
  report.loss = loss;
  report.proper = false;  // of θ and c together, not of θ at a given c
  report.own = {{"log_z", static_cast<double>(*log_z_)},
                {"data_told", data_told * share},
                {"noise_told", noise_told * share / static_cast<double>(noise_rows_)}};
  report.positive = {.method = fmt::format("rows told from {} drawn rows of noise each", noise_rows_)};
  return report;
}

double NoiseContrastive::products(const EnergyModel&, Index rows) const {
  return 3.0 * static_cast<double>((1 + noise_rows_) * rows);  // means of the latent units twice, and their products
}

void NoiseContrastive::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  const Layout& layout = model.layout();
  const auto of = [&](LayerSet layers) { return static_cast<double>(layout.columns(layers)) * sizeof(Real); };
  // As rows of all layers, and while they are drawn as fields and draws of the observed ones.
  const auto noise = static_cast<double>(std::max(noise_rows_ * rows, rows_of_start));
  need.add_passing("the rows of noise", noise * (of(layout.all()) + 4.0 * of(layout.observed())),
                   "estimator.noise_rows");
}

void NoiseContrastive::common_state(StateArchive& archive) {
  double log_z = static_cast<double>(*log_z_);
  archive.field("log_z", log_z);
  *log_z_ = static_cast<Real>(log_z);
  archive.field("updates", *updates_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
