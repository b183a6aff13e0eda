#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"

namespace harmonium::testing {

/// The bytes of an .npy file of numbers, by row.
std::string npy_bytes(std::size_t rows, std::size_t cols, const std::vector<double>& values);
/// The same as an IDX file of bytes.
std::string idx_bytes(std::size_t rows, std::size_t cols, const std::vector<std::uint8_t>& values);
/// Rows of 0 and 1 that are all unlike: the binary digits of 0, 1, 2, …
std::vector<double> bit_rows(std::size_t rows, std::size_t cols);

/// How a program other than ours may write a model file.
struct Writing {
  bool fixed_strings = false, array_attributes = false, float32_datasets = false;
  std::int64_t version_type = 0;  ///< an HDF5 type; 0: 64-bit
  std::string precision = "float64";
};

/// A small model with known parameters (3 visible and 2 hidden units), written with the HDF5 library alone.
void write_foreign_model(const std::filesystem::path& path, const Writing& writing = {});
/// Its log Z at an inverse temperature, and the mean log likelihood of bit_rows(8, 3), by adding up all 32 states.
/// Of its visible and hidden states, a bit a unit.
double foreign_energy(unsigned v, unsigned h);
double foreign_log_z(double beta = 1.0);
double foreign_log_likelihood();

/// ising.h5 of the Ising model on a torus of side × side spins, side > 2, by `import` from ising.txt.
void write_torus(const ScratchFolder& folder, int side, const std::string& precision = "float64");

/// The lines of a table of commas, each its fields, the names of its columns first.
std::vector<Words> csv_fields(const std::filesystem::path& path);

/// A configuration that trains in an instant: bars and stripes of side 3, 9 visible and 5 hidden units.
inline constexpr const char* small_config = R"(seed = 3
precision = "float64"

[data]
type = "bars_and_stripes"
side = 3

[model]
type = "rbm"
num_visible = 9
num_hidden = 5

[estimator]
type = "pcd"
num_chains = 8

[training]
num_epochs = 4
batch_size = 7
)";

/// A scratch folder with that configuration as small.toml; `trained` adds the run as the folder "run".
class CliFolder : public ScratchFolder {
 public:
  CliFolder() { write("small.toml", small_config); }
  const CliFolder& trained() const;
};

}  // namespace harmonium::testing
