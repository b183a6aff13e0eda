#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/npy_words.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/npz_writer.hpp>
#include <harmonium/framework/files/zip_archive.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace npz_writer_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

NpzWriter some_arrays() {
  const std::vector<double> w{0.1, -2.0, 3e-300, 4.0, 5.0, 6.0};
  const std::vector<float> b{0.5f, -1.25f, 3.0f};
  const std::vector<std::uint8_t> mask{1, 0, 1};
  const std::vector<std::int64_t> pairs{0, 1, 1, 7};
  const Index matrix[] = {2, 3}, three[] = {3}, two[] = {2, 2};
  NpzWriter file;
  file.add("weight.a.b", std::span<const double>(w), matrix);
  file.add("bias", std::span<const float>(b), three);
  file.add("mask", std::span<const std::uint8_t>(mask), three);
  file.add("edges.pairs", std::span<const std::int64_t>(pairs), two);
  return file;
}

}  // namespace

TEST_CASE("arrays that are written to an archive are read back by their names, to the bit") {
  const ScratchFolder folder;
  some_arrays().write(folder / "a.npz");
  const auto members = read_zip_directory(folder / "a.npz");
  REQUIRE(members.size() == 4);
  CHECK(members[0].name == "weight.a.b.npy");
  const Table w = read_npy(folder / "a.npz", "weight.a.b");
  REQUIRE(w.rows == 2);
  REQUIRE(w.cols == 3);
  CHECK(w.at(0, 0) == 0.1);
  CHECK(w.at(0, 2) == 3e-300);
  CHECK(w.at(1, 2) == 6.0);
  CHECK(read_npy(folder / "a.npz", "bias").at(1, 0) == -1.25);
  CHECK(read_npy(folder / "a.npz", "mask").at(1, 0) == 0.0);
  CHECK(read_npy(folder / "a.npz", "edges.pairs").at(1, 1) == 7.0);
}

TEST_CASE("a text is one of numpy's, in UTF-8 from end to end") {
  const ScratchFolder folder;
  const std::string text = "[model]\ntype = \"\xC3\xA9t\xC3\xA9 \xF0\x9F\x98\x80\"\n";
  NpzWriter file = some_arrays();
  file.add_text("config", text);
  file.write(folder / "a.npz");
  CHECK(read_npy_text(folder / "a.npz", "config") == text);
  CHECK_THROWS_AS(read_npy_text(folder / "a.npz", "bias"), DataError);
  std::vector<std::string> names;
  for (const NpzShape& array : npz_shapes(folder / "a.npz")) names.push_back(array.name);
  CHECK(names == std::vector<std::string>{"weight.a.b", "bias", "mask", "edges.pairs"});  // those of numbers
  CHECK(npz_shapes(folder / "a.npz")[0].shape == std::vector<std::uint64_t>{2, 3});
}

TEST_CASE("the same arrays make the same bytes, and a folder that is not there is told") {
  const ScratchFolder folder;
  some_arrays().write(folder / "a.npz");
  some_arrays().write(folder / "b.npz");
  CHECK(content_of(folder / "a.npz") == content_of(folder / "b.npz"));
  CHECK_THROWS_AS(some_arrays().write(folder / "none" / "a.npz"), FileError);
}

}  // namespace npz_writer_test
