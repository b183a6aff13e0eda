#include <harmonium/framework/core/memory_need.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace memory_need_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("bytes are written with three digits") {
  CHECK(bytes_in_words(0) == "0 B");
  CHECK(bytes_in_words(999) == "999 B");
  CHECK(bytes_in_words(1000) == "1 kB");
  CHECK(bytes_in_words(999'999) == "1 MB");
  CHECK(bytes_in_words(3.136e12) == "3.14 TB");
  CHECK(bytes_in_words(1e25) == "1e+07 EB");
}

TEST_CASE("a need that fits says nothing, and one that does not names what is largest and what to lower") {
  MemoryNeed need;
  need.add("the batch", 10, "training.batch_size");
  need.add("the chains", 6e9, "estimator.num_chains");
  need.add("nothing", 0, "nothing");
  need.add("the parameters", 2e9, "the model");
  need.add("the gradient", 2e9, "the model");
  CHECK(need.bytes() == 1e10 + 10);
  CHECK(need.items().size() == 4);
  CHECK(need.summary(2) == "the chains 6 GB, the parameters 2 GB");
  CHECK_NOTHROW(need.check("the run", 1e10 + 10));
  CHECK_NOTHROW(need.check("the run", 0));  // nobody says what there is
  CHECK(message_of<ConfigError>([&] { need.check("the run", 8e9); }) ==
        "the run needs about 10 GB of memory, and 8 GB is what there is. The largest parts: the chains 6 GB, the "
        "parameters 2 GB, the gradient 2 GB, the batch 10 B. Lower estimator.num_chains or the model.");
  need.add_passing("the rows", 5, "rows");
  need.add_passing("a checkpoint", 7, "");
  need.add_passing("other rows", 6, "rows");
  CHECK(need.bytes() == 1e10 + 17);
  CHECK(need.items().back().what == "a checkpoint");
  need.add_state("velocity", 3, "");
  CHECK(need.state_bytes() == 3);
  CHECK(need.bytes() == 1e10 + 20);
  MemoryNeed given;
  given.add("the parameters", 5e9, "");
  CHECK(message_of<ConfigError>([&] { given.check("log Z", 1e9); }) ==
        "log Z needs about 5 GB of memory, and 1 GB is what there is. The largest parts: the parameters 5 GB. Take a "
        "smaller model.");
}

TEST_CASE("this machine has some memory, and not more than any has") {
  CHECK(machine_memory() > 1e8);
  CHECK(machine_memory() < 1e16);
}

}  // namespace memory_need_test
