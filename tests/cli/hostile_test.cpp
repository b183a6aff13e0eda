// What somebody who means harm, or slips, can name: files that never end, keys without end, names that a terminal obeys.
#include <chrono>
#include <fstream>
#include <thread>

#include <sys/stat.h>

#include <doctest/doctest.h>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/tests/support/sanitized.hpp>

#include "files.hpp"

namespace hostile_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a key without end is refused with its place, in a configuration, a model file and --set") {
  const CliFolder folder;
  const std::string key = "a" + repeated(".a", 20000);
  const std::string why = ": more than 100 levels (tables, lists and parts of a dotted key inside one another). *";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "a = " + repeated("[", 20000),
                                  "a = " + repeated("{a = ", 20000), "a = [{" + key + " = 1}]\n"}) {
    CAPTURE(text.substr(0, 20));
    folder.write("deep.toml", "seed = 1\n" + text);
    for (const char* command : {"train", "explain", "check"})
      check_refusal(run(folder, {command, "deep.toml"}), 2, "deep.toml:2:*" + why);
  }
  {
    Hdf5File file = Hdf5File::create(folder / "foreign.h5");
    file.write_attribute("format", "harmonium");
    file.write_attribute("format_version", std::int64_t{1});
    file.write_attribute("config", key + " = 1\n");
    file.close();
  }
  check_refusal(run(folder, {"evaluate", "foreign.h5"}), 1, "foreign.h5: config:1:*" + why);
  // In an instant, and not by naming all of it.
  for (const std::string& odd : {key, "a" + repeated("[0]", 20000)}) {
    const Outcome outcome = run(folder, {"train", "small.toml", "--set", odd + "=1"});
    check_refusal(outcome, 2, "--set a*...: the key has more than 100 parts. Write one with fewer.");
    CHECK(outcome.err.size() < 200);
  }
  CHECK(files_below(folder.path()) == Words{"deep.toml", "foreign.h5", "small.toml"});
}

TEST_CASE("what is no regular file is refused at once, whatever names it") {
  const CliFolder folder;
  folder.trained();
  fs::copy_file(folder / "run/model.h5", folder / "m.h5");
  folder.write("d.csv", "0,1,0,1,0,1,0,1,1\n1,1,0,0,0,1,0,1,0\n");
  for (const char* name : {"pipe", "pipe.so", "pipe.npy", "pipe.h5", "pipe.png", "data.h5.sha256"})
    REQUIRE(::mkfifo((folder / name).c_str(), 0600) == 0);
  fs::copy_file(folder / "m.h5", folder / "data.h5");
  const Words before = files_below(folder.path());
  const auto refused = [&](const Words& words, int status, std::string_view pattern) {
    CAPTURE(words[0]);
    const auto began = std::chrono::steady_clock::now();
    check_refusal(run(folder, words), status, pattern);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(60));
  };
  for (const char* command : {"train", "explain", "check"}) {
    refused({command, "pipe"}, 2, "pipe: is a pipe, not a file. Name the TOML file that is meant.");
    refused({command, "/dev/zero"}, 2, "/dev/zero: is a device, not a file. Name the TOML file that is meant.");
  }
  refused({"study", "cd-bias", "pipe", "--output", "new"}, 2, "pipe: is a pipe, not a file. *");
  for (const auto& [odd, kind] : {std::pair{"pipe", "a pipe"}, std::pair{"/dev/zero", "a device"}}) {
    const std::string why = std::string(odd) + ": is " + kind + ", not a file";
    refused({"evaluate", odd}, 1, why);
    refused({"evaluate", "m.h5", "--data", odd}, 1, "*" + why);
    refused({"init", odd}, 1, why);
    refused({"draw", odd, "--output", "p.png"}, 1, why);
    refused({"import", odd, "--output", "i.h5"}, 1, why);
    refused({"gradient", "m.h5", "--data", odd, "--estimator", "cd", "--output", "g.h5"}, 1, "*" + why);
    refused({"sample", "m.h5", "--num-samples", "1", "--steps", "1", "--output", "s.npy", "--clamp", odd}, 1,
            "*" + why);
    const auto training = [&](const Words& settings) {
      Words words{"train", "small.toml", "--output", "new"};
      for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
      return words;
    };
    const std::string file = std::string("=\"") + odd + "\"", data = "data={type=\"csv\", path=\"d.csv\"}";
    refused(training({"data={type=\"csv\"}", "data.path" + file}), 1, "*" + why);
    for (const char* key : {"weights", "labels", "validation_path"})
      refused(training({data, std::string("data.") + key + file}), 1, "*" + why);
    const std::string masked = "model={type=\"fully_visible\", num_visible=9, masks=[{coupling=\"visible.visible\", ";
    for (const char* key : {"edges", "matrix"}) refused(training({masked + key + file + "}]}"}), 2, "*" + why + "*");
  }
  refused({"evaluate", "m.h5", "--plugin", "./pipe.so"}, 2, "./pipe.so: this is not a file.");
  refused({"evaluate", "data.h5"}, 1, "data.h5.sha256: is a pipe, not a file");
  // And where something is to be written.
  refused({"sample", "m.h5", "--num-samples", "1", "--steps", "1", "--output", "pipe.npy"}, 1,
          "--output pipe.npy: is a pipe, which no file replaces. Give another name.");
  refused({"import", "d.csv", "--output", "pipe.h5"}, 1, "--output pipe.h5: is a pipe, *");
  refused({"draw", "m.h5", "--output", "pipe.png"}, 1, "--output pipe.png: is a pipe, *");
  refused({"init", "d.csv", "--overwrite", "--output", "/dev/null"}, 1,
          "/dev/null: is a device, which no file replaces. *");
  CHECK(files_below(folder.path()) == before);
}

