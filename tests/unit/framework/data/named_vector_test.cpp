#include <harmonium/framework/data/named_vector.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/tests/support/npy_words.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/zip.hpp>

namespace named_vector_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Words = std::vector<std::string>;
using Numbers = std::vector<double>;

/// A vector of bytes as numpy.save writes it.
std::string npy_bytes_of(const std::string& bytes) {
  return npy_start("'|u1'", "(" + std::to_string(bytes.size()) + ",)") + bytes;
}

RowClasses classes(const std::filesystem::path& path, const Words& known = {}, std::optional<Index> rows = {}) {
  return read_classes(named_vector("labels", path.string()), known, rows);
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("words, one a line or in an array, are classes by the alphabet or in the order that is known") {
  const ScratchFolder folder;
  const std::vector<std::filesystem::path> files{folder.write("w.txt", "dog\ncat\ndog\nemu\n"),
                                                 folder.write("w.csv", "kind\ndog\ncat\ndog\nemu\n"),
                                                 folder.write_gzipped("w.txt.gz", "dog\ncat\ndog\nemu\n"),
                                                 folder.write("w.npy", npy_words({U"dog", U"cat", U"dog", U"emu"})),
                                                 folder.write("s.npy", npy_byte_words({"dog", "cat", "dog", "emu"}))};
  for (const auto& file : files) {
    CAPTURE(file.string());
    const RowClasses found = classes(file);
    CHECK(found.numbers == Numbers{1, 0, 1, 2});
    CHECK(found.words == Words{"cat", "dog", "emu"});
    const RowClasses other = classes(file, {"emu", "dog", "ape", "cat"});
    CHECK(other.numbers == Numbers{1, 3, 1, 0});
    CHECK(other.words == Words{"emu", "dog", "ape", "cat"});
    CHECK(message_of([&] {
            classes(file, {"dog", "cat"});
          }).find("is 'emu', and the classes are dog, cat. Add it to data.classes.") != std::string::npos);
  }
  CHECK(classes(folder.write("one.txt", "dog\n"), {"cat", "dog"}).numbers == Numbers{1});
  // A word may have blanks; a number is a class by itself.
  CHECK(classes(folder.write("b.txt", "New York\nBonn\nNew York\n")).words == Words{"Bonn", "New York"});
  CHECK(classes(folder.write("n.txt", "2\n0\n")).words.empty());
  CHECK(classes(folder.write("n.txt", "2\n0\n")).numbers == Numbers{2, 0});
}

TEST_CASE("a first line that occurs once is a header where there is one more line than rows, and else a class") {
  const ScratchFolder folder;
  const auto file = folder.write("w.txt", "emu\ncat\ndog\ncat\ndog\n");
  CHECK(classes(file, {}, 5).numbers == Numbers{2, 0, 1, 0, 1});
  CHECK(classes(file, {}, 5).words == Words{"cat", "dog", "emu"});
  CHECK(classes(file, {}, 4).numbers == Numbers{0, 1, 0, 1});
  CHECK(classes(file, {}, 4).words == Words{"cat", "dog"});
  CHECK(classes(file).words == Words{"cat", "dog"});
  CHECK(message_of([&] { classes(file, {}, 6); }) ==
        file.string() +
            ": holds 4 labels below 'emu', which was taken for a header (one for each of the 6 rows expected).");
  // Empty lines at the end are none; a single row has no line below it.
  CHECK(classes(folder.write("e.txt", "emu\ncat\ncat\n\n\n"), {}, 3).words == Words{"cat", "emu"});
  CHECK(classes(folder.write("one.txt", "dog\n"), {}, 1).words == Words{"dog"});
  CHECK(classes(folder.write("c.csv", "emu\ncat\ncat\n"), {}, 3).words == Words{"cat", "emu"});
  // A word that occurs again, or is known, is none of a header: there is a line too many, which the rows tell.
  CHECK(classes(folder.write("t.txt", "cat\ndog\ncat\n"), {}, 2).numbers.size() == 3);
  CHECK(classes(file, {"cat", "dog", "emu"}, 4).numbers.size() == 5);
  CHECK(classes(folder.write("n.txt", "2\n0\n1\n"), {}, 2).numbers.size() == 3);
  // A word above numbers is a header whatever the rows: a label is missing, and "kind" is no class.
  CHECK(message_of([&] {
          classes(folder.write("k.txt", "kind\n0\n1\n"), {}, 3);
        }).find("holds 2 labels below 'kind', which was taken for a header (one for each of the 3 rows expected)") !=
        std::string::npos);
  CHECK(classes(folder.write("k.csv", "kind\n0\n1\n"), {}, 3).numbers == Numbers{0, 1});
}

TEST_CASE("classes by number go with the words that are known") {
  const ScratchFolder folder;
  const auto file = folder.write("n.npy", npy_bytes_of({0, 2, 1}));
  CHECK(classes(file, {"a", "b", "c"}).numbers == Numbers{0, 2, 1});
  CHECK(classes(file, {"a", "b", "c"}).words == Words{"a", "b", "c"});
  CHECK(message_of([&] {
          classes(file, {"a", "b"});
        }) == file.string() +
                  ": row 1 (counted from 0) is 2, and there are words for 2 classes, counted from 0. Mend it, or add "
                  "its word to data.classes.");
}

TEST_CASE("an array of several is named behind the file") {
  const ScratchFolder folder;
  const auto file =
      folder.write("a.npz", zip_bytes({{"x.npy", npy_bytes_of({0, 1, 1})}, {"y.npy", npy_bytes_of({2, 0, 1})}}));
  const auto named = [&](const std::string& behind) { return named_vector("labels", file.string() + behind); };
  CHECK(named(":array=y").file == file.string());
  CHECK(read_vector(named(":array=y"), "class", "labels") == Numbers{2, 0, 1});
  CHECK(read_vector(named(":array=x"), "class", "labels") == Numbers{0, 1, 1});
  const std::string place = "[data] labels '" + file.string();
  CHECK(message_of([&] { named(""); }) ==
        place + "': holds 2 arrays, and one is read: x, y. Name it as in labels = \"a.npz:array=x\".");
  CHECK(message_of([&] { named(":y"); }) ==
        place + ":y': 'y' behind the file's name is not understood. Write " + file.string() + ":array=NAME.");
  CHECK(message_of([&] { named_vector("labels", (folder / "b.npz:array=y").string()); }) ==
        "[data] labels '" + (folder / "b.npz:array=y").string() + "': no such file");
  // A file of the whole name comes first.
  const auto odd = folder.write("a.npz:array=y", "1\n1\n");
  CHECK(read_classes(named(":array=y"), {}).numbers == Numbers{1, 1});
  const auto text = folder.write("t.txt", "1\n");
  CHECK(message_of([&] { named_vector("labels", text.string() + ":array=y"); }) ==
        "[data] labels '" + text.string() +
            ":array=y': 'array=y' behind the file's name is not understood. Only a file of several arrays (.npz, HDF5) "
            "takes the name of one there.");
}

}  // namespace named_vector_test
