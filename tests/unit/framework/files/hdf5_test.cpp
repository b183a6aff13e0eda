#include <harmonium/framework/files/hdf5.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace hdf5_test {

using namespace harmonium;
using harmonium::testing::content_of;
using harmonium::testing::message_of;
using harmonium::testing::ScratchFolder;

namespace {

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

void write_small_model(const std::filesystem::path& path) {
  Hdf5File file = Hdf5File::create(path);
  file.write_attribute("format", "harmonium");
  file.write_attribute("format_version", 1);
  file.write_attribute("config", "[model]\ntype = \"rbm\"\n");
  file.write("parameters/bias.visible", std::vector<double>{0.5, -1, 2});
  file.write("parameters/weight.visible.hidden", std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  file.write("state/rows", std::vector<std::uint64_t>{1, std::numeric_limits<std::uint64_t>::max()});
  file.close();
}

// Runs `body` on a handle of the library, for what our writer does not write.
template <class Body>
std::filesystem::path write_raw(const std::filesystem::path& path, const Body& body) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(file >= 0);
  body(file);
  REQUIRE(H5Fclose(file) >= 0);
  return path;
}

void raw_attribute(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& shape, const void* value) {
  const hid_t space =
      shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Awrite(attribute, type, value) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

void raw_dataset(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& shape, const void* values,
                 hid_t properties = H5P_DEFAULT) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  REQUIRE(dataset >= 0);
  if (values) REQUIRE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
  H5Sclose(space);
}

hid_t fixed_string(std::size_t size, H5T_str_t padding, H5T_cset_t characters) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_strpad(type, padding);
  H5Tset_cset(type, characters);
  return type;
}

// Opens and reads as a program does; true where that ends in values or in an error of ours. In a child of its own, since
// the library forgets a few bytes where it finds a file damaged, which a search for leaks would hold against us.
bool reads_or_refuses(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      read_everything(Hdf5File::open(path));
    } catch (const Error&) {
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("HDF5: what is written is read back") {
  const ScratchFolder folder;
  Hdf5File out = Hdf5File::create(folder / "a.h5");
  out.write("d", std::vector<double>{1, 0.1, -1e300, 5e-324}, {2, 2});
  out.write("f", std::vector<float>{1.5f, -2.5f, 0, 3}, {1, 2, 2});
  out.write("b", std::vector<std::uint8_t>{0, 255});
  out.write("i", std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), -1});
  out.write("deep/er/u", std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()}, {});
  out.write("none", std::vector<double>{}, {0, 3});
  out.create_group("empty/group");
  out.create_group("empty/group");
  out.write_attribute("text", "first");
  out.write_attribute("text", std::string(100000, 'x') + "é");
  out.write_attribute("blank", "");
  out.write_attribute("number", -3, "empty");
  CHECK_THROWS_AS(out.write("d", std::vector<double>{1}), std::logic_error);
  CHECK_THROWS_AS(out.write("e", std::vector<double>{1, 2}, {3}), std::logic_error);
  out.close();

  const Hdf5File in = Hdf5File::open(folder / "a.h5");
  CHECK(in.read<double>("d").values == std::vector<double>{1, 0.1, -1e300, 5e-324});
  CHECK(in.read<double>("d").shape == std::vector<Index>{2, 2});
  CHECK(in.read<float>("f").values == std::vector<float>{1.5f, -2.5f, 0, 3});
  CHECK(in.read<double>("f").values == std::vector<double>{1.5, -2.5, 0, 3});
  CHECK(in.shape("f") == std::vector<Index>{1, 2, 2});
  CHECK(in.read<std::uint8_t>("b").values == std::vector<std::uint8_t>{0, 255});
  CHECK(in.read<double>("b").values == std::vector<double>{0, 255});
  CHECK(in.read<std::int64_t>("i").values == std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), -1});
  CHECK(in.read<std::uint64_t>("deep/er/u").values[0] == std::numeric_limits<std::uint64_t>::max());
  CHECK(in.read<std::uint64_t>("deep/er/u").shape.empty());
  CHECK(in.read<double>("none").values.empty());
  CHECK(in.shape("none") == std::vector<Index>{0, 3});
  CHECK(in.string_attribute("text") == std::string(100000, 'x') + "é");
  CHECK(in.string_attribute("blank") == "");
  CHECK(in.integer_attribute("number", "empty") == -3);
  CHECK(in.attributes() == std::vector<std::string>{"blank", "text"});
  CHECK(in.has_attribute("text"));
  CHECK_FALSE(in.has_attribute("number"));
  CHECK_FALSE(in.has_attribute("number", "nowhere"));
  CHECK(in.children() == std::vector<std::string>{"b", "d", "deep", "empty", "f", "i", "none"});
  CHECK(in.children("empty/group").empty());
  CHECK(in.exists("deep/er/u"));
  CHECK(in.exists("/deep/er"));
  CHECK(in.exists("/"));
  CHECK_FALSE(in.exists("deep/more/u"));
  CHECK_FALSE(in.exists("d/e"));
  CHECK(in.is_group("deep/er"));
  CHECK(in.is_group("/"));
  CHECK(in.is_dataset("d"));
  CHECK_FALSE(in.is_dataset("deep"));
  CHECK(in.is_integer("b"));
  CHECK_FALSE(in.is_integer("f"));
}

