#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/tests/support/scratch.hpp>

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Inner {
  std::vector<std::uint8_t> bytes{1, 2, 3};
  bool flag = true;
  void state(StateArchive& a) {
    a.field("bytes", bytes);
    a.field("flag", flag);
  }
};

struct Outer {
  double real = 0.1;
  std::uint64_t word = 0xfedcba9876543210u;
  std::uint32_t half = 0xffffffffu;
  std::vector<double> doubles{1.5, -0.0};
  std::vector<float> floats{0.1f};
  std::vector<std::uint64_t> words{1, 2};
  std::vector<std::uint32_t> halves{3};
  Inner inner;
  void state(StateArchive& a) {
    a.field("real", real);
    a.field("word", word);
    a.field("half", half);
    a.field("doubles", doubles);
    a.field("floats", floats);
    a.field("words", words);
    a.field("halves", halves);
    a.group("inner", inner);
  }
};

template <class Body>
std::string loading_error(const StateArchive::Fields& fields, const Body& body) {
  return message_of<DataError>([&] {
    StateArchive archive(fields);
    body(archive);
  });
}

}  // namespace

TEST_CASE("what a component saves it gets back, bit by bit") {
  Outer saved;
  saved.inner.flag = false;
  StateArchive saving;
  CHECK_FALSE(saving.loading());
  saved.state(saving);

  Outer loaded;
  loaded.real = 9;
  loaded.word = 9;
  loaded.half = 9;
  loaded.doubles = {9, 9};
  loaded.floats = {9};
  loaded.words = {9, 9};
  loaded.halves = {9};
  loaded.inner.bytes = {9, 9, 9};
  StateArchive loading(saving.fields());
  CHECK(loading.loading());
  loaded.state(loading);
  CHECK(loaded.real == 0.1);
  CHECK(loaded.word == 0xfedcba9876543210u);
  CHECK(loaded.half == 0xffffffffu);
  CHECK(loaded.doubles == saved.doubles);
  CHECK(std::signbit(loaded.doubles[1]));
  CHECK(loaded.floats == saved.floats);
  CHECK(loaded.words == saved.words);
  CHECK(loaded.halves == saved.halves);
  CHECK(loaded.inner.bytes == saved.inner.bytes);
  CHECK_FALSE(loaded.inner.flag);
}

TEST_CASE("groups give paths, and the prefix is the place one is at") {
  StateArchive archive;
  struct Deep {
    Inner inner;
    std::string seen;
    void state(StateArchive& a) {
      a.group("inner", inner);
      seen = a.prefix();
    }
  } deep;
  archive.group("deep", deep);
  CHECK(deep.seen == "deep/");
  CHECK(archive.prefix().empty());
  CHECK(archive.fields().contains("deep/inner/bytes"));
  CHECK(archive.fields().contains("deep/inner/flag"));
  CHECK(archive.fields().size() == 2);
}

TEST_CASE("a field that is absent, of another kind or of another size is named") {
  double real = 0;
  std::vector<double> three(3);
  Inner inner;
  CHECK(loading_error({}, [&](StateArchive& a) { a.field("real", real); }) == "the saved state lacks 'real'");
  CHECK(loading_error({}, [&](StateArchive& a) { a.group("inner", inner); }) == "the saved state lacks 'inner/bytes'");
  CHECK(loading_error({{"real", std::vector<float>{1}}}, [&](StateArchive& a) { a.field("real", real); }) ==
        "the saved state holds 'real' as another type of number");
  CHECK(loading_error({{"x", std::vector<double>{1, 2}}}, [&](StateArchive& a) { a.field("x", three); }) ==
        "the saved state holds 2 values of 'x' where 3 are needed");
}

TEST_CASE("a field whose number is part of the state comes back with any number, none where it is absent") {
  std::vector<double> values{1, 2, 3};
  StateArchive two(StateArchive::Fields{{"x", std::vector<double>{4, 5}}});
  two.sized("x", values);
  CHECK(values == std::vector<double>{4, 5});
  StateArchive none(StateArchive::Fields{});
  none.sized("x", values);
  CHECK(values.empty());
  // Only for that field.
  CHECK_THROWS_AS(none.field("x", values), DataError);
  StateArchive empty;
  empty.sized("x", values);
  CHECK(std::get<std::vector<double>>(empty.fields().at("x")).empty());
}
