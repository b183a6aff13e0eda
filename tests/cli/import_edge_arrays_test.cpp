// Edges that an archive of arrays has by name.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/tests/support/zip.hpp>

#include "files.hpp"
#include "made_archives.hpp"

namespace import_edge_arrays_test {

using namespace harmonium::testing;
using namespace harmonium::testing::made_archives;

namespace {

const std::vector<double> nodes{0, 1, 1, 2, 2, 3, 3, 0}, couplings{0.5, -1, 2, 0.125}, fields{0.25, 0, -1, 0.5};
const std::vector<double> rows{0, 1, 0.5, 1, 2, -1, 2, 3, 2, 3, 0, 0.125};

/// What evaluate says of the model of that archive.
std::string figures(const ScratchFolder& folder, const std::string& file, const std::string& told) {
  const Outcome outcome = import_of(folder, file);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.err == "");
  CHECK_MESSAGE(like(outcome.out, told), outcome.out);
  return run(folder, {"evaluate", "back.h5", "--json"}).out;
}

}  // namespace

TEST_CASE("an archive of edges and couplings is read by the names of its arrays, as an array of three columns is") {
  const ScratchFolder folder;
  folder.write("e.npy", npy_bytes(4, 3, rows));
  folder.write("h.npy", npy_bytes(4, 1, fields));
  const Packed h{"h.npy", npy_bytes(4, 1, fields)};
  const auto model = [&](const Words& more) {
    REQUIRE(import_of(folder, "e.npy", more).status == 0);
    return run(folder, {"evaluate", "back.h5", "--json"}).out;
  };
  const std::string with_fields = model({"--fields", "h.npy"}), without = model({});
  CHECK(with_fields != without);
  const std::string read = "4 spins counted from 0, 4 couplings J from -1 to 2: 3 above 0 (*";
  for (const char* name : {"J", "w", "weights", "couplings"})
    for (const char* shape : {"(4,)", "(4, 1)"}) {
      const Packed edges{"edges.npy", npy_bytes(4, 2, nodes)};
      const Packed weights{fmt::format("{}.npy", name), npy_of_shape(shape, couplings)};
      const std::string told =
          fmt::format("p.npz:array=edges: rows 'i j' with the couplings w of p.npz:array={}, {}", name, read);
      folder.write("p.npz", zip_bytes({edges, weights, h}));
      CHECK(figures(folder, "p.npz", told + "\nh = the numbers of p.npz:array=h\n*") == with_fields);
      folder.write("p.npz", zip_bytes({edges, weights}));
      CHECK(figures(folder, "p.npz", told) == without);
    }
  folder.write("p.npz", zip_bytes({{"edges.npy", npy_bytes(4, 3, rows)}, {"fields.npy", npy_bytes(4, 1, fields)}}));
  CHECK(figures(folder, "p.npz", "p.npz:array=edges: rows 'i j w', " + read) == with_fields);
  // Fields that are named come first.
  folder.write("zero.npy", npy_bytes(4, 1, {0, 0, 0, 0}));
  REQUIRE(import_of(folder, "p.npz", {"--fields", "zero.npy"}).status == 0);
  CHECK(run(folder, {"evaluate", "back.h5", "--json"}).out == without);
}

TEST_CASE("edges by name may be as many as they have columns, and have as many nodes as there are fields") {
  const ScratchFolder folder;
  folder.write("p.npz", zip_bytes({{"edges.npy", npy_bytes(2, 2, {0, 1, 1, 2})}, {"J.npy", npy_bytes(2, 1, {1, -1})}}));
  figures(folder, "p.npz", "p.npz:array=edges: rows 'i j' with *, 3 spins counted from 0, 2 couplings *");
  folder.write("p.npz", zip_bytes({{"edges.npy", npy_bytes(3, 3, {0, 1, 1, 1, 2, -1, 2, 0, 1})},
                                   {"h.npy", npy_bytes(5, 1, {0, 0, 0, 0, 1})}}));
  figures(folder, "p.npz", "p.npz:array=edges: rows 'i j w', 5 spins counted from 0, 3 couplings *");
  folder.write("p.npz", zip_bytes({{"edges.npy", npy_bytes(2, 2, {0, 1, 1, 1})}, {"J.npy", npy_bytes(2, 1, {1, -1})}}));
  check_refusal(import_of(folder, "p.npz"), 1,
                "*p.npz:array=edges: row 1 (counted from 0): an edge from node 1 to itself. *");
}

TEST_CASE("of edges of other names or shapes import says how numpy makes one array of them") {
  const ScratchFolder folder;
  const Packed weights{"J.npy", npy_bytes(4, 1, couplings)}, h{"h.npy", npy_bytes(4, 1, fields)};
  folder.write("p.npz", zip_bytes({{"bonds.npy", npy_bytes(4, 2, nodes)}, weights, h}));
  check_refusal(import_of(folder, "p.npz"), 2,
                "import p.npz: it holds 3 arrays: bonds, J, h. None is a square matrix of couplings. Edges are read of "
                "an array 'edges' of N x 2 nodes with 'J' of N couplings, or of 'edges' of N x 3 alone; here is "
                "'bonds' of shape (4, 2), and 'J' of shape (4, 1). Or give np.c_[bonds, J] as one N x 3 array, named "
                "by p.npz:array=NAME. Of a model *");
  check_refusal(import_of(folder, "p.npz:array=bonds"), 2,
                "import p.npz:array=bonds: it has shape (4, 2), and an edge is two nodes and their coupling. Give "
                "np.c_[bonds, J] as one N x 3 array, named by p.npz:array=NAME, or an archive of two arrays, 'edges' "
                "and 'J'.");
  folder.write("p.npz", zip_bytes({{"edges.npy", npy_bytes(3, 2, {0, 1, 1, 2, 2, 3})}, weights}));
  check_refusal(import_of(folder, "p.npz"), 2,
                "*here is 'edges' of shape (3, 2), and 'J' of shape (4, 1). Or give np.c_[edges, J] as one *");
  folder.write("p.npz", zip_bytes({{"edges.npy", npy_bytes(2, 4, nodes)}, weights}));
  check_refusal(import_of(folder, "p.npz"), 2, "*here is 'edges' of shape (2, 4), *Or give np.c_[edges.T, J] as *");
  folder.write("p.npz", zip_bytes({{"edges.npy", npy_bytes(4, 2, nodes)}, h}));
  check_refusal(import_of(folder, "p.npz"), 2, "*here is 'edges' of shape (4, 2). Or give np.c_[edges, J] as one *");
  folder.write("p.npz", zip_bytes({{"bonds.npy", npy_bytes(4, 3, rows)}, h}));
  check_refusal(import_of(folder, "p.npz"), 2,
                "*Where the rows of 'bonds' of shape (4, 3) are edges i, j, J, name it as p.npz:array=bonds. Of a *");
  CHECK(import_of(folder, "p.npz:array=bonds", {"--fields", "p.npz:array=h"}).status == 0);
}

}  // namespace import_edge_arrays_test
