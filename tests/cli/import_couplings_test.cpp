// Couplings in an array, as import takes them: of units of several states, and what is wrong with them.
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/npy_words.hpp>
#include <harmonium/tests/support/npy_words.hpp>
#include <harmonium/tests/support/zip.hpp>

#include "files.hpp"
#include "made_archives.hpp"

namespace import_couplings_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::made_archives;

TEST_CASE("couplings of units of several states may have four axes in either order, where the shape tells which") {
  const ScratchFolder folder;
  const auto config = [&](int units, int states) {
    folder.write("potts.toml",
                 fmt::format("precision = \"float64\"\nmodel = {{ type = \"fully_visible\", num_visible = {}, "
                             "visible_units = {{ type = \"categorical\", num_states = {} }} }}\n",
                             units, states));
  };
  const Packed bias{"bias.visible.npy", npy_bytes(2, 3, potts_fields)};
  const auto import_couplings = [&](const std::string& bytes, const std::vector<Packed>& more) {
    std::vector<Packed> arrays = more;
    arrays.push_back({"weight.visible.visible.npy", bytes});
    folder.write("p.npz", zip_bytes(arrays));
    return import_of(folder, "potts.toml", {"--parameters", "p.npz"});
  };
  config(2, 3);
  const Outcome outcome = import_couplings(npy_of_shape("(2, 3, 2, 3)", potts_couplings()), {bias});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(log_z(folder, "back.h5") == doctest::Approx(potts_log_z()).epsilon(1e-12));
  std::vector<double> ones(36, 1.0);
  const Packed mask{"mask.visible.visible.npy", npy_of_shape("(2, 3, 2, 3)", ones)};
  CHECK(import_couplings(npy_of_shape("(2, 3, 2, 3)", potts_couplings()), {bias, mask}).status == 0);
  std::vector<double> units_first(36);
  for (std::size_t u = 0; u < 2; ++u)
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t v = 0; v < 2; ++v)
        for (std::size_t t = 0; t < 3; ++t)
          units_first[((u * 2 + v) * 3 + s) * 3 + t] = potts_couplings()[(u * 3 + s) * 6 + v * 3 + t];
  const Outcome first = import_couplings(npy_of_shape("(2, 2, 3, 3)", units_first), {bias});
  CHECK(first.status == 0);
  CHECK(like(first.out, "*\n'weight.visible.visible' of shape (2, 2, 3, 3) was read as [unit, unit, state, state]\n"));
  CHECK(log_z(folder, "back.h5") == doctest::Approx(potts_log_z()).epsilon(1e-12));
  std::vector<double> none = potts_couplings();
  none[4] = INFINITY;
  check_refusal(import_couplings(npy_of_shape("(2, 3, 2, 3)", none), {bias}), 1,
                "p.npz: the array 'weight.visible.visible' holds inf at row 0, column 4: not a finite number.");
  // With as many units as states the shape does not tell the order.
  config(2, 2);
  const Packed two{"bias.visible.npy", npy_bytes(2, 2, {0, 0, 0, 0})};
  check_refusal(import_couplings(npy_of_shape("(2, 2, 2, 2)", std::vector<double>(16, 0.0)), {two}), 1,
                "*of J[unit, unit, state, state] take J.transpose(0, 2, 1, 3).reshape(4, 4), of J[unit, state, unit, "
                "state] J.reshape(4, 4).");
  // Without a configuration there is one number a pair of units.
  for (const char* shape : {"(2, 2, 3, 3)", "(2, 3, 2, 3)"}) {
    const std::string j = npy_of_shape(shape, potts_couplings());
    const std::string why = fmt::format(
        "it has shape {}, as couplings of units of several states have, and one number a pair of units is read. *: "
        "rows "
        "and columns in the order unit*3 + state: of J[unit, unit, state, state] take J.transpose(0, 2, 1, "
        "3).reshape(6, 6).",
        shape);
    folder.write("j.npy", j);
    check_refusal(import_of(folder, "j.npy"), 1, "j.npy: " + why);
    folder.write("p.npz", zip_bytes({{"J.npy", j}, {"h.npy", npy_bytes(2, 3, potts_fields)}}));
    check_refusal(import_of(folder, "p.npz"), 1, "p.npz:array=J: " + why);
  }
}

