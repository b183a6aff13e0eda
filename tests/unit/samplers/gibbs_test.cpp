#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace gibbs_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class WithoutConditionals final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const BlockConditionals* block_conditionals() const override { return nullptr; }
};

std::vector<Real> values(const Chains& chains) {
  std::vector<Real> all;
  for (Index l = 0; l < chains.num_layers(); ++l) {
    const ConstMatrixRef x = chains.read(static_cast<LayerId>(l));
    all.insert(all.end(), x.data, x.data + x.rows * x.cols);
  }
  return all;
}

}  // namespace

TEST_CASE("a model without block conditionals is refused, as a target and as a base") {
  const auto model = random_rbm(2, 2, 1);
  const WithoutConditionals bare(*model);
  const Gibbs gibbs;
  CHECK_NOTHROW(gibbs.check(Target{*model}));
  CHECK(message_of<CapabilityError>([&] { gibbs.check(Target{bare}); }) ==
        "sampler 'gibbs': the model offers no block conditionals, which Gibbs sampling draws from.");
  CHECK(message_of<CapabilityError>([&] {
          gibbs.check(Target{*model, &bare});
        }) == "sampler 'gibbs': the base distribution offers no block conditionals.");
}

TEST_CASE("a chain's draws depend on its number and step, not on its neighbors, threads or how steps are cut") {
  const auto model = random_rbm(500, 40, 1, 0.25);  // two panels of visible units
  const RandomSource random{3, 4};
  const Executor one(1), two(2);
  Chains whole(model->layout(), 40), again(whole), in_parts(whole);
  Gibbs gibbs;
  CHECK(gibbs.advance(Target{*model}, whole, 6, {one, random}, nullptr).acceptance == 1.0);
  gibbs.advance(Target{*model}, again, 6, {two, random}, nullptr);
  CHECK(values(whole) == values(again));
  for (int i = 0; i < 3; ++i) gibbs.advance(Target{*model}, in_parts, 2, {two, random}, nullptr);
  CHECK(values(whole) == values(in_parts));
  CHECK(in_parts.step() == 6);

  // A run split over processes: the second half by itself.
  Chains half(model->layout(), 20, 20);
  gibbs.advance(Target{*model}, half, 6, {one, random}, nullptr);
  bool same = true;
  for (const LayerId l : model->layout().ids())
    for (Index r = 0; r < 20; ++r)
      for (Index c = 0; c < model->layout()[l].columns(); ++c)
        same = same && half.read(l)(r, c) == whole.read(l)(r + 20, c);
  CHECK(same);

  Chains other(model->layout(), 40);
  gibbs.advance(Target{*model}, other, 6, {one, RandomSource{3, 5}}, nullptr);
  CHECK(values(whole) != values(other));
}

TEST_CASE("chains that are current as bytes are moved like any others") {
  const auto model = random_rbm(5, 4, 1);
  const Executor executor(1);
  Chains real(model->layout(), 8), bytes(model->layout(), 8);
  for (const LayerId l : model->layout().ids()) {
    const MatrixRef x = real.write(l);
    const ByteView b = bytes.write_bytes(l);
    for (Index i = 0; i < x.rows * x.cols; ++i) x.data[i] = b.data[i] = static_cast<std::uint8_t>(i % 3 == 0);
  }
  Gibbs().advance(Target{*model}, real, 2, {executor, {}}, nullptr);
  Gibbs().advance(Target{*model}, bytes, 2, {executor, {}}, nullptr);
  CHECK(values(real) == values(bytes));
}

}  // namespace gibbs_test
