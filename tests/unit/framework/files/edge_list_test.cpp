#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace edge_list_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string npy_array(std::size_t rows, std::size_t cols, const std::vector<double>& values) {
  std::string bytes = npy_start("'<f8'", fmt::format("({}, {})", rows, cols));
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

EdgeList read(const std::string& text) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "edges.txt") << text;
  return read_edge_list(scratch / "edges.txt");
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const DataError& error) {
    const std::string what = error.what();
    return what.substr(what.find("edges.txt"));
  }
  return "";
}

}  // namespace

TEST_CASE("an edge list is read") {
  const EdgeList graph = read("4 3\n1 2 0.5\n4\t3  -1\r\n 1 4 +2e-1 \n\n");
  CHECK(graph.num_nodes == 4);
  REQUIRE(graph.edges.size() == 3);
  CHECK(graph.edges[1].a == 2);
  CHECK(graph.edges[1].b == 3);
  CHECK(graph.edges[1].weight == -1.0);
  CHECK(graph.edges[2].weight == 0.2);
  CHECK(read("5 0\n").edges.empty());
}

TEST_CASE("an edge list may have remarks, commas, nodes from 0 and no counts") {
  const EdgeList remarks = read("# a chain\n\n3 2\n1, 2, 0.5  # weak\n\n2,3,1\n");
  CHECK(remarks.num_nodes == 3);
  CHECK(remarks.first == 1);
  CHECK(remarks.counted);
  REQUIRE(remarks.edges.size() == 2);
  CHECK(remarks.edges[0].weight == 0.5);

  const EdgeList from_zero = read("4 2\n2 3 1\n0 1 -1\n");
  CHECK(from_zero.first == 0);
  CHECK(from_zero.num_nodes == 4);
  CHECK(from_zero.edges[0].a == 2);
  CHECK(from_zero.edges[1].a == 0);

  const EdgeList bare = read("1 2 0.5\n2 5 1\n"), bare_zero = read("1 2 0.5\n0 5 1\n");
  CHECK(!bare.counted);
  CHECK(bare.num_nodes == 5);
  CHECK(bare.edges[1].b == 4);
  CHECK(bare.may_have(7));
  CHECK(!bare.may_have(4));
  CHECK(bare_zero.num_nodes == 6);
  CHECK(bare_zero.edges[1].b == 5);
}

TEST_CASE("nodes may be whole numbers as numpy.savetxt writes them") {
  for (const char* text : {"0.000000000000000000e+00 1.000000000000000000e+00 5.000000000000000000e-01\n"
                           "1.000000000000000000e+00 4.000000000000000000e+00 -1.000000000000000000e+00\n"
                           "2.000000000000000000e+00 3.000000000000000000e+00 1.000000000000000000e+00\n"
                           "3.000000000000000000e+00 4.000000000000000000e+00 1.000000000000000000e+00\n",
                           "# i j w\n0.0,1.0,0.5\n1.0,4.0,-1.0\n2.0,3.0,1.0\n3.0,4.0,1.0\n"}) {
    CAPTURE(std::string(text));
    const EdgeList graph = read(text);
    CHECK(graph.num_nodes == 5);
    REQUIRE(graph.edges.size() == 4);
    CHECK((graph.edges[1].a == 1 && graph.edges[1].b == 4 && graph.edges[1].weight == -1.0));
  }
  CHECK(refusal("0 1 1\n1 2.5 1\n2 3 1\n3 4 1\n") ==
        "edges.txt:2: '2.5' is not a node: they are whole numbers from 1 or 0 up. An edge is 'i j w': two nodes, then "
        "their coupling.");
  CHECK(refusal("0 1 1\n1 1e20 1\n2 3 1\n3 4 1\n") ==
        "edges.txt:2: '1e20' is not a node: they are whole numbers from 1 or 0 up.");
}

TEST_CASE("an edge list may be what export writes of couplings") {
  const EdgeList graph = read("unit,other,value\nvisible[1],visible[2],0.5\nvisible[2],visible[4],-2e-3\n");
  CHECK(graph.first == 0);
  CHECK(graph.num_nodes == 5);
  CHECK(graph.edges[0].a == 1);
  CHECK(graph.edges[1].weight == -2e-3);
  CHECK(graph.exported_layer == "visible");
  CHECK(read("unit,other,value\n").edges.empty());
  CHECK(read("unit,other,value\n").exported_layer == "");
  CHECK(!read("0 1 1\n").exported_layer);
  CHECK(refusal("unit,other,value\nheight,weight,1\n") ==
        "edges.txt:2: 'height' is not a numbered unit, as in visible[0]. Write nodes as numbers in place of names, as "
        "'harmonium export --numbered' does.");
  CHECK(refusal("unit,other,value\na[0],b[1],1\n") ==
        "edges.txt:2: 'b[1]' is not of the layer 'a', as those before it are.");
}

