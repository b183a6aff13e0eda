#include <algorithm>

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace chains_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// −1 or 1, so that byte and value differ.
class SpinUnit final : public TestUnit {
 public:
  SpinUnit() : TestUnit(1, false, {-1, 1}) {}
  std::string_view name() const override { return "spin"; }
  std::optional<ByteCode> byte_code() const override { return ByteCode{-1, 2}; }
};

const LayerId v{0}, h{1};

Layout example() {
  return Layout({observed("v", 3, std::make_shared<SpinUnit>()), latent("h", 2, std::make_shared<TernaryUnit>())});
}

}  // namespace

TEST_CASE("chains start at 0, at rung 0 and step 0") {
  const Chains chains(example(), 4, 100);
  CHECK(chains.size() == 4);
  CHECK(chains.num_layers() == 2);
  CHECK(chains.first_chain() == 100);
  CHECK(chains.step() == 0);
  for (const std::uint32_t rung : chains.rung()) CHECK(rung == 0);
  const ConstMatrixRef x = chains.read(v);
  CHECK(x.rows == 4);
  CHECK(x.cols == 3);
  for (Index i = 0; i < 12; ++i) CHECK(x.data[i] == 0);
  CHECK(Chains().size() == 0);
}

TEST_CASE("a layer is the same as numbers and as bytes, whichever was written last") {
  Chains chains(example(), 2);
  const MatrixRef x = chains.write(v);
  for (Index i = 0; i < 6; ++i) x.data[i] = i % 2 ? 1 : -1;
  const ConstByteView bytes = chains.read_bytes(v);
  for (Index i = 0; i < 6; ++i) CHECK(bytes.data[i] == i % 2);
  CHECK(chains.read(v).data[1] == 1);  // still current

  const ByteView changed = chains.write_bytes(v);
  changed(1, 2) = 0;
  changed(0, 0) = 1;
  CHECK(chains.read(v)(1, 2) == -1);
  CHECK(chains.read(v)(0, 0) == 1);
  CHECK(chains.read(v)(0, 1) == 1);

  chains.write(v)(0, 1) = -1;
  CHECK(chains.read_bytes(v)(0, 1) == 0);
  CHECK(chains.read_bytes(v)(0, 0) == 1);
}

TEST_CASE("units that fit no byte are not to be had as bytes") {
  Chains chains(example(), 2);
  const auto message = "a layer whose units have no byte code was asked for as bytes";
  CHECK(message_of<CapabilityError>([&] { chains.read_bytes(h); }) == message);
  CHECK(message_of<CapabilityError>([&] { chains.write_bytes(h); }) == message);
}

TEST_CASE("a value that is no state of its unit is not to be had as a byte") {
  Chains chains(example(), 2);
  const MatrixRef x = chains.write(v);
  for (Index i = 0; i < 6; ++i) x.data[i] = 1;
  for (const Real gray : {Real{0.5}, Real{-3}, Real{1000}}) {
    chains.write(v)(1, 2) = gray;
    CHECK(message_of<CapabilityError>([&] { chains.read_bytes(v); }) ==
          fmt::format("the value {} of row 1 is no state of its unit, and a byte holds states only. Read the layer as "
                      "numbers.",
                      gray));
    CHECK(chains.read(v)(1, 2) == gray);
  }
  chains.write(v)(1, 2) = -1;
  CHECK(chains.read_bytes(v)(1, 2) == 0);
}

TEST_CASE("copies are independent") {
  Chains a(example(), 1);
  a.write(v)(0, 0) = 1;
  Chains b = a;
  b.write(v)(0, 0) = -1;
  b.rung()[0] = 2;
  CHECK(a.read(v)(0, 0) == 1);
  CHECK(a.rung()[0] == 0);
}

TEST_CASE("views see a range of rows") {
  Chains chains(example(), 5);
  const ChainView tile(chains, 2, 4);
  tile[v](1, 0) = 1;
  CHECK(chains.read(v)(3, 0) == 1);
  const ConstChainView same = tile, whole(chains);
  CHECK(same.rows() == 2);
  CHECK(same[v](1, 0) == 1);
  CHECK(whole.rows() == 5);
  CHECK(whole[v](3, 0) == 1);
}

TEST_CASE("chains come back from their state, bytes made current first") {
  Chains saved(example(), 2, 7);
  saved.set_step(0x123456789abu);
  saved.rung()[1] = 3;
  for (Index i = 0; i < 6; ++i) saved.write(v).data[i] = -1;
  saved.write_bytes(v)(1, 1) = 1;
  saved.write(h)(0, 1) = -1;
  StateArchive saving;
  saved.state(saving);

  Chains loaded(example(), 2);
  for (Index i = 0; i < 6; ++i) loaded.write(v).data[i] = 1;
  loaded.read_bytes(v);  // what was current as bytes is stale after loading
  StateArchive loading(saving.fields(), {});
  loaded.state(loading);
  CHECK(loaded.step() == 0x123456789abu);
  CHECK(loaded.first_chain() == 7);
  CHECK(loaded.rung()[1] == 3);
  CHECK(loaded.read(v)(1, 1) == 1);
  CHECK(loaded.read(v)(0, 0) == -1);
  CHECK(loaded.read_bytes(v)(1, 1) == 1);
  CHECK(loaded.read(h)(0, 1) == -1);

  Chains others(example(), 3);
  StateArchive again(saving.fields(), {});
  CHECK(message_of<DataError>([&] { others.state(again); }) == "the checkpoint holds 2 chains where this run has 3");
}

TEST_CASE("rows are copied layer by layer, from any form, and the other layers are left alone") {
  Chains from(example(), 3), to(example(), 4);
  std::ranges::fill(from.write(v).all(), Real{-1});
  from.write_bytes(v)(2, 1) = 1;
  from.write(h)(2, 0) = 1;
  to.copy_rows(LayerSet().add(v), {from, 1, 3}, 2);
  CHECK(to.read(v)(3, 1) == 1);
  CHECK(to.read(v)(3, 0) == -1);
  CHECK(to.read(v)(0, 0) == 0);
  CHECK(to.read(h)(3, 0) == 0);
  to.copy_to_all(example().all(), from, 2);
  for (Index r = 0; r < 4; ++r) {
    CHECK(to.read(v)(r, 1) == 1);
    CHECK(to.read(h)(r, 0) == 1);
  }
}

TEST_CASE("rows of numbers are read by many, whatever form a layer was in") {
  Chains chains(example(), 3);
  std::ranges::fill(chains.write(v).all(), Real{-1});
  chains.write_bytes(v)(2, 0) = 1;
  const ConstChainView all = chains.real();
  CHECK(all.rows() == 3);
  CHECK(all.slice(2, 3)[v](0, 0) == 1);
  CHECK(all.slice(2, 3).rows() == 1);
}

}  // namespace chains_test
