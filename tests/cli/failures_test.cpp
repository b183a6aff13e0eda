
#include <doctest/doctest.h>

#include "files.hpp"

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

namespace failures_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

TEST_CASE("a disk that is full while samples are written leaves the older file as it was") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  for (const char* name : {"s.npy", "s.h5"}) {
    folder.write(name, "old");
    check_refusal(run(Surroundings{.folder = folder.path(), .longest_file = 1000},
                      {"sample", "m.h5", "--num-samples", "1000", "--steps", "1", "--output", name}),
                  1, std::string(name) + ": cannot be written: File too large");
    CHECK(content_of(folder / name) == "old");
  }
  CHECK(files_below(folder.path()) == Words{"m.h5", "s.h5", "s.npy"});
}

TEST_CASE("a disk that is full while a gradient is written leaves the older file as it was") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  folder.write("g.h5", "old");
  check_refusal(run(Surroundings{.folder = folder.path(), .longest_file = 1000},
                    {"gradient", "m.h5", "--data", "d.npy", "--estimator", "cd", "--output", "g.h5"}),
                1, "g.h5: cannot be written: File too large");
  CHECK(content_of(folder / "g.h5") == "old");
  CHECK(files_below(folder.path()) == Words{"d.npy", "g.h5", "m.h5"});
}

TEST_CASE("a disk that is full when a run begins leaves nothing, and an earlier run whole") {
  const CliFolder folder;
  const Surroundings full{.folder = folder.path(), .longest_file = 100};
  check_refusal(run(full, {"train", "small.toml"}), 1, "*/runs/small-1/config.toml: cannot be written: File too large");
  check_refusal(run(full, {"train", "small.toml", "--output", "a/b/c"}), 1,
                "*/a/b/c/config.toml: cannot be written: *");
  CHECK(files_below(folder.path()) == Words{"small.toml"});
  folder.trained();
  const std::string model = content_of(folder / "run/model.h5"), config = content_of(folder / "run/config.toml");
  const Words before = files_below(folder.path());
  CHECK(run(full, {"train", "small.toml", "--output", "run", "--overwrite", "--seed", "9"}).status == 1);
  CHECK(files_below(folder.path()) == before);
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(content_of(folder / "run/config.toml") == config);
}

TEST_CASE("a disk that fills up during a run ends it with whole lines only") {
  const CliFolder folder;
  check_refusal(run(Surroundings{.folder = folder.path(), .longest_file = 5000},
                    {"train", "small.toml", "--output", "run", "--set", "training.num_epochs=1000", "--set",
                     "pictures.which=[]"}),
                1, "cannot write */run/metrics.jsonl: *");
  const std::string log = content_of(folder / "run/metrics.jsonl");
  CHECK(log.size() > 1000);
  CHECK(log.ends_with("}\n"));
  CHECK(!fs::exists(folder / "run/model.h5"));
  for (const std::string& name : files_below(folder.path())) CHECK(!name.ends_with(".partial"));
}

TEST_CASE("a disk that is full when the model is written leaves no part of one") {
  const CliFolder folder;
  check_refusal(run(Surroundings{.folder = folder.path(), .longest_file = 2600},
                    {"train", "small.toml", "--output", "run", "--set", "pictures.which=[]"}),
                1, "*/run/model.h5: cannot be written: File too large");
  CHECK(files_below(folder / "run") ==
        Words{"checkpoints", "checkpoints.jsonl", "config.toml", "metrics.jsonl", "timing.jsonl"});
}

TEST_CASE("a run's folder that cannot be made is told with the reason") {
  const CliFolder folder;
  folder.write("file", "text");
  check_refusal(run(folder, {"train", "small.toml", "--output", "file"}), 2,
                "--output */file: a file of this name exists. Give the name of a folder.");
  check_refusal(run(folder, {"train", "small.toml", "--output", "file/run"}), 1,
                "cannot create the folder */file/run: Not a directory");
  check_refusal(run(folder, {"train", "small.toml", "--output", "/proc/run"}), 1,
                "cannot create the folder /proc/run: *");
  folder.write("runs", "text");
  check_refusal(run(folder, {"train", "small.toml"}), 1, "cannot create the folder */runs: *");
  CHECK(files_below(folder.path()) == Words{"file", "runs", "small.toml"});
}

