#include <harmonium/framework/files/metrics_log.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>

#include <doctest/doctest.h>

namespace metrics_log_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a log is read by its figures, each with the epochs at which it was taken") {
  const ScratchFolder folder;
  const MetricsLog log = read_metrics_log(folder.write("metrics.jsonl",
                                                       "{\"epoch\":1,\"update\":5,\"a\":-1.5}\n"
                                                       "{\"epoch\":2,\"update\":10}\n"
                                                       "{\"epoch\":3,\"update\":15,\"a\":1e-3,\"b.c\":2}\n"
                                                       "{\"epoch\":4,\"update\":20,\"a\":7"));  // cut short
  CHECK(log.epochs == 3);
  CHECK(log.updates == 15);
  REQUIRE(log.series.size() == 2);
  REQUIRE(log.find("a"));
  CHECK(log.find("a")->epochs == std::vector<double>{1, 3});
  CHECK(log.find("a")->values == std::vector<double>{-1.5, 1e-3});
  CHECK(log.series[1].name == "b.c");
  CHECK(log.series[1].epochs == std::vector<double>{3});
  CHECK(log.find("b") == nullptr);
}

TEST_CASE("a log without lines has no figures, and of a figure that a line has twice the last counts") {
  const ScratchFolder folder;
  const MetricsLog none = read_metrics_log(folder.write("none", ""));
  CHECK(none.epochs == 0);
  CHECK(none.series.empty());
  const MetricsLog twice = read_metrics_log(folder.write("twice", "{\"epoch\":1,\"update\":1,\"a\":1,\"a\":2}\n"));
  CHECK(twice.find("a")->values == std::vector<double>{2});
}

TEST_CASE("the last line may judge the last model once more, and is the last then") {
  const ScratchFolder folder;
  const std::string first = "{\"epoch\":3,\"update\":15,\"a\":1}\n",
                    judged = "{\"epoch\":4,\"update\":20,\"b\":3,\"c\":4}\n",
                    text = first + "{\"epoch\":4,\"update\":20,\"a\":2,\"c\":5}\n" + judged;
  const MetricsLog log = read_metrics_log(folder.write("metrics.jsonl", text));
  CHECK(log.epochs == 4);
  CHECK(log.updates == 20);
  CHECK(log.find("a")->epochs == std::vector<double>{3, 4});
  CHECK(log.find("b")->epochs == std::vector<double>{4});
  CHECK(log.find("c")->values == std::vector<double>{4});
  for (const char* after : {"{\"epoch\":4,\"update\":20}\n", "{\"epoch\":5,\"update\":25}\n"})
    CHECK_THROWS_AS(read_metrics_log(folder.write("metrics.jsonl", text + after)), DataError);
}

TEST_CASE("a line that no run writes is told by its number") {
  const ScratchFolder folder;
  const std::string good = "{\"epoch\":2,\"update\":10,\"a\":1}\n";
  for (const char* bad :
       {"", "x", "{}", "[1]", "{\"epoch\":3}", "{\"update\":11,\"epoch\":3}", "{\"epoch\":3,\"update\":11,\"a\":}",
        "{\"epoch\":3,\"update\":11,\"a\":nan}", "{\"epoch\":3,\"update\":11,\"a\":1e999}",
        "{\"epoch\":3,\"update\":11,\"a\":\"1\"}", "{\"epoch\":3,\"update\":11,}", "{\"epoch\":3,\"update\":11 }",
        "{\"epoch\":2,\"update\":11}", "{\"epoch\":3,\"update\":10}", "{\"epoch\":2.5,\"update\":11}",
        "{\"epoch\":-3,\"update\":11}", "{\"epoch\":3,\"update\":11,\"\":1}", "{\"epoch\":3,\"update\":11,\"a"}) {
    CAPTURE(bad);
    const auto path = folder.write("metrics.jsonl", good + bad + "\n");
    CHECK_THROWS_WITH_AS(read_metrics_log(path),
                         (path.string() + ":2: this is no line that a run writes after the one before it. Put the log "
                                          "back as it was, or repeat the run.")
                             .c_str(),
                         DataError);
  }
  CHECK_THROWS_AS(read_metrics_log(folder / "absent"), FileError);
}

}  // namespace metrics_log_test
