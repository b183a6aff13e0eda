// Samples and chains that are drawn at another temperature.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include <harmonium/framework/files/png.hpp>
#include <harmonium/tests/support/png.hpp>

#include "files.hpp"

namespace draw_beta_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

ReadPng drawn(const ScratchFolder& folder, const Words& words) {
  Words all{"draw"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--seed", "4", "--output", "p.png"});
  const Outcome outcome = run(folder, all);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  ReadPng png = read_png(folder / "p.png");
  CHECK(outcome.out == "p.png: " + png.text("Description") + "\n");
  return png;
}

std::set<std::tuple<int, int, int>> colors(const ReadPng& png) {
  std::set<std::tuple<int, int, int>> all;
  for (const Color& c : png.image.pixels) all.insert({c.red, c.green, c.blue});
  return all;
}

bool alike(const ReadPng& one, const ReadPng& other) {
  return std::ranges::equal(one.image.pixels, other.image.pixels, [](const Color& a, const Color& b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
  });
}

}  // namespace

TEST_CASE("samples and chains at another temperature are those of couplings times beta, and their line says so") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  std::string scaled = content_of(folder / "ising.txt");
  for (std::size_t at = 0; (at = scaled.find(" 1\n", at)) != std::string::npos;) scaled.replace(at, 3, " 0.4\n");
  folder.write("scaled.txt", scaled);
  REQUIRE(run(folder, {"import", "scaled.txt", "--output", "scaled.h5", "--precision", "float64"}).status == 0);
  for (const char* what : {"samples", "chains"}) {
    CAPTURE(what);
    const auto of = [&](const char* model, const Words& more) {
      Words words{model, "--what", what, "--steps", "50"};
      words.insert(words.end(), more.begin(), more.end());
      return drawn(folder, words);
    };
    const ReadPng hot = of("ising.h5", {"--temperature", "2.5"}), expected = of("scaled.h5", {}),
                  plain = of("ising.h5", {"--beta", "1"});
    CHECK(alike(hot, expected));
    CHECK(!alike(hot, plain));
    CHECK(hot.text("Description").find(" at beta = 0.4") != std::string::npos);
    CHECK(plain.text("Description").find("beta") == std::string::npos);
  }
  CHECK(drawn(folder, {"ising.h5", "--what", "samples", "--steps", "50", "--beta", "0.4"})
            .text("Description")
            .starts_with("100 samples after 50 transitions at beta = 0.4; 4x4, "));
}

TEST_CASE("means of visible units are those at the temperature of their chains") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const Words words{"m.h5", "--what", "samples", "--steps", "5", "--beta"};
  const auto at = [&](const char* beta) {
    Words all = words;
    all.emplace_back(beta);
    return colors(drawn(folder, all)).size();
  };
  // At infinite temperature all means are one half: one gray, and what lies between the tiles.
  CHECK(at("0") <= 2);
  CHECK(at("1") > 4);
}

TEST_CASE("a temperature is refused for pictures that no chains are drawn for") {
  const CliFolder folder;
  folder.trained();
  folder.write("rows.csv", "1,0,1,0\n0,1,1,0\n");
  const auto refused = [&](const Words& more, const char* who) {
    Words words{"draw"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--beta", "0.5"});
    check_refusal(
        run(folder, words), 2,
        std::string("--beta: it is for samples and chains of a model, and not for ") + who + ". Leave it out.");
  };
  refused({"run", "--what", "filters", "--output", "p.png"}, "filters");
  refused({"run", "--what", "reconstructions", "--output", "p.png"}, "reconstructions");
  refused({"run", "--what", "curves", "--output", "p.svg"}, "curves");
  refused({"rows.csv", "--output", "p.png"}, "a file of data");
}

}  // namespace draw_beta_test
