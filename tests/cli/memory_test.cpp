#include <doctest/doctest.h>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/tests/support/sanitized.hpp>

#include "files.hpp"

namespace memory_test {

using namespace harmonium::testing;

namespace {

/// One update of a model of so many units a layer.
Words training(const std::string& visible, const std::string& hidden, const Words& settings) {
  Words words{"train", "small.toml", "--output", "new", "--set", "data={type=\"diagonal\", size=" + visible + "}"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  words.insert(words.end(), {"--set", "model.num_visible=" + visible, "--set", "model.num_hidden=" + hidden});
  return words;
}

}  // namespace

// A sanitizer's shadow is memory too: neither a limit nor a peak says anything then.
TEST_CASE("a run that memory cannot hold is refused by what takes it, before it is taken" * doctest::skip(sanitized)) {
  const CliFolder folder;
  const auto refused = [&](const Words& words, std::string_view pattern) {
    const Outcome outcome = run(Surroundings{.folder = folder.path(), .most_memory = 4'000'000'000}, words);
    check_refusal(outcome, 2, pattern);
    CHECK(outcome.peak_bytes < 2e8);
  };
  refused(training("1000", "1000000000", {}),
          "small.toml:8:1: model 'rbm': its 1001000001000 parameters take 8.01 TB, and 4 GB is what there is. Take a "
          "smaller model.");
  // Once it would fit, but not with the gradient and the copies.
  refused(
      training("4000", "100000", {}),
      "training needs about 19.* GB of memory, and 4 GB is what there is. The largest parts: a checkpoint while it is "
      "written 6.* GB, the parameters 3.2 GB, the parameters before an update 3.2 GB, the gradient 3.2 GB. Lower the "
      "size of "
      "the model.");
  refused(training("9", "5", {"estimator.num_chains=1000000000000"}),
          "training needs about * TB of memory, and 4 GB is what there is. The largest parts: *, the chains * TB, *. "
          "Lower the estimator's num_chains.");
  CHECK(files_below(folder.path()) == Words{"small.toml"});
}

TEST_CASE("samples, log Z and gradients that memory cannot hold are refused" * doctest::skip(sanitized)) {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const Surroundings small{.folder = folder.path(), .most_memory = 2'000'000'000};
  check_refusal(run(small, {"sample", "m.h5", "--num-samples", "1000000000", "--steps", "1", "--output", "s.npy"}), 2,
                "sampling needs about 24 GB of memory, and 2 GB is what there is. *");
  check_refusal(run(small, {"gradient", "m.h5", "--data", "d.npy", "--estimator", "pcd", "--set",
                            "estimator.num_chains=1000000000", "--output", "g.h5"}),
                2, "the gradient needs about * GB of memory, and 2 GB is what there is. *: the chains * GB, *");
}

TEST_CASE("the estimated peak is what a run takes, within a third" * doctest::skip(sanitized)) {
  const CliFolder folder;
  const auto estimated = [&](const Words& words) {
    const Words explaining{"explain", words[1], "--no-timing"};
    Words all = explaining;
    for (std::size_t i = 4; i < words.size(); ++i) all.push_back(words[i]);
    const Outcome outcome = run(folder, all);
    INFO(outcome.err);
    const std::string mark = "# memory at its peak: about ";
    REQUIRE(outcome.out.find(mark) != std::string::npos);
    return std::stod(outcome.out.substr(outcome.out.find(mark) + mark.size())) * 1e6;  // all of these are in MB
  };
  // The program and its libraries are 40 MB; everything else is to be most of what is taken.
  for (const Words& settings : {Words{"precision=float32", "estimator.num_chains=1000"},
                                Words{"optimizer.momentum=0.5"}, Words{"optimizer.type=adam"}}) {
    CAPTURE(settings[0]);
    Words more = settings;
    more.insert(more.end(), {"training.num_epochs=1", "training.checkpoint_every=1", "training.batch_size=100"});
    Words words = training("400", "3000", more);
    words.push_back("--overwrite");
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    words.pop_back();
    const double estimate = estimated(words);
    CAPTURE(estimate);
    CAPTURE(outcome.peak_bytes);
    CHECK(estimate > outcome.peak_bytes * 3 / 4);
    CHECK(estimate < outcome.peak_bytes * 4 / 3);
  }
}

TEST_CASE("where memory has no room for the BLAS library's buffer, that is told, at any limit" *
          doctest::skip(sanitized)) {
  // OpenBLAS asks for 128 MiB as soon as it is loaded, for each processor, and with the first product; where it gets
  // none, it asks again, for ever. No limit may lead there.
  const CliFolder folder;
  const bool openblas = std::string(harmonium::blas_name()).starts_with("OpenBLAS");
  bool told = false, listed = false, trained = false;
  for (unsigned long limit = 60'000'000; limit <= 480'000'000; limit += 20'000'000) {
    CAPTURE(limit);
    const Surroundings small{.folder = folder.path(), .most_memory = limit};
    const Outcome list = run(small, {"list", "model"});
    const Outcome train = run(small, {"train", "small.toml", "--output", "new", "--overwrite", "--threads", "1"});
    for (const Outcome& outcome : {list, train}) {
      INFO(outcome.err);
      // 127: the system's own loader found no room for the libraries.
      CHECK((outcome.status == 0 || outcome.status == 1 || outcome.status == 2 || outcome.status == 127));
      CHECK(outcome.err.find("unexpected") == std::string::npos);
    }
    listed = listed || list.status == 0;
    trained = trained || train.status == 0;
    if (train.err.find("OpenBLAS") == std::string::npos) continue;
    told = true;
    check_refusal(
        train, 1,
        "out of memory: products of matrices need a buffer of 128 MiB for each thread (OpenBLAS's own, whatever "
        "the size of the model), and there is no room for it. Raise the limit on memory (ulimit -v).");
  }
  CHECK(listed);
  CHECK(trained);
  CHECK(told == openblas);
}

TEST_CASE("a run takes as many threads as a limit leaves, says so, and is the same" * doctest::skip(sanitized)) {
  const CliFolder folder;
  // 8 MB of stack each.
  const Surroundings small{.folder = folder.path(), .most_memory = 2'000'000'000};
  const Outcome limited = run(small, {"train", "small.toml", "--output", "many", "--threads", "1000"});
  INFO(limited.err);
  CHECK(limited.status == 0);
  CHECK(like(limited.err,
             "harmonium: note: --threads 1000: a limit on processes or memory leaves *, and that many are "
             "used. Results are the same.\n"));
  REQUIRE(run(folder, {"train", "small.toml", "--output", "one", "--threads", "1"}).status == 0);
  CHECK(content_of(folder / "many/model.h5") == content_of(folder / "one/model.h5"));
  // Where nothing is in the way, nothing is said.
  const Outcome all = run(folder, {"train", "small.toml", "--output", "all", "--threads", "16"});
  CHECK(all.status == 0);
  CHECK(all.err == "");
}

}  // namespace memory_test