TEST_CASE("a configuration has an end, and what is beyond it is not read") {
  const CliFolder folder;
  folder.write("long.toml", std::string(small_config) + "#");
  fs::resize_file(folder / "long.toml", std::uintmax_t{1} << 36);  // a hole: it takes no room
  const Outcome outcome = run(folder, {"train", "long.toml"});
  check_refusal(outcome, 2, "long.toml: longer than 16 MiB, *");
  CHECK(outcome.peak_bytes < 5e8);
  folder.write("full.toml",
               std::string(small_config) + "#" + std::string((1 << 24) - std::string(small_config).size() - 1, 'x'));
  CHECK(run(folder, {"explain", "full.toml"}).status == 0);
}

TEST_CASE("what a terminal would obey is shown in messages, not sent") {
  const CliFolder folder;
  write_foreign_model(folder / "m.h5");
  const std::string red = "\x1b[31m", bell = "\x07";
  folder.write("key.toml", "\"" + std::string("\\u001b[31m") + "\" = 1\n");
  check_refusal(run(folder, {"train", "key.toml"}), 2, "key.toml:1:*: unknown section '\\x1B[31m'*");
  folder.write("head.csv", red + "a,b,c\n0,1,0\n0,x" + bell + ",0\n");
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "head.csv", "--set", "data.type=csv"}), 1,
                "*head.csv:3: field 2 ('b'): 'x\\x07' is no number. *");
  folder.write("name.fasta", ">" + red + "\nAC\n>b\nACG\n");
  const Outcome fasta = run(folder, {"init", "name.fasta"});
  CHECK(fasta.status == 1);
  CHECK(fasta.err.find('\x1b') == std::string::npos);
  check_refusal(run(folder, {"evaluate", "none\n" + red + "\t\xC2\x9B" + "2J\xFF\xE2\x80\xAE.h5"}), 2,
                "none\\n\\x1B[31m\\t\\xC2\\x9B2J\\xFF\\xE2\\x80\\xAE.h5: no such file");
  CHECK(run(folder, {"plugins", "--plugin", "./" + red + ".so"}).out.find("not loaded: ./\\x1B[31m.so: ") !=
        std::string::npos);
  // Names that no file can have, and that fill no screen.
  const Outcome endless = run(folder, {"evaluate", std::string(100000, 'a')});
  check_refusal(endless, 1, "aaa* [... * bytes ...] aaa*a: File name too long.");
  CHECK(endless.err.size() < 5000);
  // What is readable stays as it is.
  check_refusal(run(folder, {"evaluate", "größe 数.h5"}), 2, "größe 数.h5: no such file");
}

