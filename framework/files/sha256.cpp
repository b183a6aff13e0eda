#include <harmonium/framework/files/sha256.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include <openssl/evp.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/atomic_file.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
      throw std::runtime_error("SHA-256 is not available in this build of OpenSSL");
    }
  }
  void add(const void* bytes, std::size_t size) { EVP_DigestUpdate(context_.get(), bytes, size); }
  std::string hex() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes, &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Stream open_stream(const std::filesystem::path& path) {
  RegularFile opened(path);
  Stream stream(::fdopen(opened.descriptor(), "rb"), &std::fclose);
  if (!stream) throw FileError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(errno)));
  opened.release();
  return stream;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const Stream file = open_stream(path);
  Digest digest;
  std::vector<char> chunk(std::size_t{1} << 17);
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) digest.add(chunk.data(), got);
  if (std::ferror(file.get()))
    throw FileError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  return digest.hex();
}

std::filesystem::path checksum_path(const std::filesystem::path& path) {
  std::filesystem::path beside = path;
  beside += ".sha256";
  return beside;
}

void write_checksum(const std::filesystem::path& path) {
  write_file_atomically(checksum_path(path), fmt::format("{}  {}\n", sha256_of_file(path), path.filename().string()));
}

Checksum check_checksum(const std::filesystem::path& path) {
  const std::filesystem::path beside = checksum_path(path);
  std::error_code unknown;
  if (!std::filesystem::exists(beside, unknown) && !unknown) return Checksum::absent;
  const Stream file = open_stream(beside);
  char text[66] = {};
  const std::size_t got = std::fread(text, 1, sizeof text, file.get());
  if (std::ferror(file.get()))
    throw FileError(fmt::format("{}: cannot be read: {}", beside.string(), std::strerror(errno)));
  const std::string_view expected(text, std::min<std::size_t>(got, 64));
  if (got < 65 || text[64] != ' ' || expected.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw DataError(
        fmt::format("{}: no checksum as sha256sum writes it (64 hexadecimal digits expected). Delete it to do "
                    "without, where the file beside it is known to be good.",
                    beside.string()));
  }
  const std::string found = sha256_of_file(path);
  if (found != expected) {
    throw DataError(
        fmt::format("{}: not the file that was written (its SHA-256 is {}, and {} holds {}). Take an older "
                    "one, or copy it again.",
                    path.string(), found, beside.filename().string(), expected));
  }
  return Checksum::matches;
}

}  // namespace v1
}  // namespace harmonium
