#include <harmonium/framework/studies/study_folder.hpp>

#include <fstream>

#include <doctest/doctest.h>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace study_folder_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

void touch(const std::filesystem::path& path) { std::ofstream(path) << "x"; }

const std::vector<KnownStudy> two{{"first", {"seed", "size"}, {{"first.csv"}, {"curve"}}},
                                  {"second", {"seed", "rate"}, {{"second.csv"}, {}}}};

StudyPlace place_in(const std::filesystem::path& folder, const char* study) {
  return {folder.string(), study, false, two, [](const std::string& part) { return part == "mine"; }};
}

Value configuration(std::int64_t size) {
  return make_table({{"seed", make_value(std::int64_t{1})}, {"size", make_value(size)}});
}

}  // namespace

TEST_CASE("a configuration is of the study that has all its options, and of the likeliest where several have") {
  CHECK(study_of(configuration(3), two, "second") == "first");
  const Value seed = make_table({{"seed", make_value(std::int64_t{1})}});
  CHECK(study_of(seed, two, "second") == "second");
  CHECK(study_of(seed, two, "first") == "first");
  CHECK(study_of(make_table(), two, "first") == "");
  CHECK(study_of(make_table({{"other", make_value(1.0)}}), two, "first") == "");
}

TEST_CASE("a folder is taken again by its own study and refused to another") {
  const ScratchFolder scratch;
  const std::filesystem::path path = scratch / "study";
  { const StudyFolder folder(place_in(path, "first"), configuration(3)); }
  CHECK_NOTHROW(StudyFolder(place_in(path, "first"), configuration(3)));
  CHECK_THROWS_AS(StudyFolder(place_in(path, "first"), configuration(4)), ConfigError);
  CHECK_THROWS_AS(StudyFolder(place_in(path, "second"), configuration(3)), ConfigError);
}

TEST_CASE("a folder that is overwritten loses what studies wrote, and nothing else") {
  const ScratchFolder scratch;
  const std::filesystem::path path = scratch / "study";
  { const StudyFolder folder(place_in(path, "first"), configuration(3)); }
  for (const char* file : {"first.csv", "second.csv", "curve.svg", "notes.txt", "runs/mine.toml", "runs/other.toml"})
    touch(path / file);
  StudyPlace place = place_in(path, "first");
  place.overwrite = true;
  const StudyFolder folder(place, configuration(4));
  for (const char* file : {"first.csv", "second.csv", "curve.svg", "runs/mine.toml"})
    CHECK_FALSE(std::filesystem::exists(path / file));
  for (const char* file : {"notes.txt", "runs/other.toml"}) CHECK(std::filesystem::exists(path / file));
}

}  // namespace study_folder_test
