// Gaussian free fields, from a configuration to log Z and correlations, by the Fourier modes of a torus.
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace free_field_test {

using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

constexpr int side = 4;
constexpr double pi = 3.14159265358979323846, gamma_of_all = 4.5;

/// Of the mode k = 2π (a, b)/side, at J = 1.
double eigenvalue(int a, int b) {
  return gamma_of_all - 2.0 * std::cos(2.0 * pi * a / side) - 2.0 * std::cos(2.0 * pi * b / side);
}

double log_z() {
  double sum = 0.0;
  for (int a = 0; a < side; ++a)
    for (int b = 0; b < side; ++b) sum += 0.5 * std::log(2.0 * pi / eigenvalue(a, b));
  return sum;
}

/// ⟨x x'⟩ of two sites so far from each other.
double propagator(int down, int right) {
  double sum = 0.0;
  for (int a = 0; a < side; ++a)
    for (int b = 0; b < side; ++b) sum += std::cos(2.0 * pi * (a * down + b * right) / side) / eigenvalue(a, b);
  return sum / (side * side);
}

void write_field(const ScratchFolder& folder, const std::string& initializer, const std::string& units = "\"gaussian\"",
                 const std::string& precision = "float64") {
  folder.write("field.toml", fmt::format(R"(precision = "{}"
initializer = {{ type = "normal", mean = 1.0, std = 0.0{} }}
[model]
type = "layered"
layers = [{{ name = "phi", units = {}, bias = false }}]
terms = [{{ type = "lattice", layer = "phi", shape = [4, 4], uniform = true, share = [0, 0] }}]
)",
                                         precision, initializer, units));
}

Json parsed(const Outcome& outcome) {
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return Json::parse(outcome.out);
}

Json at_one(const Outcome& outcome) { return parsed(outcome).at("temperatures")[0]; }

}  // namespace

TEST_CASE(
    "a free field has its starting precision, the size of its shape, and the log Z and correlations of its modes") {
  const ScratchFolder folder;
  for (const char* precision : {"float64", "float32"}) {
    CAPTURE(precision);
    // In single precision γ is held to 1e-7, and a ninth of it is the least eigenvalue.
    const double limit = std::string(precision) == "float64" ? 1e-11 : 1e-5;
    write_field(folder, ", precision = 4.5", "\"gaussian\"", precision);
    const Outcome made = run(folder, {"import", "field.toml", "--output", "field.h5"});
    REQUIRE_MESSAGE(made.status == 0, made.err);
    CHECK(parsed(run(folder, {"evaluate", "field.h5", "--log-z", "exact", "--json"})).at("log_z").get<double>() ==
          doctest::Approx(log_z()).epsilon(limit));
    const Json found =
        at_one(run(folder, {"observe", "field.h5", "--exact", "--betas", "1", "--correlations", "lattice", "--json"}));
    CHECK(found.at("averages").at("mean_square").at("value").get<double>() ==
          doctest::Approx(propagator(0, 0)).epsilon(limit));
    int met = 0;
    for (const Json& c : found.at("correlations")) {
      ++met;
      const int distance = c.at("distance");
      CHECK(c.at("value").get<double>() == doctest::Approx(propagator(distance, 0)).epsilon(limit));
    }
    CHECK(met == 4);
  }
}

TEST_CASE("a site of a free field that is held draws its neighbors along, and makes them less uncertain") {
  const ScratchFolder folder;
  write_field(folder, ", precision = 4.5");
  REQUIRE(run(folder, {"import", "field.toml", "--output", "field.h5"}).status == 0);
  const Json found = at_one(run(
      folder, {"observe", "field.h5", "--exact", "--betas", "1", "--clamp", "phi[0]=2", "--local", "all", "--json"}));
  const double own = propagator(0, 0);
  for (int site = 0; site < 16; ++site)
    CHECK(found.at("local_units")[static_cast<std::size_t>(site)].at("value").get<double>() ==
          doctest::Approx(2.0 * propagator(site / 4, site % 4) / own).epsilon(1e-11));
  for (const Json& pair : found.at("local_pairs")) {
    const int i = pair.at("i"), j = pair.at("j");
    const double free = propagator(j / 4 - i / 4, j % 4 - i % 4);
    const double held = free - propagator(i / 4, i % 4) * propagator(j / 4, j % 4) / own;
    CHECK(std::abs(pair.at("connected").get<double>() - held) < 1e-11);
  }
}

TEST_CASE("couplings too strong for the precisions at the start are told where these are set") {
  const ScratchFolder folder;
  const std::string no_density =
      "initializer: the precision matrix of the {} coupled Gaussian units (layers: {}) is not positive definite: their "
      "couplings are too strong for their precisions, and no density exists. Start smaller, or with a greater "
      "initializer.precision, which is 1 unless given.";
  write_field(folder, "");
  check_refusal(run(folder, {"import", "field.toml", "--output", "m.h5"}), 2,
                fmt::format(fmt::runtime(no_density), 16, "phi"));
  write_field(folder, ", precision = 0");
  check_refusal(run(folder, {"import", "field.toml", "--output", "m.h5"}), 2,
                "*option 'precision' = 0 is not allowed: it must be *");
  write_field(folder, "", "{ type = \"gaussian\", precision = 4.5 }");
  check_refusal(run(folder, {"import", "field.toml", "--output", "m.h5"}), 2,
                "*unknown option 'precision' (Gaussian units begin with initializer.precision; float32 or float64 "
                "stands at the top of the file). There are none.");
  write_field(folder, ", precision = 4.5", "\"spin\"");
  check_refusal(run(folder, {"import", "field.toml", "--output", "m.h5"}), 2,
                "initializer: 'precision' is 4.5, and no layer has units with a precision. Set its units to "
                "\"gaussian\".");
  // A ring of four from a file of edges, of eigenvalues γ − 2 cos k.
  folder.write("ring.txt", "1 2 1\n2 3 1\n3 4 1\n4 1 1\n");
  const auto ring = [&](const char* precision) {
    folder.write("ring.toml", fmt::format("precision = \"float64\"\ninitializer = {{ type = \"edge_list\", path = "
                                          "\"ring.txt\"{} }}\nmodel = {{ type = \"fully_visible\", num_visible = 4, "
                                          "visible_units = \"gaussian\" }}\n",
                                          precision));
    return run(folder, {"import", "ring.toml", "--output", "ring.h5"});
  };
  check_refusal(ring(""), 2, fmt::format(fmt::runtime(no_density), 4, "visible"));
  const Outcome made = ring(", precision = 2.5");
  REQUIRE_MESSAGE(made.status == 0, made.err);
  const double expected = 2.0 * std::log(2.0 * pi) - 0.5 * std::log(0.5 * 2.5 * 2.5 * 4.5);
  CHECK(parsed(run(folder, {"evaluate", "ring.h5", "--log-z", "exact", "--json"})).at("log_z").get<double>() ==
        doctest::Approx(expected).epsilon(1e-12));
}

}  // namespace free_field_test
