#include <harmonium/program/dealt_rows.hpp>

#include <map>
#include <string>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/run/data_random.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// What tells data apart of which rows are set aside.
std::string words_of_source(const Value& config) {
  std::string source;
  for (const char* key : {"type", "path"})
    if (const Value* value = config.find("data")->find(key)) source += write_toml_value(*value) + "\n";
  return source;
}

/// Of the data of one source.
struct Dealt {
  std::uint64_t first = 0;
  bool by_run = false;  ///< by a seed of a run itself
  bool unlike = false;
};

}  // namespace

std::optional<std::uint64_t> first_of_unlike_deals(const std::vector<const Value*>& configs) {
  std::map<std::string, Dealt> by_source;
  for (const Value* config : configs) {
    if (!sets_rows_aside(*config)) continue;
    const std::uint64_t seed = data_seed(*config);
    Dealt& dealt = by_source.try_emplace(words_of_source(*config), Dealt{seed}).first->second;
    dealt.by_run |= !config->find("data_seed");
    dealt.unlike |= seed != dealt.first;
    if (dealt.by_run && dealt.unlike) return dealt.first;
  }
  return {};
}

bool have_same_rows(const Value& one, const Value& other) {
  const Value *a = one.find("data"), *b = other.find("data");
  if (!a || !b || !(*a == *b)) return false;
  return !sets_rows_aside(one) || data_seed(one) == data_seed(other);
}

}  // namespace v1
}  // namespace harmonium
