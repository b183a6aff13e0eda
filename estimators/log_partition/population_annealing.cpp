#include <harmonium/estimators/log_partition/population_annealing.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <boost/math/tools/toms748_solve.hpp>
#include <fmt/format.h>

#include <harmonium/estimators/log_partition/annealing_goal.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/descent.hpp>
#include <harmonium/framework/inference/effort.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/inference/population.hpp>
#include <harmonium/framework/inference/recombination.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* own_name = "population_annealing";
constexpr double usual_temperatures = 200.0;
constexpr Index longest_walk = 100'000;

/// The populations on their way from β = 0 to the goal.
class PopulationWalk {
 public:
  PopulationWalk(const AnnealingGoal& goal, const AnnealingBase& base, const PopulationAnnealingOptions& options,
                 Index rows, const Execution& execution)
      : target_{.model = goal.model, .base = base.model(), .beta = 0.0},
        end_(goal.end),
        options_(options),
        execution_(execution),
        populations_(options.num_populations, options.num_populations * rows),
        chains_(goal.model.layout(), options.num_populations * rows) {
    base.draw(nullptr, execution.random.child("start"), chains_);
  }

  void run() {
    const Execution moves = execution_.part("sampler");
    while (target_.beta < end_) {
      if (temperatures_ >= longest_walk)
        throw NumericalError(fmt::format(
            "log_partition '{}': at {} temperatures it stands at beta {:.6g} of {:.6g}: energies differ too "
            "much for steps that rows survive. Take a smaller beta, or more culling.",
            own_name, temperatures_, target_.beta, end_));
      const std::vector<double> d = energy_differences(target_, chains_, execution_.executor);
      const double next = next_beta(d);
      populations_.resample(d, target_.beta - next, uniforms(), target_.model.layout(), chains_, execution_.executor);
      target_.beta = next;
      options_.sampler->advance(target_, chains_, options_.sweeps, moves);
      ++temperatures_;
      execution_.executor.check_stop();
      if (execution_.display) execution_.display->progress(target_.beta / end_, "populations");
    }
  }
  const Populations& populations() const { return populations_; }
  Chains& chains() { return chains_; }
  Index temperatures() const { return temperatures_; }

 private:
  static double rounded(double beta) { return static_cast<double>(static_cast<Real>(beta)); }

  /// The largest β, at most the end, up to which no more rows are lost than shall be; the next that kernels can tell at least.
  double next_beta(std::span<const double> d) const {
    const double beta = target_.beta;
    const auto too_many = [&](double next) { return populations_.culled(d, beta - next) - options_.culling; };
    const double at_end = too_many(end_);
    if (!(at_end > 0.0)) return end_;
    std::uintmax_t most = 100;  // evaluations: some ten are enough
    // To parts of the step too: the first may be far less than what is to go.
    const auto near = [&](double a, double b) { return b - a <= 1e-12 * (end_ - beta) && b - a <= 1e-3 * (b - beta); };
    const double low =
        boost::math::tools::toms748_solve(too_many, beta, end_, -options_.culling, at_end, near, most).first;
    const double least = static_cast<double>(std::nextafter(static_cast<Real>(beta), static_cast<Real>(end_)));
    return std::min(end_, std::max(rounded(low), least));
  }
  /// One number of (0, 1) for each population, of this temperature.
  std::vector<double> uniforms() const {
    const DrawBlock words = DrawBlock::of(execution_.random.child("resampling"), 0, temperatures_, LayerId{0});
    std::vector<double> numbers(populations_.count());
    for (Index p = 0; p < numbers.size(); ++p) numbers[p] = uniform_f64(words.word(p, 0));
    return numbers;
  }

  Target target_;
  double end_;
  const PopulationAnnealingOptions& options_;
  const Execution& execution_;
  Populations populations_;
  Chains chains_;
  Index temperatures_ = 0;
};

bool can_descend(const EnergyModel& model) {
  try {
    check_descent(model);
    return true;
  } catch (const CapabilityError&) {
    return false;
  }
}

