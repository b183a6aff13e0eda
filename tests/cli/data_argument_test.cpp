#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace data_argument_test {

using namespace harmonium::testing;

TEST_CASE("--data names a source that makes its rows, with its options") {
  const CliFolder folder;
  folder.trained();
  folder.write("m.h5", content_of(folder / "run/model.h5"));
  const auto by_settings = judged(folder, {"--set", "data.side=3"});
  CHECK(by_settings["num_samples"] == 14);
  CHECK(judged(folder, {"--data", "bars_and_stripes:side=3"}) == by_settings);
  CHECK(judged(folder, {"--data", "bars_and_stripes"}) == by_settings);  // of the run's side
  CHECK(judged(folder, {"--data", "diagonal:size=9"})["num_samples"] == 10);
  // What is set has the last word.
  CHECK(judged(folder, {"--data", "diagonal:size=4", "--set", "data.size=9"})["num_samples"] == 10);
  CHECK(run(folder, {"gradient", "m.h5", "--data", "diagonal:size=9", "--estimator", "exact", "--output", "g.h5"})
            .status == 0);
  CHECK(run(folder, {"diagnose", "m.h5", "--data", "diagonal:size=9", "--steps", "200"}).status == 0);
  CHECK(run(folder, {"draw", "m.h5", "--what", "data", "--data", "diagonal:size=9", "--output", "d.png"}).status == 0);
}

TEST_CASE("--data takes options of a file behind its name, and a file with a colon in its name") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  std::vector<double> gray = bit_rows(8, 3);
  for (double& v : gray) v = 0.1 + 0.8 * v;
  folder.write("gray.npy", npy_bytes(8, 3, gray));
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto bits = judged(folder, {"--data", "d.npy"});
  CHECK(judged(folder, {"--data", "gray.npy:binarize=threshold,range=[0, 1]"})["log_likelihood"] ==
        bits["log_likelihood"]);
  folder.write("a:b=1", npy_bytes(8, 3, bit_rows(8, 3)));
  CHECK(judged(folder, {"--data", "a:b=1"}) == bits);
  folder.write("gray:x", npy_bytes(8, 3, gray));
  CHECK(judged(folder, {"--data", "gray:x:binarize=threshold,range=[0,1]"})["log_likelihood"] ==
        bits["log_likelihood"]);
}

TEST_CASE("commands say where the rows that they take were drawn at random, and how the first are had") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto told = [&](Words words, const std::string& rows) {
    const std::size_t path = words[2] == "--data" ? 3u : 2u;
    words[path] = "d.npy:rows=" + rows;
    const Outcome outcome = run(folder, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return outcome.err;
  };
  const Words commands[] = {{"evaluate", "m.h5", "--data", ""},
                            {"transform", "m.h5", "", "--output", "h.npy"},
                            {"transform", "m.h5", "", "--complete", "--output", "c.npy"},
                            {"gradient", "m.h5", "--data", "", "--estimator", "exact"}};
  for (const Words& words : commands) {
    CAPTURE(words.front());
    CHECK(
        like(told(words, "5"),
             "*harmonium: note: *d.npy: 5 rows, drawn at random (another --seed draws others) and kept in their order. "
             "--set data.rows=0:5 takes the first 5.\n*"));
    CHECK(like(told(words, "0.1"), "*d.npy: one row, drawn at random *. --set data.rows=0:1 takes the first.\n*"));
    CHECK(told(words, "0:5").find("at random") == std::string::npos);
  }
  const Outcome set = run(folder, {"transform", "m.h5", "d.npy", "--output", "h.npy", "--set", "data.rows=5"});
  CHECK(set.err.find("d.npy: 5 rows, drawn at random") != std::string::npos);
  // What the note says is so.
  REQUIRE(run(folder, {"transform", "m.h5", "d.npy", "--output", "first.npy", "--set", "data.rows=0:5"}).status == 0);
  folder.write("first.in.npy", npy_bytes(5, 3, bit_rows(5, 3)));
  REQUIRE(run(folder, {"transform", "m.h5", "first.in.npy", "--output", "same.npy"}).status == 0);
  CHECK(content_of(folder / "first.npy") == content_of(folder / "same.npy"));
}

TEST_CASE("a range of rows is those rows of the file, wherever a command reads some") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const std::vector<double> bits = bit_rows(8, 3);
  folder.write("d.npy", npy_bytes(8, 3, bits));
  folder.write("some.npy", npy_bytes(3, 3, {bits.begin() + 6, bits.begin() + 15}));
  const auto some = judged(folder, {"--data", "some.npy"});
  CHECK(some["num_samples"] == 3);
  CHECK(judged(folder, {"--data", "d.npy:rows=2:5"}) == some);
  CHECK(judged(folder, {"--data", "d.npy", "--set", "data.rows=2:5"}) == some);
  REQUIRE(run(folder, {"evaluate", "m.h5", "--data", "d.npy:rows=2:5", "--rows", "rows.csv"}).status == 0);
  const auto lines = csv_fields(folder / "rows.csv");
  REQUIRE(lines.size() == 4);
  for (std::size_t r = 0; r < 3; ++r) CHECK(lines[r + 1][0] == std::to_string(r + 2));  // as the file has them
  CHECK(run(folder, {"draw", "d.npy:rows=2:5", "--output", "p.png"}).status == 0);
  const std::string few = "--set data.rows=0:9: * has 8 rows, from 0 to 7. Lower END.";
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "d.npy:rows=0:9"}), 2, few);
  check_refusal(run(folder, {"draw", "d.npy:rows=0:9", "--output", "p.png"}), 2, few);
  for (const std::string range : {"5:2", "2:2", "1:", ":3", "-1:3", "1:2:3", "a:b"})
    check_refusal(run(folder, {"evaluate", "m.h5", "--data", "d.npy:rows=" + range}), 2,
                  "--set data.rows=" + range + ": '" + range + "' is no range of rows. Write BEGIN:END, *");
}

