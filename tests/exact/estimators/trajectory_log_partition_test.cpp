// log Z along a trajectory: the prediction of an acceptance and the ladder's choice against sums over states, the component
// against enumeration.
#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <doctest/doctest.h>

#include <harmonium/estimators/log_partition/machine_ladder_choice.hpp>
#include <harmonium/estimators/log_partition/walked_machines.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/ladder_record.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/law.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/trajectories.hpp>

#include "machines.hpp"

namespace trajectory_log_partition_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// −log of the sum over the latent states of each observed one, or −log p of each joint state where none is latent: by sums.
std::vector<double> summed_energies(const EnergyModel& model) {
  const StateSpace space(model.layout());
  const std::vector<double> joint = model_energies(model, space);
  std::size_t observed = 1;
  for (std::size_t u = 0; u < space.num_units(); ++u)
    if (model.layout().observed().contains(space.layer_of(u))) observed *= space.states_of(u);
  std::vector<double> sums(observed, 0.0);  // the observed layer is the first, and changes fastest
  for (std::size_t s = 0; s < joint.size(); ++s) sums[s % observed] += std::exp(-joint[s]);
  for (double& sum : sums) sum = -std::log(sum);
  return sums;
}

/// E min(1, e^Δ) over all pairs of states.
double exact_acceptance(const EnergyModel& near, const EnergyModel& far) {
  const std::vector<double> u = summed_energies(near), v = summed_energies(far);
  const Law p = law_of(u), q = law_of(v);
  double sum = 0.0;
  for (std::size_t a = 0; a < p.size(); ++a)
    for (std::size_t b = 0; b < q.size(); ++b) sum += p[a] * q[b] * std::min(1.0, std::exp(u[a] + v[b] - u[b] - v[a]));
  return sum;
}

std::unique_ptr<EnergyModel> machine_at(const EnergyModel& model, const MachinePath& path, double place) {
  return with_parameters(model, path.parameters(place));
}

Chains uniform_start(const Layout& layout, Index rows) {
  Chains start(layout, rows);
  for (const LayerId l : layout.ids()) layout[l].unit->sample_uniform(DrawBlock::of({8, 9}, 0, 0, l), start.write(l));
  return start;
}

}  // namespace

TEST_CASE("an acceptance is predicted from rows of one of two laws") {
  // Rows in equal numbers are a law that is known: 0, 0, 1, 3 with weights e^0, e^0, e^1, e^3 of the other.
  const std::vector<double> log_weights{1.0, 0.0, 3.0, 0.0};
  double norm = 0.0, exact = 0.0;
  for (const double w : log_weights) norm += std::exp(w);
  for (const double a : log_weights)
    for (const double b : log_weights) exact += 0.25 * std::exp(b) / norm * std::min(1.0, std::exp(a - b));
  CHECK(predicted_acceptance(log_weights) == doctest::Approx(exact).epsilon(1e-12));
  CHECK(predicted_acceptance(std::vector<double>(7, -500.0)) == doctest::Approx(1.0).epsilon(1e-12));
}

TEST_CASE("machines are chosen as far apart as exchanges allow") {
  const auto model = random_rbm(8, 4, 3, 2.5);
  const MachinePath path(*model, made_trajectory(*model, 6, 5));
  Gibbs gibbs;
  constexpr double wanted = 0.5;
  MachineLadderChoice choice(*model, path, wanted, 400, gibbs, uniform_start(model->layout(), 40), {executor, {1, 2}});
  const std::vector<double>& places = choice.places();
  REQUIRE(places.front() == 1.0);
  REQUIRE(places.back() == 0.0);
  CHECK(places.size() < 8);  // fewer than there are
  for (Index k = 0; k + 1 < places.size(); ++k) {
    CAPTURE(k);
    const auto near = machine_at(*model, path, places[k]), far = machine_at(*model, path, places[k + 1]);
    // 1600 rows of 40 chains predict it to a few hundredths.
    CHECK(exact_acceptance(*near, *far) > wanted - 0.08);
    // The next of the path's own would have been too far.
    const double next = places[k] + 1.0 / static_cast<double>(path.num_parts());
    if (next > 1.0) continue;
    CHECK(exact_acceptance(*machine_at(*model, path, next), *far) < wanted + 0.08);
  }
}

TEST_CASE("between machines that do not exchange enough others are put") {
  const auto model = random_rbm(8, 4, 3, 4.0);
  const MachinePath path(*model, {});
  Gibbs gibbs;
  constexpr double wanted = 0.7;
  MachineLadderChoice choice(*model, path, wanted, 400, gibbs, uniform_start(model->layout(), 40), {executor, {1, 2}});
  const std::vector<double>& places = choice.places();
  CHECK(places.size() > 3);
  for (Index k = 0; k + 1 < places.size(); ++k) {
    const double a = exact_acceptance(*machine_at(*model, path, places[k]), *machine_at(*model, path, places[k + 1]));
    CHECK(a > wanted - 0.08);
    if (k > 0) CHECK(a < wanted + 0.08);  // the step to the model is what is left
  }
}

