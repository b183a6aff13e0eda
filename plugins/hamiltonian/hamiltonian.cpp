// Hamiltonian Monte Carlo for models whose layers are all continuous (Neal 2011).
#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/tile_sampler.hpp>
#include <harmonium/framework/plugin/plugin.hpp>

using namespace harmonium;

namespace {

/// Each transition draws momenta p ~ N(0, I), follows H(q, p) = U(q) + p²/2 for `leapfrog_steps` steps of size ε,
///   p ← p − ε/2 ∇U(q),   q ← q + ε p,   p ← p − ε/2 ∇U(q),
/// and accepts where that leads with probability min(1, e^{H before − H after}).
class HamiltonianMonteCarlo final : public TileSampler {
 public:
  struct Options {
    double step_size = 0.1;
    Index leapfrog_steps = 10;
    void bind(OptionBinder& o) {
      o.option("step_size", step_size, "of a leapfrog step, in units of x", more_than(0));
      o.option("leapfrog_steps", leapfrog_steps, "steps of a transition", at_least(1));
    }
  };
  explicit HamiltonianMonteCarlo(Options options) : TileSampler("hamiltonian"), options_(options) {}

  double products_per_step() const override { return 2.0 * static_cast<double>(options_.leapfrog_steps); }

 private:
  Index move(ChainTile& tile) const override {
    const double epsilon = options_.step_size;
    const Matrix<double> start = tile.positions();
    Matrix<double> q = start, p = tile.normals(), gradient = tile.gradient();
    const Vector<double> before = hamiltonian(tile, p);
    for (Index s = 0; s < options_.leapfrog_steps; ++s) {
      p -= 0.5 * epsilon * gradient;
      q += epsilon * p;
      tile.set_positions(q);
      gradient = tile.gradient();
      p -= 0.5 * epsilon * gradient;
    }
    const Vector<double> after = hamiltonian(tile, p);
    Index accepted = 0;
    for (Index r = 0; r < tile.rows(); ++r) {
      if (accepts(before(r) - after(r), tile.uniform(r))) ++accepted;
      else tile.set_positions(r, start);
    }
    return accepted;
  }

  static Vector<double> hamiltonian(const ChainTile& tile, const Matrix<double>& p) {
    return tile.energy() + 0.5 * xt::sum(p * p, {1});
  }

  Options options_;
};

void enroll(Registries& registries) {
  registries.of<Sampler>().add<HamiltonianMonteCarlo>("hamiltonian", "Hamiltonian Monte Carlo of continuous units");
}

}  // namespace

HARMONIUM_PLUGIN("hamiltonian", "1.0.0", "Hamiltonian Monte Carlo", enroll);