TEST_CASE("couplings may be a square matrix, symmetric or of one triangle") {
  for (const char* matrix : {"0 0.5 0 -1\n0.5 0 0 0\n0 0 0 2\n-1 0 2 0\n", "0,0.5,0,-1\n0,0,0,0\n0,0,0,2\n0,0,0,0\n",
                             "0,0,0,0\n0.5,0,0,0\n0,0,0,0\n-1,0,2,0\n"}) {
    CAPTURE(std::string(matrix));
    const EdgeList graph = read(matrix);
    CHECK(graph.counted);
    CHECK(graph.num_nodes == 4);
    REQUIRE(graph.edges.size() == 3);
    CHECK((graph.edges[0].a == 0 && graph.edges[0].b == 1 && graph.edges[0].weight == 0.5));
    CHECK((graph.edges[1].a == 0 && graph.edges[1].b == 3 && graph.edges[1].weight == -1.0));
    CHECK((graph.edges[2].a == 2 && graph.edges[2].b == 3 && graph.edges[2].weight == 2.0));
  }
  CHECK(refusal("4 3 1 1\n") ==
        "edges.txt: it has 1 x 4 numbers. Couplings are a square matrix, or a list of edges 'i j w': two nodes, "
        "which are whole numbers, and their coupling, as text or as an array of N x 3.");
  CHECK(
      refusal("0 1 0 0\n1 0 0 0\n0 0 7 0\n0 0 0 0\n") ==
      "edges.txt: row 2 (counted from 0) couples a unit with itself, by 7. Of spins, whose square is 1, that is a "
      "constant: put 0 in its place; fields h stand in a file of their own, a number a line, one for each unit, which "
      "'harmonium import' takes by --fields FILE and a configuration by initializer.fields.");
  CHECK(
      refusal("0 1 0 0\n2 0 0 0\n0 0 0 0\n0 0 0 0\n") ==
      "edges.txt: row 0, column 1 (both counted from 0) is 1 and row 1, column 0 is 2: a matrix of couplings is "
      "symmetric, to 1e-06 of its largest entry, or one of its triangles is 0. Where both are meant, take (J + J^T) / "
      "2.");
}

TEST_CASE("a matrix of couplings may be symmetric up to the rounding of single precision, and no more") {
  const EdgeList graph = read("0 0.1 0 0\n0.10000000149011612 0 0 0\n0 0 0 3\n0 0 0 0\n");
  REQUIRE(graph.edges.size() == 2);
  CHECK(graph.edges[0].weight == doctest::Approx(0.10000000074505806).epsilon(1e-15));
  CHECK(graph.edges[1].weight == 3.0);  // of one triangle, whatever the other pairs are
  // Of the largest entry, which is 2: 2e-6.
  CHECK(read("0 0.5 0 2\n0.5000019 0 0 0\n0 0 0 0\n2 0 0 0\n").edges.size() == 2);
  CHECK_THROWS_AS(read("0 0.5 0 2\n0.5000021 0 0 0\n0 0 0 0\n2 0 0 0\n"), DataError);
}