TEST_CASE("HDF5: equal contents give equal bytes") {
  const ScratchFolder folder;
  write_small_model(folder / "a.h5");
  write_small_model(folder / "b.h5");
  CHECK(sha256_of_file(folder / "a.h5") == sha256_of_file(folder / "b.h5"));
}

TEST_CASE("HDF5: strings and integers are taken in every form that other writers use") {
  const ScratchFolder folder;
  const auto path = write_raw(folder / "a.h5", [](hid_t file) {
    raw_attribute(file, "nullterm", fixed_string(8, H5T_STR_NULLTERM, H5T_CSET_ASCII), {}, "abc\0xyz");
    raw_attribute(file, "nullpad", fixed_string(3, H5T_STR_NULLPAD, H5T_CSET_UTF8), {1}, "abc");
    raw_attribute(file, "spacepad", fixed_string(6, H5T_STR_SPACEPAD, H5T_CSET_ASCII), {1, 1}, "a b   ");
    const hid_t variable = fixed_string(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_ASCII);
    const char* text = "abc";
    raw_attribute(file, "variable", variable, {1}, &text);
    text = nullptr;
    raw_attribute(file, "null", variable, {}, &text);
    const std::int8_t narrow = -7;
    raw_attribute(file, "i1", H5T_NATIVE_INT8, {1}, &narrow);
    const std::uint64_t big_endian = 0x0700000000000000;
    raw_attribute(file, "big", H5T_STD_U64BE, {}, &big_endian);
    const std::uint64_t vast = ~std::uint64_t{0};
    raw_attribute(file, "vast", H5T_NATIVE_UINT64, {}, &vast);
    const double real = 1;
    raw_attribute(file, "real", H5T_NATIVE_DOUBLE, {}, &real);
    const std::int32_t two[] = {1, 2};
    raw_attribute(file, "two", H5T_NATIVE_INT32, {2}, two);
  });
  const Hdf5File in = Hdf5File::open(path);
  CHECK(in.string_attribute("nullterm") == "abc");
  CHECK(in.string_attribute("nullpad") == "abc");
  CHECK(in.string_attribute("spacepad") == "a b");
  CHECK(in.string_attribute("variable") == "abc");
  CHECK(in.string_attribute("null") == "");
  CHECK(in.integer_attribute("i1") == -7);
  CHECK(in.integer_attribute("big") == 7);
  CHECK(says(message_of<DataError>([&] { in.integer_attribute("vast"); }), "is 18446744073709551615, beyond 2^63"));
  CHECK(says(message_of<DataError>([&] { in.integer_attribute("real"); }),
             "holds floating-point numbers (integers expected)"));
  CHECK(says(message_of<DataError>([&] { in.integer_attribute("two"); }), "is not one value"));
  CHECK(says(message_of<DataError>([&] { in.string_attribute("i1"); }),
             "attribute 'i1' of '/' holds integers (text expected)"));
  CHECK(says(message_of<DataError>([&] { in.string_attribute("none"); }),
             "attribute 'none' of '/' is missing or damaged"));
}

