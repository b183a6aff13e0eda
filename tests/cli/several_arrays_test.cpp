// Files of several arrays or datasets, and labels that are words.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/tests/support/npy_words.hpp>
#include <harmonium/tests/support/png.hpp>
#include <harmonium/tests/support/zip.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace several_arrays_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Eight rows of three bits, and of each the class that its first bit tells, by number and in words.
class Files : public ScratchFolder {
 public:
  Files() {
    const std::vector<double> rows = bit_rows(8, 3);
    std::string numbers;
    std::vector<std::u32string> words;
    Words bytes;
    for (std::size_t r = 0; r < 8; ++r) {
      const bool one = rows[3 * r] != 0;
      numbers += static_cast<char>(one ? 0 : 1);
      words.emplace_back(one ? U"full" : U"void");
      bytes.emplace_back(one ? "full" : "void");
      text_ += one ? "full\n" : "void\n";
    }
    const std::string classes = npy_start("'|u1'", "(8,)") + numbers;
    write("x.npy", npy_bytes(8, 3, rows));
    write("y.npy", classes);
    write("w.txt", text_);
    write("s.npy", npy_byte_words(bytes));
    write("a.npz", zip_bytes({{"x.npy", npy_bytes(8, 3, rows)}, {"y.npy", classes}, {"w.npy", npy_words(words)}}));
    Hdf5File file = Hdf5File::create(*this / "d.h5");
    file.write("X", rows, {8, 3});
    file.close();
  }

 protected:
  std::string text_;
};

ReadPng picture(const ScratchFolder& folder, const std::string& what) {
  const Outcome outcome = run(folder, {"draw", what, "--output", "p.png", "--quiet"});
  CAPTURE(what);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_png(folder / "p.png");
}

}  // namespace

TEST_CASE("draw takes one of several arrays, and of several datasets, by its name") {
  const Files folder;
  const ReadPng rows = picture(folder, "x.npy");
  CHECK(picture(folder, "a.npz:array=x").image == rows.image);
  CHECK(picture(folder, "d.h5:samples=X").image == rows.image);
  CHECK(picture(folder, "x.npy:binarize=threshold,range=[0,1]").image == rows.image);
  CHECK(like(rows.text("Description"), "8 of 8 rows of x.npy; *"));
  const auto refused = [&](const std::string& what, std::string_view pattern) {
    check_refusal(run(folder, {"draw", what, "--output", "q.png"}), 2, pattern);
  };
  refused("a.npz", "a.npz: holds 3 arrays, and one is read: x, y, w. Name it as in a.npz:array=x.");
  refused("d.h5", "*d.h5: has no dataset 'samples'. It has: X. Set data.samples, or name it as in d.h5:samples=X.");
  refused("a.npz:array=z", "[data] array is 'z', but *a.npz has no such array*");
  check_refusal(run(folder, {"draw", "a.npz:array=w", "--output", "q.png"}), 1,
                "*the dtype '<U4' cannot be read*Words are read as the labels of rows alone, by data.labels.");
  // What begins as a model and lacks something is told what it lacks.
  write_foreign_model(folder / "m.h5");
  CHECK(run(folder, {"draw", "m.h5", "--output", "q.png"}).status == 0);
}

TEST_CASE("rows and labels of one archive make a run, and words are its classes") {
  const Files folder;
  const auto trained = [&](const std::string& labels, const std::string& output) {
    const Outcome begun = run(folder, {"init", "a.npz:array=x,labels=" + labels, "--set", "training.num_epochs=3",
                                       "--output", output + ".toml"});
    CAPTURE(begun.err);
    REQUIRE(begun.status == 0);
    const Outcome outcome = run(folder, {"train", output + ".toml", "--output", output, "--quiet"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return content_of(folder / output / "config.toml");
  };
  const std::string by_number = trained("a.npz:array=y", "numbers"), by_word = trained("a.npz:array=w", "words");
  CHECK(by_number.find("\nclasses = ") == std::string::npos);
  CHECK(by_word.find("\nclasses = [\"full\", \"void\"]\n") != std::string::npos);
  CHECK(content_of(folder / "numbers/metrics.jsonl") == content_of(folder / "words/metrics.jsonl"));
  // The run's own configuration is read again, and so are words in a text.
  const auto accuracy = [&](const Words& more) {
    Words words{"evaluate", "words", "--json", "--data"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["accuracy"];
  };
  const auto found = accuracy({"x.npy:labels=y.npy"});
  CHECK(found.is_number());
  CHECK(accuracy({"x.npy:labels=w.txt"}) == found);
  CHECK(accuracy({"d.h5:samples=X,labels=w.txt"}) == found);
  CHECK(accuracy({"x.npy:labels=s.npy"}) == found);
  // Of the second word alone, which by itself would be class 0.
  folder.write("one.npy", npy_bytes(1, 3, {0, 0, 0}));
  folder.write("void.txt", "void\n");
  folder.write("number.txt", "1\n");
  CHECK(accuracy({"one.npy:labels=void.txt"}) == accuracy({"one.npy:labels=number.txt"}));
}

TEST_CASE("the first line of a text of classes is a header by the number of rows") {
  const Files folder;
  const std::string seven = "full\nvoid\nfull\nvoid\nfull\nvoid\nvoid\n";
  folder.write("solo.txt", "solo\n" + seven);
  folder.write("kind.txt", "kind\nfull\n" + seven);
  const auto classes = [&](const std::string& labels) {
    const Outcome outcome = run(folder, {"inspect", "x.npy:labels=" + labels, "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    Words levels;
    const auto report = nlohmann::json::parse(outcome.out);
    for (const auto& level : report["classes"]["levels"]) levels.push_back(level["level"]);
    return levels;
  };
  CHECK(classes("solo.txt") == Words{"full", "solo", "void"});
  CHECK(classes("kind.txt") == Words{"full", "void"});
  folder.write("short.txt", "kind\n" + seven.substr(5));
  check_refusal(run(folder, {"inspect", "x.npy:labels=short.txt"}), 1,
                "*short.txt: holds 6 labels below 'kind', which was taken for a header (one for each of the 8 rows "
                "expected).");
}

TEST_CASE("labels in an archive that is named alone are told how they are named") {
  const Files folder;
  check_refusal(run(folder, {"init", "a.npz:array=x", "--set", "data.labels=a.npz", "--output", "c.toml"}), 2,
                "[data] labels '*a.npz': holds 3 arrays, and one is read: x, y, w. Name it as in labels = "
                "\"a.npz:array=x\".");
  check_refusal(run(folder, {"init", "a.npz", "--output", "c.toml"}), 2,
                "*a.npz: holds 3 arrays, and one is read: x, y, w. Set data.array, or name it as in a.npz:array=x.");
}

}  // namespace several_arrays_test
