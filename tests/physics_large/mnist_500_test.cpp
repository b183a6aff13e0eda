// The likelihood of a machine of 500 hidden units, held against tempering by another program.
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/npy.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace mnist_500_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// What a command prints; it must succeed.
std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t read = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), read);
  REQUIRE(pclose(pipe) == 0);
  return text;
}

/// Mean of each pixel, as the other program's law at β = 0 has them.
std::vector<double> means_of(const std::vector<double>& visible_bias) {
  std::vector<double> means;
  means.reserve(visible_bias.size());
  for (const double b : visible_bias) means.push_back(1.0 / (1.0 + std::exp(-b)));
  return means;
}

}  // namespace

TEST_CASE("the interval of a machine of 500 hidden units holds what tempering in NumPy finds") {
  const auto images = data_file("mnist/train-images-idx3-ubyte.gz");
  const auto digits = data_file("mnist/t10k-images-idx3-ubyte.gz");
  if (!images || !digits) return;
  const ScratchFolder folder;
  folder.write("mnist.toml", fmt::format("data = {{ type = \"idx\", path = \"{}\", binarize = \"threshold\" }}\n"
                                         "model = {{ type = \"rbm\", num_visible = 784, num_hidden = 500 }}\n"
                                         "estimator = {{ type = \"pcd\", centering = true }}\n"
                                         "training = {{ num_epochs = 10 }}\npictures = {{ which = [] }}\n",
                                         images->string()));
  const std::string run = (folder / "run").string();
  // The same machine wherever there is AVX2: of some that other kernels' rounding leads to, ladders as short as those below
  // tell log Z to half a nat only. What is examined, `evaluate`, runs by this processor's own kernels.
  const char* const pinned = __builtin_cpu_supports("avx2") ? "OPENBLAS_CORETYPE=Haswell HARMONIUM_ISA=v3 " : "";
  output_of(
      fmt::format("{}{} train {} --output {} --quiet", pinned, program_path(), (folder / "mnist.toml").string(), run));
  const auto found = nlohmann::json::parse(output_of(
      fmt::format("{} evaluate {}/model.h5 --data {} --json --quiet", program_path(), run, digits->string())));
  CAPTURE(found.dump());
  CHECK(found["agree"] == true);
  const double low = found["log_z_interval"][0], high = found["log_z_interval"][1];
  CHECK(high - low < 1.0);

  const auto tensors = tensors_of(folder / "run/model.h5");
  const auto write = [&](const char* file, const std::vector<double>& values, Index rows, Index cols) {
    write_npy(folder / file, MatrixView<const double>{values.data(), rows, cols, cols});
  };
  write("W.npy", tensors.at("weight.visible.hidden"), 784, 500);
  write("b.npy", tensors.at("bias.visible"), 784, 1);
  write("c.npy", tensors.at("bias.hidden"), 500, 1);
  write("means.npy", means_of(tensors.at("bias.visible")), 784, 1);
  // Ladders, and not annealing from one side: that misses modes of some machines by several nats, and does not know.
  std::istringstream printed(
      output_of(fmt::format("OPENBLAS_NUM_THREADS=1 /usr/bin/python3 {}/tests/physics_large/tempering.py {} 8 40 3000",
                            source_folder(), folder.path().string())));
  double log_z = 0.0, error = 0.0;
  REQUIRE(static_cast<bool>(printed >> log_z >> error));
  CAPTURE(log_z);
  CAPTURE(error);
  CHECK(error < 0.3);
  // Eight ladders: three errors of a mean whose deviation is estimated from eight would be left once in fifty times.
  CHECK(log_z < high + 3.0 * error);
  CHECK(log_z > low - 3.0 * error);
}

}  // namespace mnist_500_test