TEST_CASE("a range of rows is refused where a run is to train on it, with what a run takes") {
  const ScratchFolder folder;
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  folder.write(
      "c.toml",
      "data = { type = \"npy\", path = \"d.npy\" }\nmodel = { type = \"rbm\", num_visible = 3, num_hidden = 2 }\n"
      "estimator = { type = \"exact\" }\ntraining = { num_epochs = 1 }\n");
  const std::string words =
      "rows = 0:5 is a range, which evaluate, transform, diagnose, gradient and draw take. A run takes a number: "
      "rows = 5 are 5 rows at random.";
  for (const Words& command :
       {Words{"train", "c.toml", "--output", "r"}, {"explain", "c.toml"}, {"init", "d.npy"}, {"inspect", "d.npy"}}) {
    CAPTURE(command[0]);
    Words all = command;
    all.insert(all.end(), {"--set", "data.rows=0:5"});
    check_refusal(run(folder, all), 2, "--set data.rows=0:5: " + words);
  }
  check_refusal(run(folder, {"init", "d.npy:rows=0:5"}), 2, "d.npy:rows=0:5: " + words);
  check_refusal(run(folder, {"train", "c.toml", "--set", "data.rows=5:2", "--output", "r"}), 2,
                "--set data.rows=5:2: data 'npy': option 'rows' must be a number, not a string.");
  check_refusal(run(folder, {"train", "c.toml", "--set", "data.path=d.npy:rows=0:5", "--output", "r"}), 2,
                "[data] path '*d.npy:rows=0:5': no such file. FILE:KEY=VALUE is for commands that take rows, as by "
                "--data; a run takes '*d.npy', and has data.rows by itself. And " +
                    words);
  check_refusal(run(folder, {"train", "c.toml", "--set", "data.path=d.npy:scale=2", "--output", "r"}), 2,
                "[data] path '*d.npy:scale=2': no such file. FILE:KEY=VALUE is for commands that take rows, as by "
                "--data; a run takes '*d.npy', and has data.scale by itself.");
  check_refusal(run(folder, {"train", "c.toml", "--set", "data.validation_path=d.npy:rows=0:5", "--output", "r"}), 2,
                "[data] validation_path '*d.npy:rows=0:5': no such file. FILE:KEY=VALUE is for commands that take "
                "rows, as by --data; a run takes '*d.npy' whole, and reads it as it reads data.path.");
  check_refusal(run(folder, {"train", "c.toml", "--set", "data.path=e.npy:rows=5", "--output", "r"}), 2,
                "[data] path '*e.npy:rows=5': no such file");
}

TEST_CASE("what --data cannot mean is refused, with the name that is near") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto refused = [&](const std::string& data, const std::string& pattern) {
    CAPTURE(data);
    check_refusal(run(folder, {"evaluate", "m.h5", "--data", data}), 2, pattern);
  };
  const std::string known = "bars_and_stripes, diagonal, labeled_shifter, one_d_ball.";
  refused("bars_and_strips:side=3",
          "--data bars_and_strips:side=3: 'bars_and_strips' is no file and no source that makes its rows (did you mean "
          "'bars_and_stripes'?). Name a file, or one of " +
              known);
  refused("diagnal",
          "--data diagnal: 'diagnal' is no file and no source that makes its rows (did you mean 'diagonal'?). "
          "Name a file, or one of " +
              known);
  refused("x:side=3",
          "--data x:side=3: 'x' is no file and no source that makes its rows. Name a file, or one of " + known);
  refused("csv:path=a", "--data csv:path=a: 'csv' reads a file. Name the file itself, as in FILE or FILE:KEY=VALUE.");
  refused("nothing.npy", "[data] path 'nothing.npy': no such file");
  refused("nothing.npy:scale=2", "[data] path 'nothing.npy': no such file");
  refused("diagonal:size",
          "--data diagonal:size: 'size' is no KEY=VALUE. Write what is set as in bars_and_stripes:side=4 "
          "or digits.npy:binarize=threshold,range=[0,16].");
  refused("diagonal:size=3,size=4", "--data diagonal:size=3,size=4: 'size' stands there twice. Leave one out.");
  refused("diagonal:bits=3", "--set data.bits=3: data 'diagonal': *");
  refused("d.npy:standardize=true",
          "--set data.standardize=true: this command transforms data as the model's training data were. Leave "
          "data.standardize out.");
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "diagonal:size=3", "--set", "data.type=one_d_ball"}), 2,
                "--set data.type=one_d_ball: --data diagonal:size=3 names the kind of data already. Leave one out.");
}

}  // namespace data_argument_test
