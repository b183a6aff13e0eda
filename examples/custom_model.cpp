// A model of one's own: a ring of binary units with one bias and one coupling, E(x) = −b Σ_i x_i − J Σ_i x_i x_{i+1}.
// It says its energy, its gradient and the conditionals of its units; sampling and training follow from these.
#include <cstdio>

#include <harmonium/framework/model/model_base.hpp>
#include <harmonium/harmonium.hpp>

using namespace harmonium;

class Ring final : public ObservedModel, private BlockConditionals {
 public:
  explicit Ring(Index even_size)
      : ObservedModel(Layout({{"ring", even_size, std::make_shared<BinaryUnit>(), Role::observed}}),
                      {{.name = "bias.ring", .rows = 1}, {.name = "weight.ring", .rows = 1}}),
        blocks_(2) {
    for (Index i = 0; i < even_size; ++i) blocks_[i % 2].units.push_back(i);
    for (Block& block : blocks_) block.size = block.units.size();
  }

  void energy(ConstChainView x, std::span<double> out) const override {
    for (Index r = 0; r < x.rows(); ++r) out[r] = -b() * ones(x, r) - j() * pairs(x, r);
  }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor&) const override {
    for (Index r = 0; r < x.rows(); ++r) {
      gradient[0] -= static_cast<Real>(weights[r] * ones(x, r));
      gradient[1] -= static_cast<Real>(weights[r] * pairs(x, r));
    }
  }

  // Even units are independent of each other given the odd ones, and the reverse.
  const BlockConditionals* block_conditionals() const override { return this; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override {
    const ConstMatrixRef v = x[ring];
    for (Index r = 0; r < x.rows(); ++r) {
      for (Index k = begin; k < end; ++k) {
        const Index i = block.units[k], left = (i + v.cols - 1) % v.cols, right = (i + 1) % v.cols;
        out.linear(r, k - begin) = parameters()[0] + parameters()[1] * (v(r, left) + v(r, right));
      }
    }
  }
  bool independent(LayerSet free, LayerSet) const override { return free.empty(); }

 private:
  static constexpr LayerId ring{0};
  double b() const { return static_cast<double>(parameters()[0]); }
  double j() const { return static_cast<double>(parameters()[1]); }
  double energy_operations() const override { return 3.0 * static_cast<double>(layout()[ring].size); }
  double ones(ConstChainView x, Index r) const {
    double sum = 0;
    for (Index i = 0; i < layout()[ring].size; ++i) sum += static_cast<double>(x[ring](r, i));
    return sum;
  }
  double pairs(ConstChainView x, Index r) const {
    double sum = 0;
    const Index n = layout()[ring].size;
    for (Index i = 0; i < n; ++i) sum += static_cast<double>(x[ring](r, i) * x[ring](r, (i + 1) % n));
    return sum;
  }

  std::vector<Block> blocks_;
};

int main() {
  const Executor threads;
  const Execution execution{threads, {.seed = 3}};

  // Draws from a ring that is known ...
  Ring truth(20);
  truth.update_parameters([](std::span<Real> theta) { theta[0] = Real(-1), theta[1] = Real(1.5); });
  Chains chains(truth.layout(), 5000);
  Gibbs().advance(Target{truth}, chains, 200, execution.part("truth"));
  const ConstMatrixRef x = chains.read(LayerId{0});
  Table table{.rows = x.rows, .cols = x.cols, .values = std::vector<std::uint8_t>(x.data, x.data + x.rows * x.cols)};
  table.shape = {x.rows, x.cols};

  // ... from which another one learns.
  Ring model(20);
  const auto pcd = make_pcd({.gibbs_steps = 5, .num_chains = 100});
  Sgd sgd({.rate = {.learning_rate = 0.01}});
  train(model, Dataset(std::move(table), "draws from a ring"), *pcd, sgd, {.num_epochs = 30}, execution);
  std::printf("bias %.2f, coupling %.2f (the truth: -1.00, 1.50)\n", static_cast<double>(model.parameters()[0]),
              static_cast<double>(model.parameters()[1]));
}
