#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace state_archive_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Inner {
  std::vector<std::uint8_t> bytes{1, 2, 3};
  bool flag = true;
  void state(StateArchive& a) {
    a.field("bytes", bytes, 3);
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
    a.field("doubles", doubles, 2);
    a.field("floats", floats, 1);
    a.field("words", words, 2);
    a.field("halves", halves, 1);
    a.group("inner", inner);
  }
};

template <class Body>
std::string loading_error(const StateArchive::Fields& fields, const Body& body) {
  return message_of<DataError>([&] {
    StateArchive archive(fields, {});
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
  StateArchive loading(saving.fields(), {});
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
  CHECK(loading_error({{"x", std::vector<double>{1, 2}}}, [&](StateArchive& a) { a.field("x", three, 3); }) ==
        "the saved state holds 2 values of 'x' where 3 are needed");
}

TEST_CASE(
    "a field whose number is part of the state comes back with any number that is taken, none where it is absent") {
  std::vector<double> values{1, 2, 3};
  const auto load = [&](const StateArchive::Fields& fields, FieldSize size) {
    return loading_error(fields, [&](StateArchive& a) { a.field("x", values, size); });
  };
  const StateArchive::Fields two{{"x", std::vector<double>{4, 5}}};
  CHECK(load(two, FieldSize::up_to(2)).empty());
  CHECK(values == std::vector<double>{4, 5});
  CHECK(load({}, FieldSize::up_to(2)).empty());
  CHECK(values.empty());
  CHECK(load(two, FieldSize::up_to(1)) == "the saved state holds 2 values of 'x' where 1 at most are taken");
  CHECK(load(two, FieldSize::up_to(9, 3)) ==
        "the saved state holds 2 values of 'x' where a multiple of 3 and 9 at most is taken");
  CHECK(load(two, FieldSize::up_to(std::numeric_limits<Index>::max(), 3)) ==
        "the saved state holds 2 values of 'x' where a multiple of 3 is taken");
  CHECK(load({}, 1) == "the saved state lacks 'x'");
}

TEST_CASE("what is not finite or beyond its type is named with its place") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  std::vector<double> two(2);
  double real = 0;
  std::uint32_t half = 0;
  bool flag = false;
  CHECK(loading_error({{"x", std::vector<double>{1, nan}}}, [&](StateArchive& a) { a.field("x", two, 2); }) ==
        "the saved state holds nan in 'x', entry 1 (counted from 0)");
  CHECK(two == std::vector<double>{0, 0});
  CHECK(loading_error({{"x", std::vector<double>{-infinity}}}, [&](StateArchive& a) { a.field("x", real); }) ==
        "the saved state holds -inf in 'x', entry 0 (counted from 0)");
  CHECK(loading_error({{"x", std::vector<std::uint64_t>{std::uint64_t{1} << 32}}}, [&](StateArchive& a) {
          a.field("x", half);
        }) == "the saved state holds 4294967296 in 'x', entry 0 (counted from 0), where 4294967295 is the most");
  CHECK(loading_error({{"x", std::vector<std::uint64_t>{2}}}, [&](StateArchive& a) { a.field("x", flag); }) ==
        "the saved state of 'x' is 2, where 0 or 1 is needed");
}

TEST_CASE("a vector that is set late is told from one that was lost") {
  struct Late {
    std::vector<double> mean;
    void state(StateArchive& a) { a.late_field("mean", mean, a.sizes().parameters); }
  };
  const auto load = [](const StateArchive::Fields& fields) {
    Late late;
    return loading_error(fields, [&](StateArchive& a) { late.state(a); });
  };
  for (const std::vector<double>& mean : {std::vector<double>{}, {1, 2}}) {
    Late saved{mean}, loaded;
    StateArchive saving;
    saved.state(saving);
    StateArchive loading(saving.fields(), {.parameters = 2});
    loaded.state(loading);
    CHECK(loaded.mean == mean);
  }
  const std::vector<std::uint64_t> yes{1}, no{0};
  CHECK(load({{"mean_set", yes}}) == "");  // of a run without parameters
  CHECK(load({{"mean", std::vector<double>{1, 2}}}) == "the saved state lacks 'mean_set'");
  CHECK(load({{"mean", std::vector<double>{1, 2}}, {"mean_set", no}}) ==
        "the saved state holds 2 values of 'mean' where 0 are needed");
}

TEST_CASE("groups are known before they are visited, and nothing is shown of what is loaded") {
  StateArchive archive({{"a/b", std::vector<double>{1}}, {"ab/c", std::vector<double>{1}}}, {});
  CHECK(archive.has_group("a"));
  CHECK(archive.has_group("ab"));
  CHECK_FALSE(archive.has_group("b"));
  CHECK(archive.fields().empty());
}

}  // namespace state_archive_test