TEST_CASE("a matrix of two or three rows is read where it can be nothing else") {
  for (const char* three : {"0 0.5 0\n0.5 0 -1\n0 -1 0\n", "0,0.5,0\n0.5,0,-1\n0,-1,0\n", "0 0.5 0\n0 0 -1\n0 0 0\n",
                            "0,0,0\n0.5,0,0\n0,-1,0\n"}) {
    CAPTURE(std::string(three));
    const EdgeList graph = read(three);
    CHECK(graph.num_nodes == 3);
    REQUIRE(graph.edges.size() == 2);
    CHECK((graph.edges[0].a == 0 && graph.edges[0].b == 1 && graph.edges[0].weight == 0.5));
    CHECK((graph.edges[1].a == 1 && graph.edges[1].b == 2 && graph.edges[1].weight == -1.0));
  }
  CHECK(read("0 1 2\n1 0 3\n2 3 0\n").edges.size() == 3);  // whole numbers, and an edge twice
  for (const char* two : {"0 1\n1 0\n", "0,1\n1,0\n", "0 1\n0 0\n"}) {
    CAPTURE(std::string(two));
    const EdgeList graph = read(two);
    CHECK(graph.num_nodes == 2);
    REQUIRE(graph.edges.size() == 1);
    CHECK(graph.edges[0].weight == 1.0);
  }
  // Edges stay edges.
  CHECK(read("1 2 3\n2 3 1\n1 3 -1\n").edges[0].weight == 3.0);
  CHECK(refusal("2 1\n1 2\n") == "edges.txt:2: a line 'i j w' was expected, two nodes and a weight.");
  for (const char* either : {"0 1 5\n2 0 7\n3 1 0\n", "0 1 2\n1 7 3\n2 3 0\n"})
    CHECK(
        refusal(either) ==
        "edges.txt: are these three edges 'i j w', or a 3 x 3 matrix of couplings? Write a line 'n m', the numbers of "
        "nodes and edges, above edges; a matrix is symmetric and has a diagonal of 0.");
  CHECK(read("4 3\n0 1 5\n2 0 7\n3 1 0\n").edges.size() == 3);
}

TEST_CASE("a first line of names is passed over") {
  const EdgeList graph = read("source,target,weight\n0,1,0.5\n1,2,-1\n");
  CHECK(graph.num_nodes == 3);
  CHECK(graph.edges.size() == 2);
  CHECK(graph.first == 0);
  CHECK(!graph.counted);
}

TEST_CASE("an array of three columns that is not square has an edge in each row") {
  const ScratchFolder scratch;
  const auto refused = [&](std::size_t rows, const std::vector<double>& values) {
    scratch.write("edges.npy", npy_array(rows, 3, values));
    std::string what = "(none)";
    try {
      read_edge_list(scratch / "edges.npy");
    } catch (const DataError& error) {
      what = error.what();
    }
    return what.substr(std::min(what.find("edges.npy"), what.size()));
  };
  scratch.write("edges.npy", npy_array(4, 3, {1, 2, 0.5, 2, 3, -1, 3, 5, 2, 1, 5, 0}));
  const EdgeList graph = read_edge_list(scratch / "edges.npy");
  CHECK(graph.num_nodes == 5);
  CHECK(graph.first == 1);
  CHECK(!graph.counted);
  REQUIRE(graph.edges.size() == 4);
  CHECK((graph.edges[2].a == 2 && graph.edges[2].b == 4 && graph.edges[2].weight == 2.0));
  CHECK(refused(2, {0, 1, 1, 0.5, 2, 1}) ==
        "edges.npy: row 1 (counted from 0): 0.5 is not a node: they are whole numbers from 1 or 0 up. An edge is "
        "'i j w': two nodes, then their coupling.");
  CHECK(refused(2, {0, 1, 1, -1, 2, 1}).starts_with("edges.npy: row 1 (counted from 0): -1 is not a node"));
  CHECK(refused(2, {0, 1, 1, 1, 2, NAN}) ==
        "edges.npy: row 1 (counted from 0): the weight nan is not a finite number.");
  CHECK(refused(2, {0, 1, 1, 1, 0, 1})
            .starts_with("edges.npy: row 1 (counted from 0): the edge of nodes 1 and 0 is given twice;"));
  CHECK(refused(1, {2, 2, 1}).starts_with("edges.npy: row 0 (counted from 0): an edge from node 2 to itself."));
  // Of three rows a matrix is meant, as ever.
  scratch.write("edges.npy", npy_array(3, 3, {0, 1, 2, 1, 0, 3, 2, 3, 0}));
  CHECK(read_edge_list(scratch / "edges.npy").edges.size() == 3);
  CHECK(refused(3, {0, 1, 0.5, 1, 2, 1, 2, 3, 1})
            .ends_with(" An array of 3 x 3 numbers is taken for a matrix: of three edges 'i j w' write text "
                       "(numpy.savetxt)."));
}