TEST_CASE("intervals along a trajectory contain log Z as often as they say") {
  // 6 machines, 10 seeds, in single precision 4, with the machines of a run and without: 120 intervals, or 48. So few inside would be met once in a million
  // times where each holds with probability 0.95. The control is those of a quarter of the length.
  constexpr int seeds = in_single ? 4 : 10;
  int inside = 0, inside_a_quarter = 0, agreed = 0, all = 0;
  for (const Example& m : machines()) {
    CAPTURE(m.name);
    const ScratchFolder folder;
    write_trajectory(folder.path(), *m.model, made_trajectory(*m.model, 3, 5));
    const double log_z = exact_log_z(*m.model);
    for (const std::string& run : {std::string(), folder.path().string()}) {
      const auto way = make<LogPartition>("type = 'trajectory'\neffort = 0.5\nrun = '" + run + "'");
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const LogPartitionEstimate found = way->estimate(*m.model, 1.0, {executor, {seed, 3}});
        CHECK(found.high - found.low < 0.7);
        ++all;
        agreed += found.agree ? 1 : 0;
        inside += found.low <= log_z && log_z <= found.high ? 1 : 0;
        inside_a_quarter += std::abs(log_z - found.log_z) <= 0.125 * (found.high - found.low) ? 1 : 0;
      }
    }
  }
  const boost::math::binomial_distribution<> covered(all, 0.95);
  MESSAGE("inside: ", inside, " of ", all, ", a quarter: ", inside_a_quarter, ", agreed: ", agreed);
  CHECK(inside >= quantile(covered, 1e-6));
  CHECK(inside_a_quarter < quantile(covered, 1e-6));
  CHECK(agreed >= all * 3 / 4);
}

TEST_CASE("a record that takes one step for its reverse, or leaves one out, is far off") {
  const auto model = random_rbm(8, 4, 3, 2.5);
  const MachinePath path(*model, {});
  const std::vector<double> places{1.0, 0.7, 0.4, 0.0};
  const MachineRungs rungs(*model, path, places);
  const auto machines = rungs.with(*model);
  // Exact draws: each state of the observed units in turn with its law, by quantiles.
  constexpr Index ladders = 10, times = 400;
  MachineRecord record(3, ladders, times);
  std::vector<std::vector<double>> u;
  u.reserve(machines.size());
  for (const EnergyModel* machine : machines) u.push_back(summed_energies(*machine));
  std::mt19937_64 random(5);
  for (Index k = 0; k < 4; ++k) {
    const Drawing draw(law_of(u[k]));
    for (Index i = 0; i < ladders * times; ++i) {
      const std::size_t s = draw(random);
      if (k == 0) record.target_energies[i] = u[0][s];
      if (k > 0) record.towards[(k - 1) * ladders * times + i] = u[k][s] - u[k - 1][s];
      if (k < 3) record.away[k * ladders * times + i] = u[k][s] - u[k + 1][s];
    }
  }
  const auto log_z = [](const EnergyModel& machine) { return exact_log_z(machine); };
  const double exact = log_z(*model) - log_z(*machines.back());
  const LogPartitionEstimate found = judged(record, executor);
  CHECK(std::abs(found.log_z - exact) < 5.0 * found.error);
  CHECK(found.error < 0.02);
  CHECK(found.agree);
  MachineRecord reversed = record, forgetful = record;
  std::swap(reversed.towards, reversed.away);
  for (Index i = 0; i < ladders * times; ++i) forgetful.towards[i] = forgetful.away[i] = 0.0;
  CHECK(std::abs(bennett_of(reversed) - exact) > 20.0 * found.error);
  CHECK(std::abs(bennett_of(forgetful) - exact) > 20.0 * found.error);
  // Of one ladder fewer.
  const MachineRecord rest = record.without(3);
  CHECK(rest.num_ladders == ladders - 1);
  CHECK(rest.of_pair(rest.away, 2)[3 * times] == record.of_pair(record.away, 2)[4 * times]);
  CHECK(rest.target_energies[3 * times - 1] == record.target_energies[3 * times - 1]);
}

TEST_CASE("along a trajectory at another inverse temperature, and at none") {
  const auto model = random_rbm(8, 5, 3);
  const ScratchFolder folder;
  write_trajectory(folder.path(), *model, made_trajectory(*model, 3, 5));
  const auto way = make<LogPartition>("type = 'trajectory'\nrun = '" + folder.path().string() + "'");
  for (const double beta : {0.0, 0.5, 1.5}) {
    CAPTURE(beta);
    const LogPartitionEstimate found = way->estimate(*model, beta, {executor, {2, 3}});
    // Twice the interval: a seed in a thousand would miss it, these do not.
    CHECK(std::abs(found.log_z - exact_log_z(*model, beta)) <= found.high - found.low + 1e-9);
    CHECK(found.high - found.low < 0.3);
  }
}