/// The lowest energy of all rows after each went down to the next minimum, or of what is made of them region by region, and in words
/// how many rows and families came to it.
std::string find_ground_state(const EnergyModel& model, PopulationWalk& walk, const Execution& execution,
                              LogPartitionEstimate& result) {
  if (!can_descend(model)) return "";
  Chains& rows = walk.chains();
  descend(model, rows, execution.executor);
  std::vector<double> energies(rows.size());
  model.energy(rows, energies);
  const double lowest_met = std::ranges::min(energies);
  result.ground_state = recombine(model, rows, execution.executor);
  descend(model, *result.ground_state, execution.executor);
  double lowest = lowest_met;
  model.energy(*result.ground_state, {&lowest, 1});
  result.ground_state_energy = lowest;
  // Sums of as many terms as there are couplings, in double.
  const double rounding = 1e-9 * (1.0 + std::abs(lowest));
  if (lowest < lowest_met - rounding)
    return fmt::format("; the lowest energy is that of several rows, each in its region, {:.4g} below any of them",
                       lowest_met - lowest);
  std::vector<std::uint8_t> there(energies.size());
  std::ranges::transform(energies, there.begin(), [&](double e) { return e <= lowest + rounding ? 1 : 0; });
  return fmt::format("; the lowest energy was met by {} rows of {} families", std::ranges::count(there, 1),
                     walk.populations().families_of(there));
}

}  // namespace

void PopulationAnnealingOptions::bind(OptionBinder& o) {
  o.option("population", population, "rows of a population", at_least(10));
  o.option("num_populations", num_populations, "independent populations, which the error is told from", at_least(4));
  o.option("culling", culling, "share of the rows that die out at each temperature: what the steps go by",
           within(0.001, 0.5));
  o.option("sweeps", sweeps, "transitions of each row at each temperature", at_least(1));
  o.option("effort", effort, "how much larger populations are than that", effort_limit());
  o.component("sampler", sampler, "what moves the rows at each temperature", "gibbs");
}

PopulationAnnealing::PopulationAnnealing(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError(fmt::format("log_partition '{}': its sampler must be given.", own_name));
  check_untempered(*options_.sampler, own_name);
}

Index PopulationAnnealing::rows_of_population() const {
  return std::max<Index>(
      10, static_cast<Index>(std::llround(std::min(1e15, options_.effort * static_cast<double>(options_.population)))));
}

void PopulationAnnealing::check(const EnergyModel& model) const { check_between(model, *options_.sampler); }

bool PopulationAnnealing::finds_ground_state(const EnergyModel& model, double beta) const {
  return beta > 0.0 && can_descend(model);
}

LogPartitionEstimate PopulationAnnealing::estimate(const EnergyModel& model, double beta,
                                                   const Execution& execution) const {
  if (beta == 0.0) return infinite_temperature_log_z(model, own_name);
  const AnnealingGoal goal(model, beta, own_name);
  const AnnealingBase base = AnnealingBase::uniform(goal.model);
  PopulationWalk walk(goal, base, options_, rows_of_population(), execution);
  walk.run();
  const Populations& populations = walk.populations();
  const OneSided mean = log_mean_weight(populations.log_ratios());
  const std::vector<double> rho = populations.mean_square_families();
  const double families = static_cast<double>(populations.size()) / *std::ranges::max_element(rho);
  LogPartitionEstimate result;
  result.log_z = mean.log_ratio;
  result.error = mean.error;
  const double half =
      half_interval(static_cast<double>(populations.count())) * mean.error + 1e-12 * (1.0 + std::abs(mean.log_ratio));
  result.low = result.log_z - half;
  result.high = result.log_z + half;
  result.shift(base.law().log_partition(1.0));
  if (families < enough_families)
    result.object(
        fmt::format("too few families: the worst population is worth {:.0f} independent rows, and {:.0f} are needed",
                    families, enough_families),
        Doubt::too_few);
  const double deviation = xt::stddev(as_xtensor(populations.log_ratios()))();
  if (deviation > largest_deviation)
    result.object(fmt::format("log Z of populations differs by {:.2g} nats (standard deviation)", deviation),
                  Doubt::too_few);
  result.method =
      fmt::format("population annealing, {} populations of {} rows, {} temperatures{}", populations.count(),
                  populations.size(), walk.temperatures(), find_ground_state(model, walk, execution, result));
  return result;
}

double PopulationAnnealing::operations(const EnergyModel& model) const {
  const auto rows = static_cast<double>(options_.num_populations * rows_of_population());
  return usual_temperatures * rows * operations_per_product(model) *
         (static_cast<double>(options_.sweeps) * options_.sampler->products_per_step() + 1.0);
}

void PopulationAnnealing::memory(const EnergyModel& model, MemoryNeed& need) const {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  const auto rows = static_cast<double>(options_.num_populations * rows_of_population());
  options_.sampler->memory(model, need);
  need.add("the populations, twice", 2.0 * rows * columns * (sizeof(Real) + 1.0), "log_z's population");
  // Numbers of two units a coupling, in vectors that may hold twice as much.
  if (can_descend(model))
    need.add("which units are coupled", 2.0 * operations_per_product(model) * sizeof(Index), "the model's couplings");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
