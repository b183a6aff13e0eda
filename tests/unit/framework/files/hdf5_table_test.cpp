#include <harmonium/framework/files/hdf5_table.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <hdf5.h>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace hdf5_table_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Writes a dataset by the library alone; with `chunk` rows a chunk, compressed. Without values nothing is written.
template <class T>
void write(const std::filesystem::path& path, const char* name, hid_t stored, hid_t given, std::vector<hsize_t> shape,
           const std::vector<T>& values, hsize_t chunk = 0) {
  const hid_t file = std::filesystem::exists(path) ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                                   : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  if (chunk) {
    std::vector<hsize_t> chunks = shape;
    chunks[0] = chunk;
    H5Pset_chunk(properties, static_cast<int>(chunks.size()), chunks.data());
    H5Pset_deflate(properties, 4);
  }
  const hid_t id = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  REQUIRE(id >= 0);
  if (!values.empty()) REQUIRE(H5Dwrite(id, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  H5Dclose(id);
  H5Pclose(properties);
  H5Sclose(space);
  H5Fclose(file);
}

std::string refusal(const std::filesystem::path& path) {
  const std::string message = message_of<DataError>([&] { read_hdf5(path); });
  CHECK(message.starts_with(path.string() + ": "));
  return message.substr(path.string().size() + 2);
}

}  // namespace

TEST_CASE("HDF5 data: every type is read back, in one piece and in compressed chunks") {
  std::mt19937_64 words(9);
  const ScratchFolder folder;
  for (const hsize_t chunk : {0, 3}) {
    const Index rows = 7, cols = 6;
    std::vector<std::uint8_t> bytes(rows * cols);
    std::vector<float> floats(rows * cols);
    std::vector<double> doubles(rows * cols);
    std::vector<std::int16_t> shorts(rows * cols);
    for (Index i = 0; i < rows * cols; ++i) {
      bytes[i] = static_cast<std::uint8_t>(words());
      doubles[i] = static_cast<double>(words()) / 3 - 1e18;
      floats[i] = static_cast<float>(doubles[i]);
      shorts[i] = static_cast<std::int16_t>(words());
    }
    const auto at = [&](const char* name) { return folder / (std::to_string(chunk) + name); };
    write(at("b"), "samples", H5T_STD_U8LE, H5T_NATIVE_UINT8, {rows, 2, 3}, bytes, chunk);
    const Table b = read_hdf5(at("b")).table;
    CHECK(b.shape == std::vector<Index>{rows, 2, 3});
    CHECK(held<std::uint8_t>(b) == bytes);
    CHECK(b.mapped() == (chunk == 0));
    write(at("f"), "samples", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, {rows, cols}, floats, chunk);
    CHECK(held<float>(read_hdf5(at("f")).table) == floats);
    CHECK(read_hdf5(at("f")).table.mapped() == (chunk == 0));
    write(at("F"), "samples", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, {rows, cols}, floats, chunk);
    CHECK(held<float>(read_hdf5(at("F")).table) == floats);
    CHECK_FALSE(read_hdf5(at("F")).table.mapped());
    write(at("d"), "samples", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {rows, cols}, doubles, chunk);
    CHECK(held<double>(read_hdf5(at("d")).table) == doubles);
    write(at("i"), "samples", H5T_STD_I16LE, H5T_NATIVE_INT16, {rows, cols}, shorts, chunk);
    CHECK(held<double>(read_hdf5(at("i")).table) == std::vector<double>(shorts.begin(), shorts.end()));
    write(at("l"), "samples", H5T_STD_I64BE, H5T_NATIVE_INT16, {rows * cols}, shorts, chunk);
    CHECK(held<double>(read_hdf5(at("l")).table) == std::vector<double>(shorts.begin(), shorts.end()));
  }
}

TEST_CASE("HDF5 data: datasets have other names, and labels beside them") {
  const ScratchFolder folder;
  const auto path = folder / "a.h5";
  write(path, "x", H5T_STD_U8LE, H5T_NATIVE_UINT8, {3, 2}, std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
  write(path, "y", H5T_STD_I64LE, H5T_NATIVE_INT64, {3, 1}, std::vector<std::int64_t>{4, 0, 2});
  const Hdf5Content content = read_hdf5(path, {"x", "y", false});
  CHECK(*content.labels == std::vector<double>{4, 0, 2});
  CHECK_FALSE(read_hdf5(path, {"x", "", false}).labels);
  CHECK(message_of<ConfigError>([&] { read_hdf5(path); }) ==
        path.string() + ": has no dataset 'samples'. It has: x, y. Set data.samples, or name it as in a.h5:samples=x.");
  CHECK(message_of<DataError>([&] {
          read_hdf5(path, {"x", "x", false});
        }) == path.string() + ": dataset 'x' has 2 columns (one class a row expected)");
  Hdf5File file = Hdf5File::create(folder / "m.h5");
  file.create_group("parameters");
  file.close();
  CHECK(message_of<ConfigError>([&] { read_hdf5(folder / "m.h5"); }) ==
        (folder / "m.h5").string() + ": has no dataset 'samples'. It has: parameters/. Set data.samples.");
}

TEST_CASE("HDF5 data: what is damaged, of a wrong type or vast is refused before memory is asked for") {
  const ScratchFolder folder;
  CHECK(refusal(folder.write("none.h5", "\x89HDF\r\n\x1a\n and then nothing")) != "");
  CHECK(refusal(folder.write("text.h5", "words")) != "");
  write<std::uint8_t>(folder / "vast.h5", "samples", H5T_STD_U8LE, H5T_NATIVE_UINT8, {1u << 31, 1u << 31}, {});
  CHECK(refusal(folder / "vast.h5")
            .starts_with("'samples' cannot be read: it declares 4611686018427387904 values of 1 bytes, but the file "
                         "holds "));
  write<double>(folder / "empty.h5", "samples", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {0, 3}, {});
  CHECK(refusal(folder / "empty.h5") == "dataset 'samples' has no rows (its dimensions are 0 x 3)");
  write<double>(folder / "flat.h5", "samples", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3, 0}, {});
  CHECK(refusal(folder / "flat.h5") == "dataset 'samples' has no columns (its dimensions are 3 x 0)");
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 4);
  write(folder / "words.h5", "samples", text, text, {2}, std::vector<char>{'a', 'b', 'c', 0, 'd', 'e', 'f', 0});
  H5Tclose(text);
  CHECK(refusal(folder / "words.h5") ==
        "dataset 'samples' holds no plain numbers (integers of 8 to 64 bits or floats expected)");
  write(folder / "wide.h5", "samples", H5T_STD_I64LE, H5T_NATIVE_INT64, {2, 1},
        std::vector<std::int64_t>{1, std::numeric_limits<std::int64_t>::max()});
  CHECK(refusal(folder / "wide.h5") ==
        "dataset 'samples': row 1, column 0 (both counted from 0): 9223372036854775807 is beyond 2^53, more than a "
        "double "
        "holds exactly");
  CHECK(message_of<FileError>([&] { read_hdf5(folder / "absent.h5"); }) != "");

  // Every cut of a sound file is an error or leaves the data whole, and never a crash.
  const std::vector<float> floats(300, 1.5f);
  write(folder / "good.h5", "samples", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, {100, 3}, floats, 10);
  const std::string good = content_of(folder / "good.h5");
  for (std::size_t size = 0; size < good.size(); size += 131)
    CHECK(refusal(folder.write("cut.h5", good.substr(0, size))) != "");
}

}  // namespace hdf5_table_test