TEST_CASE("a walk of machines that is made longer for want of round trips is recorded as densely as before") {
  // Units of the one machine are all 1 and of the other all 0, e^-800 apart: no exchange is ever made, and the walk is as long as it
  // may be.
  const auto model = random_rbm(4, 2, 3);
  const auto with_biases = [&](Real bias) {
    std::vector<Real> theta(model->parameters().size(), Real(0));
    for (const ParameterBlock& block : model->parameter_layout().blocks())
      if (block.name == "bias.visible")
        std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(block.offset), block.size(), bias);
    return with_parameters(*model, theta);
  };
  const auto near = with_biases(Real(100)), far = with_biases(Real(-100));
  Gibbs gibbs;
  const auto recorded = [&](double longer) {
    std::vector<Chains> rows;
    for (int rung = 0; rung < 2; ++rung) rows.push_back(uniform_start(model->layout(), 4));
    MachineLadder ladder({near.get(), far.get()}, nullptr, std::move(rows));
    const WalkedMachines walked = walk_machines(ladder, 400, longer, gibbs, {executor, {1, 2}});
    CHECK(walked.least_round_trips < 2);
    CHECK(walked.record.away.back() < -100.0);  // the last that was written
    return walked.record.num_times;
  };
  CHECK(recorded_times(8, 400) == 200);
  CHECK(recorded(1.0) == 8 * 200);
  CHECK(recorded(2.0) == 16 * 200);
}

namespace {

/// A model whose observed units are coupled besides, by what it does not call a coupling.
class Coupled final : public Forwarding {
 public:
  Coupled(std::unique_ptr<EnergyModel> inner, double by) : Forwarding(*inner), own_(std::move(inner)), by_(by) {}
  std::unique_ptr<EnergyModel> copy() const override { return std::make_unique<Coupled>(own_->copy(), by_); }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override { own_->update_parameters(write); }
  void energy(ConstChainView x, std::span<double> out) const override {
    own_->energy(x, out);
    const ConstMatrixRef v = x[LayerId{0}];
    for (Index r = 0; r < v.rows; ++r)
      for (Index i = 0; i + 1 < v.cols; i += 2) out[r] += by_ * static_cast<double>(v(r, i) * v(r, i + 1));
  }

 private:
  std::unique_ptr<EnergyModel> own_;
  double by_;
};

}  // namespace

TEST_CASE("couplings that a path does not take away are found however many parameters there are") {
  // Some twelve pairs of ones a row: a hundred times what rounding leaves of 150 units, and a quarter of what it was taken to
  // leave of 5150 parameters.
  const auto model = make_rbm({.num_visible = 100, .num_hidden = 50});
  const auto way = make<LogPartition>("type = 'trajectory'");
  const double rounding = 64.0 * std::numeric_limits<Real>::epsilon();
  CHECK_NOTHROW(way->check(Coupled(model->copy(), 0.0)));
  CHECK(message_of<CapabilityError>([&] {
          way->check(Coupled(model->copy(), 100.0 * rounding));
        }).starts_with("log_partition 'trajectory': without its couplings the model is more than independent units"));
}

TEST_CASE("a trajectory that cannot be walked is refused, and one that is walked too short is told") {
  const auto model = random_rbm(8, 5, 3);
  const auto way = make<LogPartition>("type = 'trajectory'");
  CHECK(message_of<CapabilityError>([&] { way->check(Forwarding(*model)); }) ==
        "log_partition 'trajectory': the model cannot be copied, and each machine of a ladder is a copy. Take 'ais'.");
  CHECK(message_of<ConfigError>([&] {
          make<LogPartition>("type = 'trajectory'\nrun = 'nowhere'")->check(*model);
        }).starts_with("log_partition 'trajectory': nowhere: no checkpoints of a run are there."));
  CHECK(message_of<ConfigError>([] {
          make<LogPartition>("type = 'trajectory'\nsampler = 'parallel_tempering'");
        }).ends_with("the sampler has temperatures of its own. Take 'gibbs'."));
  const LogPartitionEstimate found = make<LogPartition>("type = 'trajectory'\neffort = 0.005")
                                         ->estimate(*random_rbm(60, 14, 41, 3.0), 1.0, {executor, {1, 3}});
  CHECK_FALSE(found.agree);
  CHECK(found.why.find("too few round trips") != std::string::npos);
}

}  // namespace trajectory_log_partition_test
