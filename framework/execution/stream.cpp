#include <harmonium/framework/execution/stream.hpp>
#include <stdexcept>

namespace harmonium {
inline namespace v1 {

namespace {

constexpr std::uint64_t fnv_offset = 0xcbf29ce484222325u;

std::uint64_t fnv1a(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

}  // namespace

std::uint64_t purpose_of(std::string_view path) { return path.empty() ? 0 : fnv1a(fnv_offset, path); }

RandomSource RandomSource::child(std::string_view name) const {
  return {seed, purpose == 0 ? purpose_of(name) : fnv1a(fnv1a(purpose, "/"), name)};
}

DrawBlock DrawBlock::of(RandomSource source, std::uint32_t first_chain, std::uint64_t step, LayerId layer) {
  const auto number = static_cast<std::uint32_t>(layer);
  if (number >= 256) throw std::length_error("random words are addressed by layers below 256");
  return {source.key(step), first_chain, static_cast<std::uint32_t>(step), number};
}

void RandomStream::exhausted() { throw std::length_error("a random stream holds 2^24 words, and all are drawn"); }

}  // namespace v1
}  // namespace harmonium
