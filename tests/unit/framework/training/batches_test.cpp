#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace batches_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Row r is the number r in binary, so that a row tells its own place.
Dataset numbered(Index rows, Index cols) {
  std::vector<std::uint8_t> values;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) values.push_back(static_cast<std::uint8_t>(r >> c & 1));
  return Dataset(Table{rows, cols, std::move(values), {rows, cols}}, "numbers");
}

Index place_of(const Layout& layout, const Chains& rows, Index r) {
  Index place = 0, bit = 0;
  for (const LayerId l : layout.ids()) {
    if (layout[l].role == Role::latent) continue;
    const ConstMatrixRef x = rows.read(l);
    for (Index c = 0; c < x.cols; ++c, ++bit)
      if (x(r, c) != 0) place |= Index{1} << bit;
  }
  return place;
}

std::vector<Index> order(const Layout& layout, Batches& batches, std::uint64_t epoch) {
  std::vector<Index> all;
  for (Index i = 0; i < batches.batches_per_epoch(); ++i) {
    const DataBatch batch = batches.batch(epoch, i);
    for (Index r = 0; r < batch.rows.size(); ++r) all.push_back(place_of(layout, batch.rows, r));
  }
  return all;
}

Layout one_layer(Index size) { return Layout({observed("v", size), latent("h", 1)}); }

}  // namespace

TEST_CASE("every row comes once an epoch, in batches of which the last may be smaller") {
  const Dataset data = numbered(10, 4);
  const Layout layout = one_layer(4);
  Batches batches(data, layout, 4, RandomSource{1, 2});
  CHECK(batches.batches_per_epoch() == 3);
  for (const std::uint64_t epoch : {0, 1, 2}) {
    CHECK(batches.batch(epoch, 0).rows.size() == 4);
    CHECK(batches.batch(epoch, 2).rows.size() == 2);
    std::vector<Index> all = order(layout, batches, epoch);
    std::ranges::sort(all);
    std::vector<Index> expected(10);
    std::iota(expected.begin(), expected.end(), Index{0});
    CHECK(all == expected);
  }
  CHECK(Batches(data, layout, 5, {}).batches_per_epoch() == 2);
  CHECK(Batches(data, layout, 10, {}).batches_per_epoch() == 1);
}

TEST_CASE("the order is a function of seed, purpose and epoch, and of nothing else") {
  const Dataset data = numbered(64, 6);
  const Layout layout = one_layer(6);
  Batches a(data, layout, 10, RandomSource{1, 2}), b(data, layout, 7, RandomSource{1, 2});
  const std::vector<Index> third = order(layout, a, 3);
  order(layout, b, 9);
  CHECK(order(layout, b, 3) == third);  // cut differently, and visited in another order of epochs
  // Two orders of 64 rows agree with a probability of about 1 / 64!.
  std::set<std::vector<Index>> different{third};
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) different.insert(order(layout, a, epoch));
  Batches seed(data, layout, 10, RandomSource{2, 2}), purpose(data, layout, 10, RandomSource{1, 3});
  different.insert(order(layout, seed, 3));
  different.insert(order(layout, purpose, 3));
  CHECK(different.size() == 6);
}

TEST_CASE("the rows of a batch have equal weights that sum to 1") {
  const Dataset data = numbered(10, 4);
  const Layout layout = one_layer(4);
  Batches batches(data, layout, 4, {});
  const DataBatch batch = batches.batch(0, 2);
  CHECK(std::vector<double>(batch.weights.begin(), batch.weights.end()) == std::vector<double>{0.5, 0.5});
  CHECK(batch.total_weight() == 1.0);
  CHECK(batch.observed == nullptr);
}

TEST_CASE("weights of rows sum to 1 in expectation, not in each batch") {
  std::vector<double> weights{1, 2, 0, 4, 1, 8, 1, 1, 1, 1};
  const Dataset data = numbered(10, 4).with_weights(weights, "weights");
  const Layout layout = one_layer(4);
  Batches batches(data, layout, 4, RandomSource{5, 5});
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    double expectation = 0.0;
    bool uneven = false;
    for (Index i = 0; i < 3; ++i) {
      const DataBatch batch = batches.batch(epoch, i);
      const double share = static_cast<double>(batch.rows.size()) / 10.0;
      expectation += share * batch.total_weight();
      uneven = uneven || std::abs(batch.total_weight() - 1.0) > 0.01;
      for (Index r = 0; r < batch.rows.size(); ++r)  // w_i N / (B Σ w), Σ w = 20
        CHECK(std::abs(batch.weights[r] - weights[place_of(layout, batch.rows, r)] * 10.0 /
                                              (20.0 * static_cast<double>(batch.rows.size()))) <= 1e-15);
    }
    CHECK(std::abs(expectation - 1.0) <= 1e-15);
    CHECK(uneven);
  }
}

TEST_CASE("columns go to the observed layers in their order, wherever latent ones stand") {
  const Dataset data = numbered(32, 5);
  const Layout layout({latent("h", 2), observed("a", 2), latent("g", 1), observed("b", 3)});
  Batches batches(data, layout, 32, RandomSource{1, 1});
  std::vector<Index> all = order(layout, batches, 0);
  std::ranges::sort(all);
  for (Index i = 0; i < 32; ++i) CHECK(all[i] == i);
  const std::vector<double> marginals(batches.marginals().begin(), batches.marginals().end());
  CHECK(marginals == std::vector<double>(5, 0.5));
}

TEST_CASE("a batch larger than the data is refused") {
  const Dataset data = numbered(10, 4);
  const Layout layout = one_layer(4);
  CHECK(message_of<ConfigError>([&] { Batches(data, layout, 11, {}); }) ==
        "'batch_size' is 11, but there are 10 training rows. Set batch_size to at most that.");
}

TEST_CASE("each batch asks for the posterior anew") {
  const Dataset data = numbered(8, 3);
  const auto model = random_rbm(3, 2, 4);
  const Executor executor(1);
  Batches batches(data, model->layout(), 4, {});
  const DataBatch first = batches.batch(0, 0);
  std::vector<Real> before(4);
  for (Index r = 0; r < 4; ++r) before[r] = first.posterior.moments(*model, first.rows, executor).mean[1](r, 0);
  const DataBatch second = batches.batch(0, 1);
  Posterior fresh;
  for (Index r = 0; r < 4; ++r)
    CHECK(second.posterior.moments(*model, second.rows, executor).mean[1](r, 0) ==
          fresh.moments(*model, second.rows, executor).mean[1](r, 0));
}

TEST_CASE("ranges of rows and rows spread over the data come in the order of the data") {
  const Dataset data = numbered(10, 4);
  const Layout layout = one_layer(4);
  const auto places = [&](const Chains& rows) {
    std::vector<Index> all;
    for (Index r = 0; r < rows.size(); ++r) all.push_back(place_of(layout, rows, r));
    return all;
  };
  CHECK(places(rows_of(data, layout, 3, 4, 0)) == std::vector<Index>{3, 4, 5, 6});
  CHECK(places(spread_rows(data, layout, 4, 0)) == std::vector<Index>{0, 2, 5, 7});
  CHECK(spread_rows(data, layout, 0, 0).size() == 10);
  CHECK(spread_rows(data, layout, 100, 0).size() == 10);
}

}  // namespace batches_test
