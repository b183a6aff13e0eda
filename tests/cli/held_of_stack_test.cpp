// What a stack of machines cannot be asked: draws given some of its units.
#include <doctest/doctest.h>

#include "files.hpp"
#include "stacks.hpp"

namespace held_of_stack_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

TEST_CASE("of a stack nothing is held, by any sampler, and the refusal says what to do in its place") {
  const CliFolder folder;
  folder.write("deep.toml", "base = \"small.toml\"\n[[machines]]\n[[machines]]\n\"model.num_hidden\" = 6\n");
  REQUIRE(stack(folder, {"deep.toml", "--epochs", "1"}).status == 0);
  const auto refused = [&](Words words, const std::string& first = "deep/machine1") {
    words.insert(words.end(), {"--clamp", "visible[0]=1"});
    check_refusal(run(folder, words), 2,
                  "--clamp: of a stack nothing can be held, by any sampler. Draw many rows and keep those that fit, or "
                  "sample " +
                      first + ", the first machine alone.");
  };
  const auto sample = [](const std::string& model, const Words& more = {}) {
    Words words{"sample", model, "--num-samples", "2", "--steps", "2", "--output", "rows.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refused(sample("deep"));
  refused(sample("deep/model.h5", {"--sampler", "gibbs"}));
  refused({"draw", "deep", "--what", "samples", "--output", "rows.png"});
  refused({"observe", "deep"});
  fs::copy_file(folder / "deep/model.h5", folder / "moved.h5");
  refused(sample("moved.h5"), "DIR/machine1 of the stack's folder");
  CHECK(!fs::exists(folder / "rows.csv"));
  CHECK(run(folder, sample("deep")).status == 0);
  Words of_first = sample("deep/machine1");
  of_first.insert(of_first.end(), {"--clamp", "visible[0]=1"});
  CHECK(run(folder, of_first).status == 0);
}

}  // namespace held_of_stack_test