TEST_CASE("couplings of a unit with itself are told by its states, and what is not symmetric by both values") {
  const ScratchFolder folder;
  folder.write("potts.toml",
               fmt::format("precision = \"float64\"\nmodel = {{ type = \"fully_visible\", num_visible = 2, "
                           "visible_units = {} }}\n",
                           potts));
  const auto refused = [&](std::vector<double> j, const char* why) {
    folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(6, 6, j)},
                                     {"bias.visible.npy", npy_bytes(2, 3, potts_fields)}}));
    check_refusal(import_of(folder, "potts.toml", {"--parameters", "p.npz"}), 1, why);
  };
  std::vector<double> j = potts_couplings();
  j[1] = j[6] = 0.5;
  refused(
      j,
      "p.npz: weight.visible.visible: states 0 and 1 of unit 0 are coupled with each other by 0.5, and a site is in "
      "one state: put 0 into each 3 x 3 block on the diagonal");
  j = potts_couplings();
  j[4 * 6 + 4] = 2;
  refused(
      j,
      "p.npz: weight.visible.visible: state 1 of unit 1 is coupled with itself by 2: put 0 into each 3 x 3 block on "
      "the diagonal, and the energy of a state into the bias");
  j = potts_couplings();
  j[5] = 0.25;
  refused(
      j,
      "p.npz: weight.visible.visible: entries (0, 5) and (5, 0) are 0.25 and *, but a lateral coupling is symmetric "
      "with zero diagonal; where both are meant, give (J + J^T) / 2");
  folder.write("spins.toml", "model = { type = \"fully_visible\", num_visible = 2, visible_units = \"spin\" }\n");
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(2, 2, {1, 0.5, 0.5, 0})},
                                   {"bias.visible.npy", npy_bytes(2, 1, {0, 0})}}));
  check_refusal(import_of(folder, "spins.toml", {"--parameters", "p.npz"}), 1,
                "p.npz: weight.visible.visible: unit 0 is coupled with itself, by 1: put 0 on the diagonal");
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(2, 2, {0, 0, 0.5, 0})},
                                   {"bias.visible.npy", npy_bytes(2, 1, {0, 0})}}));
  check_refusal(import_of(folder, "spins.toml", {"--parameters", "p.npz"}), 1,
                "p.npz: weight.visible.visible: entries (0, 1) and (1, 0) are 0 and 0.5, but a lateral coupling is "
                "symmetric with zero diagonal; one of its triangles is 0: give J + J^T");
}

TEST_CASE("couplings of units of several states are not taken for those of spins, where the archive tells") {
  const ScratchFolder folder;
  write_archive(folder, fmt::format(R"({{ type = "fully_visible", num_visible = 2, visible_units = {} }})", potts));
  check_refusal(import_of(folder, "made.npz:array=weight.visible.visible"), 2,
                "import made.npz:array=weight.visible.visible: the units of its layer 'visible' are categorical (array "
                "'config'), and a matrix alone makes spins. The archive keeps the model: harmonium import made.npz "
                "--output back.h5.");
  write_archive(folder, R"({ type = "fully_visible", num_visible = 3 })");
  check_refusal(import_of(folder, "made.npz:array=weight.visible.visible"), 2, "*'visible' are binary (array*");
  write_archive(folder, R"({ type = "fully_visible", num_visible = 3, visible_units = "spin" })");
  CHECK(import_of(folder, "made.npz:array=weight.visible.visible").status == 0);

  const std::string j = npy_bytes(6, 6, potts_couplings());
  const std::string why =
      "is that of 2 units of 3 states, and a matrix alone makes 6 spins. Say what the units are, as in model = { type "
      "= "
      "\"fully_visible\", num_visible = 2, visible_units = { type = \"categorical\", num_states = 3 } }, and call the "
      "arrays as its tensors, weight.visible.visible and bias.visible: harmonium import CONFIG.toml --parameters p.npz "
      "--output back.h5.";
  folder.write("p.npz", zip_bytes({{"J.npy", j}, {"h.npy", npy_bytes(2, 3, potts_fields)}}));
  check_refusal(import_of(folder, "p.npz:array=J"), 2, "import p.npz:array=J: its array 'h' of shape (2, 3) " + why);
  check_refusal(import_of(folder, "p.npz"), 2, "import p.npz:array=J: its array 'h' of shape (2, 3) " + why);
  folder.write("p.npz", zip_bytes({{"J.npy", j}, {"mask.npy", npy_bytes(2, 2, {0, 1, 1, 0})}}));
  check_refusal(import_of(folder, "p.npz:array=J"), 2, "import p.npz:array=J: its array 'mask' of shape (2, 2) " + why);
  check_refusal(
      import_of(folder, "p.npz"), 2,
      "import p.npz: it holds 2 arrays: J, mask. Of units of several states say what it is in a configuration, "
      "*");
  // Of six spins all is as it was.
  folder.write("p.npz", zip_bytes({{"J.npy", j}, {"h.npy", npy_bytes(6, 1, potts_fields)}}));
  CHECK(import_of(folder, "p.npz").status == 0);
}

TEST_CASE("the sum of a triangle and its transpose, as the refusal of a triangle says, is what was meant") {
  const ScratchFolder folder;
  folder.write("potts.toml",
               fmt::format("precision = \"float64\"\nmodel = {{ type = \"fully_visible\", num_visible = 2, "
                           "visible_units = {} }}\n",
                           potts));
  std::vector<double> upper = potts_couplings(), sum(36);
  for (std::size_t i = 0; i < 36; ++i)
    if (i % 6 < i / 6) upper[i] = 0.0;
  // J[i, a, j, b] + J[j, b, i, a], by four indices.
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t b = 0; b < 3; ++b)
          sum[((i * 3 + a) * 2 + j) * 3 + b] =
              upper[((i * 3 + a) * 2 + j) * 3 + b] + upper[((j * 3 + b) * 2 + i) * 3 + a];
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_of_shape("(2, 3, 2, 3)", sum)},
                                   {"bias.visible.npy", npy_bytes(2, 3, potts_fields)}}));
  const Outcome outcome = import_of(folder, "potts.toml", {"--parameters", "p.npz"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(log_z(folder, "back.h5") == doctest::Approx(potts_log_z()).epsilon(1e-12));
  // 2 sites of 3 states have 6 fields and 9 couplings: states of one site are not coupled.
  CHECK(like(outcome.out, "*; 15 parameters\n*"));
  const auto inspected = nlohmann::json::parse(run(folder, {"inspect", "back.h5", "--json"}).out);
  CHECK(inspected["num_parameters"] == 15);
}

}  // namespace import_couplings_test