TEST_CASE("a signal ends a run while its data is read, and nothing is written") {
  const CliFolder folder;
  {
    // Weighing 10^5 sequences looks at 5 * 10^9 pairs of them: minutes.
    std::ofstream file(folder / "many.fasta");
    std::string row(100, 'A');
    for (unsigned i = 0; i < 100000; ++i) {
      for (unsigned s = 0; s < row.size(); ++s) row[s] = "ACGT"[(i * (2 * s + 1) >> (s % 13)) % 4];
      file << ">\n" << row << "\n";
    }
  }
  const Words before = files_below(folder.path());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string data = R"(data={type="fasta", path="many.fasta", reweight=0.2, alphabet="dna"})";
    const std::string units = R"({type="categorical", num_states=5})";
    Running running({"train", "small.toml", "--output", "new", "--set", data, "--set",
                     "model={type=\"rbm\", num_visible=100, num_hidden=2, visible_units=" + units + "}"},
                    {.folder = folder.path()});
    REQUIRE(running.catches(signal));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    running.signal(signal);
    const auto asked = std::chrono::steady_clock::now();
    check_refusal(running.wait(), 1, "stopped by a signal; no file was written.");
    CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds(20));
  }
  CHECK(files_below(folder.path()) == before);
}

TEST_CASE("a signal ends a run within half a minute, though an update takes for ever") {
  const CliFolder folder;
  // Its 25 s are 2.5 s of an alarm that hurries; a sanitizer wants to be what is loaded first, and has all of them.
  Words launcher;
  if (!sanitized) launcher = {"env", "LD_PRELOAD=" HARMONIUM_TEST_PLUGINS "/hurried_alarm.so"};
  const std::chrono::milliseconds patience(sanitized ? 25000 : 2500);
  Running running({"train", "small.toml", "--output", "new", "--threads", "1", "--set",
                   "estimator.gibbs_steps=4611686018427387904"},
                  {.folder = folder.path(), .launcher = launcher});
  while (!fs::exists(folder / "new" / "checkpoints.jsonl")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  running.signal(SIGTERM);
  const auto asked = std::chrono::steady_clock::now();
  const Outcome outcome = running.wait();
  const auto taken = std::chrono::steady_clock::now() - asked;
  CHECK(outcome.status == 1);
  CHECK(outcome.err.find("harmonium: stopped. What was under way did not end within 25 s of the signal, and what came "
                         "after the last checkpoint is lost.\n") != std::string::npos);
  CHECK(taken >= 0.9 * patience);  // an update that takes its time has it
  CHECK(taken < patience + std::chrono::seconds(5));
  CHECK(files_below(folder / "new") == Words{"checkpoints", "checkpoints.jsonl", "config.toml", "metrics.jsonl",
                                             "timing.jsonl"});  // nothing half-written
}

TEST_CASE("columns whose mean or spread no number holds are refused with place and remedy") {
  const CliFolder folder;
  const auto refused = [&](const std::string& value, const std::string& setting, std::string_view pattern) {
    CAPTURE(value);
    CAPTURE(setting);
    // Three columns that do not follow from one another; the second is the one that is large.
    folder.write("d.csv", "0,-" + value + ",2\n1," + value + ",3\n2,-" + value + ",7\n5," + value + ",1\n1,0,1\n");
    check_refusal(run(folder, {"train", "small.toml", "--output", "new", "--set",
                               "data={type=\"csv\", path=\"d.csv\", " + setting + "}", "--set",
                               "model={type=\"rbm\", num_visible=3, num_hidden=2, visible_units=\"gaussian\"}"}),
                  2, pattern);
    CHECK(!fs::exists(folder / "new"));
  };
  const std::string advice = " leaves the range of numbers. Set data.scale so that values are nearer to 1.";
  refused("1e200", "standardize=true", "[data] */d.csv: the variance of column 1 (counted from 0)" + advice);
  refused("1e200", "whiten=\"zca\"", "[data] */d.csv: the covariance of its columns" + advice);
  refused("1", "whiten=\"zca\", whiten_epsilon=1e308",
          "[data] */d.csv: data.whiten_epsilon = 1e+308 times the columns' mean variance leaves the range of numbers. "
          "Lower it.");
  // Just below, it is done.
  folder.write("d.csv", "0,-1e153,2\n1,1e153,3\n2,-1e153,7\n5,1e153,1\n1,0,1\n");
  CHECK(run(folder,
            {"train", "small.toml", "--output", "new", "--set", "data={type=\"csv\", path=\"d.csv\", standardize=true}",
             "--set", "model={type=\"rbm\", num_visible=3, num_hidden=2, visible_units=\"gaussian\"}", "--set",
             "training.batch_size=5"})
            .status == 0);
}

}  // namespace hostile_test