TEST_CASE("standard output that cannot be written is an error, even of --help") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  for (const Words& words : {Words{"--help"}, Words{"--version"}, Words{"list"}, Words{"describe", "gibbs"},
                             Words{"evaluate", "m.h5", "--json"}, Words{"sample", "--help"}}) {
    CAPTURE(words[0]);
    check_refusal(run(Surroundings{.folder = folder.path(), .out = "/dev/full"}, words), 1,
                  "cannot write to standard output: No space left on device.");
    check_refusal(run(Surroundings{.folder = folder.path(), .out = "-"}, words), 1,
                  "cannot write to standard output: *.");
  }
}

TEST_CASE("standard error that cannot be written changes nothing else") {
  const CliFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("gray.npy", npy_bytes(1, 3, {0.0, 0.5, 1.0}));
  for (const char* err : {"/dev/full", "-"}) {
    CAPTURE(err);
    const Surroundings deaf{.folder = folder.path(), .err = err};
    CHECK(run(deaf, {"trian"}).status == 2);
    CHECK(run(deaf, {"evaluate", "none.h5"}).status == 2);
    const Outcome outcome = run(deaf, {"evaluate", "m.h5", "--data", "gray.npy", "--json"});
    CHECK(outcome.status == 0);
    CHECK(outcome.out.ends_with("}\n"));
    CHECK(run(deaf, {"train", "small.toml"}).status == 0);
  }
}

TEST_CASE("with closed standard streams no message ends up in an output file") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const Words words{"sample", "m.h5", "--num-samples", "3", "--steps", "2", "--output"};
  Words a = words, b = words;
  a.push_back("a.npy");
  b.push_back("b.npy");
  CHECK(run(folder, a).status == 0);
  CHECK(run(Surroundings{.folder = folder.path(), .out = "-", .err = "-"}, b).status == 0);
  CHECK(content_of(folder / "a.npy") == content_of(folder / "b.npy"));
}

TEST_CASE("a pipe that nobody reads ends the program quietly") {
  const ScratchFolder folder;
  const auto script = folder.write("script", std::string("cd \"$(dirname \"$0\")\"\n(sleep 0.2; \"") + program_path() +
                                                 "\" list; echo $? > status) 2> err | true\n");
  CHECK(std::system(("sh " + script.string()).c_str()) == 0);
  REQUIRE(appears(folder / "status"));
  CHECK(content_of(folder / "status") == "141\n");
  CHECK(content_of(folder / "err").empty());
}

TEST_CASE("a progress bar is drawn on a terminal only, and not when quiet") {
  const CliFolder folder;
  if (!terminals_exist()) {
    CHECK(run(folder, {"train", "small.toml"}).err == "");
    skip_test("this system gives out no pseudo-terminal (is /dev/pts mounted?)");
    return;
  }
  const Surroundings watched{.folder = folder.path(), .terminal = true};
  const Words train{"train", "small.toml", "--set", "training.num_epochs=140"};
  const Outcome seen = run(watched, train);
  CHECK(seen.status == 0);
  CHECK(like(seen.err, "training */runs/small-1: 14 rows, 59 parameters, 280 updates*[*#*] 100%*epoch 140/140*\n"));
  CHECK(seen.out == (fs::canonical(folder.path()) / "runs/small-1/model.h5").string() + "\n");
  for (std::size_t from = 0, to = 0; (to = seen.err.find_first_of("\r\n", from)) != std::string::npos; from = to + 1)
    if (seen.err.compare(from, 4, "\033[K[") == 0)
      CHECK(to - from <= 80 + 3);  // the bar, behind the code that clears its line
  CHECK(like(seen.err, "*\nverdict on Gibbs chains: *\n"));
  CHECK(run(folder, train).err == "");
  Words quiet = train;
  quiet.push_back("--quiet");
  CHECK(run(watched, quiet).err == "");
  const Outcome diverged = run(watched, {"train", "small.toml", "--set", "optimizer.learning_rate=1e12"});
  CHECK(like(diverged.err, "*\nharmonium: the run diverged *"));
}

}  // namespace failures_test
