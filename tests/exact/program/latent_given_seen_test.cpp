// Latent means of rows without holes, beside rows with holes.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/seen_means.hpp>
#include <harmonium/program/work/unlabeled_law.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace latent_given_seen_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index columns = 7, num_rows = 24, num_hidden = 4;

std::vector<double> bits() {
  std::vector<double> x(num_rows * columns);
  for (Index i = 0; i < x.size(); ++i) x[i] = i % 3 == 0 || i % 7 == 4 ? 1.0 : 0.0;
  return x;
}

/// E[h | seen] of rows of which NaN was not seen, and how many of them have holes.
std::pair<Index, Matrix<double>> means_of(const EnergyModel& model, std::vector<double> values) {
  Table table{num_rows, columns, std::move(values), {num_rows, columns}};
  const Dataset data(std::move(table), "rows", {.missing = Missing::nan});
  const Clamp clamp({{"rows", "rows"}}, model.layout(), nullptr, [&](const std::string&) { return data; });
  SeenMeans means(model, clamp, num_rows, model.layout().find("hidden"));
  CHECK(means.estimated() == 0);
  const Executor executor(2);
  EstimatedMeans found = means.of_rows(0, num_rows, {executor, {5, 0}}, [](double) {});
  return {means.with_holes(), std::move(found.means)};
}

}  // namespace

TEST_CASE(
    "rows without holes have the latent means of closed form to the bit, and no chains, whatever is beside them") {
  const Executor executor(1);
  for (const bool labels : {false, true}) {
    const auto model = labels ? make_rbm({.num_visible = columns, .num_hidden = num_hidden, .num_labels = 3})
                              : make_rbm({.num_visible = columns, .num_hidden = num_hidden});
    randomize(*model, 9, 1.5);
    const Layout& layout = model->layout();
    const LayerId hidden = layout.find("hidden"), visible = layout.find("visible");
    std::vector<double> x = bits();
    Chains rows(layout, num_rows);
    for (Index i = 0; i < x.size(); ++i) rows.write(visible)(i / columns, i % columns) = static_cast<Real>(x[i]);
    const auto complete = means_of(*model, x);
    CHECK(complete.first == 0);
    // As transform has them where no row has holes: a class that is not known is summed out.
    Posterior posterior;
    const Chains unlabeled = labels ? unlabeled_law(*model, hidden, rows, false, 0, {executor, {5, 0}}) : rows;
    const ConstMatrixRef closed =
        labels ? unlabeled.read(hidden) : ConstMatrixRef(posterior.moments(*model, rows, executor).mean[hidden]);
    for (Index r = 0; r < num_rows; ++r)
      for (Index c = 0; c < num_hidden; ++c) CHECK(complete.second(r, c) == static_cast<double>(closed(r, c)));

    for (Index r = 0; r < num_rows; r += 3) x[r * columns + r % columns] = std::numeric_limits<double>::quiet_NaN();
    const auto holed = means_of(*model, x);
    CHECK(holed.first == num_rows / 3);
    for (Index r = 0; r < num_rows; ++r)
      CHECK(std::ranges::equal(row_of(holed.second, r), row_of(complete.second, r)) == (r % 3 != 0));
  }
}

}  // namespace latent_given_seen_test