TEST_CASE("a malformed edge list is refused with place and reason") {
  for (const char* nothing : {"", "\n \n", "# a graph\n"})
    CHECK(refusal(nothing) ==
          "edges.txt: it is empty; a line 'n m' was expected, the numbers of nodes and edges, or an edge.");
  for (const char* first : {"4\n", "four 3\n", "4 3.5\n", "-4 3\n", "4 -3\n", "4 3x\n"}) {
    CAPTURE(std::string(first));
    CHECK(refusal(first) ==
          "edges.txt:1: not the beginning of an edge list: a line 'n m' was expected, the numbers of nodes and edges, "
          "or an edge 'i j w'.");
  }
  CHECK(refusal("0 0\n") == "edges.txt:1: 0 nodes: from 1 to 4294967295 were expected.");
  CHECK(refusal("99999999999 0\n") == "edges.txt:1: 99999999999 nodes: from 1 to 4294967295 were expected.");
  CHECK(refusal("4 7\n") ==
        "edges.txt:1: 7 edges: 4 nodes have 6 pairs at most. Where the line is an edge, its weight is missing: write "
        "'i j w'.");
  CHECK(refusal("4 2\n1 2 1\n") == "edges.txt: it says 2 edges and has 1: lines are missing at its end.");
  CHECK(refusal("4 1\n1 2 1\n2 3 1\n") == "edges.txt:3: more follows after the 1 edges that the first line says.");
  CHECK(refusal("4 1\n1 2 1\n\nend\n") == "edges.txt:4: more follows after the 1 edges that the first line says.");
  for (const char* line : {"1 2\n", "1 2 3 4\n", "1;2;3\n", "1 2 # 3\n"}) {
    CAPTURE(std::string(line));
    CHECK(refusal(std::string("4 1\n") + line) == "edges.txt:2: a line 'i j w' was expected, two nodes and a weight.");
  }
  CHECK(refusal("0.0 1.0 1.0\n1.5 2 1\n") ==
        "edges.txt:2: '1.5' is not a node: they are whole numbers from 1 or 0 up. An edge is 'i j w': two nodes, "
        "then their coupling.");
  CHECK(refusal("4 1\n2 1.5 1\n") ==
        "edges.txt:2: '1.5' is not a node: they are numbered from 1 to 4, or from 0 to 3. An edge is 'i j "
        "w': two nodes, then their coupling.");
  for (const char* node : {"5", "-1", "5.0", "-1e0", "x", "visible[1]", "99999999999999999999"}) {
    CAPTURE(std::string(node));
    CHECK(refusal(std::string("4 1\n2 ") + node + " 1\n") ==
          std::string("edges.txt:2: '") + node + "' is not a node: they are numbered from 1 to 4, or from 0 to 3.");
  }
  CHECK(refusal("4 2\n0 1 1\n3 4 1\n") ==
        "edges.txt:3: there are nodes 0 and 4 of 4: they are numbered from 1 to 4, or from 0 to 3.");
  CHECK(refusal("1 2 1\n2 4294967295 1\n") ==
        "edges.txt:2: '4294967295' is not a node: they are whole numbers from 1 or 0 up.");
  CHECK(refusal("4 1\n3 3 1\n") ==
        "edges.txt:2: an edge from node 3 to itself. Leave it out; fields h stand in a file of their own, a number a "
        "line, one for each unit, which 'harmonium import' takes by --fields FILE and a configuration by "
        "initializer.fields.");
  CHECK(refusal("4 2\n1 3 1\n3 1 2\n") ==
        "edges.txt:3: the edge of nodes 3 and 1 is given twice; where the file has both directions of each edge, keep "
        "one, and "
        "two bonds of a pair are one with the sum of their weights.");
  for (const char* weight : {"nan", "inf", "-inf", "1e999", "w", "1x", "0x10"}) {
    CAPTURE(std::string(weight));
    CHECK(refusal(std::string("4 1\n1 2 ") + weight + "\n") ==
          std::string("edges.txt:2: the weight '") + weight + "' is not a finite number.");
  }
  CHECK_THROWS_AS(read_edge_list("/no/such/file"), FileError);
}

TEST_CASE("the adjacency of a graph has both directions of each edge, whatever it weighs") {
  const EdgeList graph{.num_nodes = 3, .edges = {{0, 2, -1.5}, {1, 2, 0.0}}};
  CHECK(adjacency(graph) == std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1, 1, 1, 0});
}

TEST_CASE("a gzipped edge list of a spin glass is read") {
  const auto path = data_file("spinglass/ea2d/ea2d_torus_pmJ_L8_s0.txt.gz");
  if (!path) return;
  const EdgeList graph = read_edge_list(*path);
  CHECK(graph.num_nodes == 64);
  CHECK(graph.edges.size() == 128);
}

}  // namespace edge_list_test
