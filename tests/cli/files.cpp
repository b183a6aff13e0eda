#include "files.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <doctest/doctest.h>
#include <hdf5.h>

namespace harmonium::testing {
namespace {

constexpr std::array<double, 3> visible_bias{0.25, -0.5, 1.0};
constexpr std::array<double, 2> hidden_bias{-0.75, 0.5};
constexpr std::array<double, 6> weights{0.5, -1.0, 1.5, 0.25, -0.125, 2.0};  // exact in both precisions

}  // namespace

double foreign_energy(unsigned v, unsigned h) {
  double e = 0.0;
  for (unsigned i = 0; i < 3; ++i) {
    if (!(v >> i & 1)) continue;
    e -= visible_bias[i];
    for (unsigned j = 0; j < 2; ++j) e -= h >> j & 1 ? weights[2 * i + j] : 0.0;
  }
  for (unsigned j = 0; j < 2; ++j) e -= h >> j & 1 ? hidden_bias[j] : 0.0;
  return e;
}

namespace {

void write_attribute(hid_t file, const char* name, hid_t type, const void* value, bool array) {
  const hsize_t one = 1;
  const hid_t space = array ? H5Screate_simple(1, &one, nullptr) : H5Screate(H5S_SCALAR);
  const hid_t id = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0 || H5Awrite(id, type, value) < 0) throw std::runtime_error("attribute not written");
  H5Aclose(id);
  H5Sclose(space);
}

void write_string(hid_t file, const char* name, const std::string& text, const Writing& writing) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  const char* pointer = text.c_str();
  H5Tset_size(type, writing.fixed_strings ? text.size() : H5T_VARIABLE);
  if (writing.fixed_strings) H5Tset_strpad(type, H5T_STR_NULLPAD);  // as numpy.bytes_ becomes
  else H5Tset_cset(type, H5T_CSET_UTF8);
  write_attribute(file, name, type, writing.fixed_strings ? static_cast<const void*>(pointer) : &pointer,
                  writing.array_attributes);
  H5Tclose(type);
}

template <std::size_t N>
void write_dataset(hid_t group, const char* name, const std::array<double, N>& values, std::vector<hsize_t> shape,
                   const Writing& writing) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t id = H5Dcreate2(group, name, writing.float32_datasets ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, space,
                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0 || H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw std::runtime_error("dataset not written");
  H5Dclose(id);
  H5Sclose(space);
}

}  // namespace

std::string npy_bytes(std::size_t rows, std::size_t cols, const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(cols) + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

std::string idx_bytes(std::size_t rows, std::size_t cols, const std::vector<std::uint8_t>& values) {
  std::string bytes("\0\0\x08\x02", 4);
  for (const std::size_t n : {rows, cols})
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(n >> shift & 0xFF);
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size());
}

std::vector<double> bit_rows(std::size_t rows, std::size_t cols) {
  std::vector<double> values;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) values.push_back(static_cast<double>(r >> c & 1));
  return values;
}

void write_foreign_model(const std::filesystem::path& path, const Writing& writing) {
  const std::string config =
      "precision = \"" + writing.precision + "\"\n\n[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\n";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_string(file, "format", "harmonium", writing);
  const std::int64_t type = writing.version_type ? writing.version_type : H5T_NATIVE_INT64;
  const std::uint64_t version = 1;  // little-endian: its first bytes are 1 in any width
  write_attribute(file, "format_version", type, &version, writing.array_attributes);
  write_string(file, "config", config, writing);
  const hid_t group = H5Gcreate2(file, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  write_dataset(group, "bias.visible", visible_bias, {3}, writing);
  write_dataset(group, "bias.hidden", hidden_bias, {2}, writing);
  write_dataset(group, "weight.visible.hidden", weights, {3, 2}, writing);
  H5Gclose(group);
  if (H5Fclose(file) < 0) throw std::runtime_error("model not written");
}

double foreign_log_z(double beta) {
  double z = 0.0;
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned h = 0; h < 4; ++h) z += std::exp(-beta * foreign_energy(v, h));
  return std::log(z);
}

double foreign_log_likelihood() {
  double sum = 0.0;
  for (unsigned v = 0; v < 8; ++v) {
    double p = 0.0;
    for (unsigned h = 0; h < 4; ++h) p += std::exp(-foreign_energy(v, h));
    sum += std::log(p) - foreign_log_z();
  }
  return sum / 8;
}

void write_torus(const ScratchFolder& folder, int side, const std::string& precision) {
  std::ofstream file(folder / "ising.txt");
  file << side * side << " " << 2 * side * side << "\n";
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      file << y * side + x + 1 << " " << y * side + (x + 1) % side + 1 << " 1\n"
           << y * side + x + 1 << " " << (y + 1) % side * side + x + 1 << " 1\n";
  file.close();
  REQUIRE(run(folder, {"import", "ising.txt", "--output", "ising.h5", "--precision", precision}).status == 0);
}

const CliFolder& CliFolder::trained() const {
  if (run(*this, {"train", "small.toml", "--output", "run", "--quiet"}).status != 0)
    throw std::runtime_error("the small run failed");
  return *this;
}

std::vector<Words> csv_fields(const std::filesystem::path& path) {
  std::istringstream lines(content_of(path));
  std::vector<Words> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

}  // namespace harmonium::testing