TEST_CASE("HDF5: numbers are taken in every form that other writers use, and refused where they do not fit") {
  const ScratchFolder folder;
  const auto path = write_raw(folder / "a.h5", [](hid_t file) {
    const std::int16_t shorts[] = {-2, 300};
    raw_dataset(file, "i2", H5T_NATIVE_INT16, {2}, shorts);
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    std::int8_t v = 0;
    H5Tenum_insert(truth, "FALSE", &v);
    v = 1;
    H5Tenum_insert(truth, "TRUE", &v);
    const std::int8_t bits[] = {1, 0, 1};
    raw_dataset(file, "bool", truth, {3}, bits);
    const hid_t packed = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1000;
    H5Pset_chunk(packed, 1, &chunk);
    H5Pset_deflate(packed, 9);
    raw_dataset(file, "zeros", H5T_NATIVE_DOUBLE, {10000}, std::vector<double>(10000).data(), packed);
    raw_dataset(file, "unwritten", H5T_NATIVE_FLOAT, {5}, nullptr);
    raw_dataset(file, "absurd", H5T_NATIVE_DOUBLE, {hsize_t{1} << 40}, nullptr);
    raw_dataset(file, "absurd_chunks", H5T_NATIVE_DOUBLE, {hsize_t{1} << 40}, nullptr, packed);
    const hid_t elsewhere = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(elsewhere, "/etc/hostname", 0, 8);
    raw_dataset(file, "elsewhere", H5T_NATIVE_DOUBLE, {1}, nullptr, elsewhere);
    const hid_t hollow = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t thousand = 1000;
    H5Pset_chunk(hollow, 1, &thousand);
    raw_dataset(file, "hollow", H5T_NATIVE_DOUBLE, {1'000'000}, nullptr, hollow);
    const std::vector<hsize_t> nine(9, 1);
    const double one = 1;
    raw_dataset(file, "nine", H5T_NATIVE_DOUBLE, nine, &one);
    const hid_t nothing = H5Screate(H5S_NULL);
    H5Dclose(H5Dcreate2(file, "null", H5T_NATIVE_DOUBLE, nothing, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    raw_dataset(file, "text", fixed_string(2, H5T_STR_NULLPAD, H5T_CSET_ASCII), {1}, "ab");
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
  });
  const Hdf5File in = Hdf5File::open(path);
  CHECK(in.read<double>("i2").values == std::vector<double>{-2, 300});
  CHECK(in.read<std::int64_t>("i2").values == std::vector<std::int64_t>{-2, 300});
  CHECK(in.is_integer("bool"));
  CHECK(in.read<std::uint8_t>("bool").values == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(in.read<double>("bool").values == std::vector<double>{1, 0, 1});
  CHECK(in.read<double>("zeros").values == std::vector<double>(10000));
  CHECK(in.read<float>("unwritten").values == std::vector<float>(5));
  CHECK_FALSE(in.is_numeric("text"));
  CHECK_FALSE(in.exists("dangling"));
  CHECK(in.children().size() == 12);
  read_everything(Hdf5File::open(write_raw(folder / "b.h5", [](hid_t file) {
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    raw_dataset(file, "text", fixed_string(2, H5T_STR_NULLPAD, H5T_CSET_ASCII), {1}, "ab");
  })));

  const auto refusal = [&](const char* name) { return message_of<DataError>([&] { in.read<double>(name); }); };
  CHECK(says(refusal("absurd"),
             "'absurd' cannot be read: it declares 1099511627776 values of 8 bytes, but the file holds"));
  CHECK(says(refusal("absurd_chunks"), "it declares 1099511627776 values of 8 bytes, but the file holds"));
  // Less than a filter could make of the file's bytes, but there is no filter.
  CHECK(says(refusal("hollow"), "it declares 1000000 values of 8 bytes, but the file holds"));
  CHECK(says(refusal("elsewhere"), "its values are in other files"));
  CHECK(says(refusal("nine"), "it has 9 dimensions (at most 8 expected)"));
  CHECK(says(refusal("null"), "it holds no values"));
  CHECK(says(refusal("text"), "it holds text (numbers expected)"));
  CHECK(says(refusal("missing"), "'missing' cannot be read"));
  CHECK(says(message_of<DataError>([&] { in.read<std::uint8_t>("i2"); }),
             "its value -2 at place 0 is out of range (0 to 255 expected)"));
  CHECK(says(message_of<DataError>([&] { in.read<std::uint64_t>("i2"); }), "its value -2 at place 0 is out of range"));
  CHECK(says(message_of<DataError>([&] { in.read<std::uint8_t>("zeros"); }),
             "it holds floating-point numbers (integers expected)"));
}

TEST_CASE("HDF5: what cannot be opened or created says why") {
  const ScratchFolder folder;
  CHECK(says(message_of<FileError>([&] { Hdf5File::open(folder / "none"); }),
             "cannot be opened: No such file or directory"));
  CHECK(says(message_of<FileError>([&] { Hdf5File::open(folder.path()); }), "is a folder, not a file"));
  CHECK(
      says(message_of<FileError>([&] { Hdf5File::create(folder / "no/a.h5").close(); }), "No such file or directory"));
  CHECK(says(message_of<DataError>([&] { Hdf5File::open(folder.write("text.h5", "no HDF5")); }), "not an HDF5 file"));
  CHECK(says(message_of<DataError>([&] { Hdf5File::open(folder.write("empty.h5", "")); }), "not an HDF5 file"));
  write_small_model(folder / "a.h5");
  const std::string good = content_of(folder / "a.h5");
  CHECK(says(message_of<DataError>([&] { Hdf5File::open(folder.write("cut.h5", good.substr(0, good.size() / 2))); }),
             "or a damaged one"));
}

// In a child process, so that what the library does at the end of a program is seen as well.
TEST_CASE("HDF5: a full disk is an error of the file, with the system's words, and no crash follows") {
  const ScratchFolder folder;
  folder.write("a.h5", "old");
  std::fflush(nullptr);  // else the child would say again what waits to be said
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{20000, 20000};
    std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = message_of<FileError>([&] {
      Hdf5File file = Hdf5File::create(folder / "a.h5");
      file.write("large", std::vector<double>(10000));
      file.close();
    });
    std::exit(says(message, "File too large") ? 42 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
  CHECK(content_of(folder / "a.h5") == "old");
  CHECK_FALSE(std::filesystem::exists(folder / "a.h5.partial"));
}

TEST_CASE("HDF5: a new file is on disk once it is closed, and never where it is not") {
  const ScratchFolder folder;
  {
    Hdf5File file = Hdf5File::create(folder / "a.h5");
    file.write("x", std::vector<double>{1});
    CHECK(file.read<double>("x").values == std::vector<double>{1});
    CHECK_FALSE(std::filesystem::exists(folder / "a.h5"));
  }
  CHECK_FALSE(std::filesystem::exists(folder / "a.h5"));
  Hdf5File moved = Hdf5File::create(folder / "b.h5");
  Hdf5File file = std::move(moved);
  file.close();
  file.close();
  CHECK(Hdf5File::open(folder / "b.h5").children().empty());
}

TEST_CASE("HDF5: a probed file is safe to open") {
  const ScratchFolder folder;
  const auto path = folder / "a.h5";
  write_small_model(path);
  probe_hdf5(path);
  const std::string good = content_of(path);
  CHECK_THROWS_AS(probe_hdf5(folder / "none"), FileError);
  CHECK_THROWS_AS(probe_hdf5(folder.write("b.h5", "no HDF5")), DataError);
  write_checksum(path);
  probe_hdf5(path);
  folder.write("a.h5", good + "x");
  CHECK(says(message_of<DataError>([&] { probe_hdf5(path); }), "not the file that was written"));
  // With a matching checksum nothing more is asked: the child is for files of unknown origin.
  folder.write("c.h5", "no HDF5");
  write_checksum(folder / "c.h5");
  probe_hdf5(folder / "c.h5");
}

TEST_CASE("HDF5: a probe ends in time") {
  const ScratchFolder folder;
  write_small_model(folder / "a.h5");
  const auto hang = [](const Hdf5File&) {
    for (;;) ::getpid();
  };
  CHECK(says(message_of<DataError>([&] { probe_hdf5(folder / "a.h5", hang, 1); }),
             "damaged HDF5 file: reading it takes more than 1 seconds of the processor"));
}

TEST_CASE("HDF5: a file that a busy machine reads slowly is not damaged") {
  const ScratchFolder folder;
  write_small_model(folder / "a.h5");
  // It waits for longer than it may compute.
  probe_hdf5(
      folder / "a.h5", [](const Hdf5File&) { ::usleep(1'500'000); }, 1);
  CHECK(says(message_of<FileError>([&] {
               probe_hdf5(
                   folder / "a.h5", [](const Hdf5File&) { ::sleep(30); }, 0.02);
             }),
             "takes more than 0.6 seconds of the clock: the machine or its disk is busy"));
}

TEST_CASE("HDF5: a single flipped bit is an error or goes unnoticed, but never crashes or hangs") {
  const ScratchFolder folder;
  const auto path = folder / "a.h5";
  write_small_model(path);
  const std::string good = content_of(path);
  // Most of a small file is empty room, in which nothing can be damaged.
  std::vector<std::size_t> held;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    if (good[bit / 8] != '\0') held.push_back(bit);
  }
  int refused = 0, saved = 0;
  constexpr int places = 300;
  for (int i = 0; i < places; ++i) {
    std::string flipped = good;
    // Spread by the golden section.
    const std::size_t bit = held[static_cast<std::size_t>(i) * 1618033989u % held.size()];
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    folder.write("a.h5", flipped);
    try {
      probe_hdf5(path, 2);
      CHECK(reads_or_refuses(path));
    } catch (const Error& e) {
      ++refused;
      saved += std::string(e.what()).find("a damaged HDF5 file: reading it") != std::string::npos;
    }
  }
  MESSAGE(refused << " of " << places << " flips refused, " << saved << " of them a crash or hang of the library");
  CHECK(refused > 0);
  CHECK(refused < places);
}

TEST_CASE("HDF5: a file that is looked at is let go with the program that is ended") {
  const ScratchFolder folder;
  const auto path = folder / "a.h5";
  Hdf5File::create(path).close();
  int ends[2];  // the child of a child holds the other end, as it holds a program's standard output
  REQUIRE(::pipe(ends) == 0);
  const pid_t program = ::fork();
  if (program == 0) {
    ::close(ends[0]);
    probe_hdf5(
        path,
        [&](const Hdf5File&) {
          const bool told = ::write(ends[1], "x", 1) == 1;
          ::sleep(told ? 30 : 0);
        },
        30);
    ::_exit(0);
  }
  ::close(ends[1]);
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);
  const auto killed = std::chrono::steady_clock::now();
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  CHECK(::read(ends[0], &byte, 1) == 0);  // the end of it
  CHECK(std::chrono::steady_clock::now() - killed < std::chrono::seconds(20));
  ::close(ends[0]);
}

}  // namespace hdf5_test
