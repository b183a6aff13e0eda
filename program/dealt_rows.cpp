#include <harmonium/program/dealt_rows.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>

#include <fmt/format.h>

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

/// A file that all take these rows from; empty where there is none.
std::string file_of_all(const std::vector<const Value*>& configs, const std::string& part) {
  std::string file;
  for (const Value* config : configs) {
    const Value* path = config->find("data")->find(part + "_path");
    const std::string own = path && path->is_string() ? std::get<std::string>(path->data) : "";
    if (own.empty() || (!file.empty() && own != file)) return "";
    file = own;
  }
  return file;
}

/// What tells the rows of a part of the data apart, where the data are of one source.
std::string words_of_rows(const Value& config, const std::string& part) {
  if (std::string file = part.empty() ? "" : file_of_all({&config}, part); !file.empty()) return file;
  const std::vector<const char*> shares =
      part.empty() ? std::vector{"validation", "test", "rows"} : std::vector{part.c_str()};
  std::string words;
  for (const char* share : shares) words += fmt::format("{} ", data_number(config, share));
  const bool dealt = std::ranges::any_of(shares, [&](const char* share) { return data_number(config, share) > 0.0; });
  return dealt ? fmt::format("{}by {}", words, data_seed(config)) : words;
}

/// What tells the data apart that a part of a run's rows is of: its file, or what it is dealt from, of data that are made with their size.
std::string words_of_origin(const Value& config, const std::string& part) {
  if (std::string file = part.empty() ? "" : file_of_all({&config}, part); !file.empty()) return file;
  std::string origin = words_of_source(config);
  for (const char* size : {"side", "size", "bits"})
    if (const Value* value = config.find("data")->find(size)) origin += write_toml_value(*value) + "\n";
  return origin;
}

/// Whether what `words` says is not the same of all that have data.
bool differ(const std::vector<const Value*>& configs, const std::function<std::string(const Value&)>& words) {
  std::set<std::string> all;
  for (const Value* config : configs)
    if (const Value* data = config->find("data"); data && data->is_table()) all.insert(words(*config));
  return all.size() > 1;
}

UnlikeDeals described(const std::vector<const Value*>& dealing, std::uint64_t first) {
  const auto any = [&](const char* key) {
    return std::ranges::any_of(dealing, [&](const Value* config) { return data_number(*config, key) > 0.0; });
  };
  UnlikeDeals found{.first = first, .draws_some = any("rows")};
  for (const char* part : {"validation", "test"}) {
    if (any(part)) found.parts += (found.parts.empty() ? "" : " and ") + std::string(part);
    else if (!file_of_all(dealing, part).empty()) found.of_file = part;
  }
  return found;
}

}  // namespace

std::string UnlikeDeals::words() const {
  return fmt::format(
      "the rows that are set aside for {} change with the seed{}, and figures of these are of different rows in runs "
      "with different seeds{}.",
      parts, draws_some ? ", as do those of the others that are trained on (data.rows)" : "",
      of_file.empty() ? "" : fmt::format("; {} rows are those of a file, the same in all", of_file));
}

std::optional<UnlikeDeals> first_of_unlike_deals(const std::vector<const Value*>& configs) {
  std::map<std::string, Dealt> by_source;
  std::map<std::string, std::vector<const Value*>> dealing;
  for (const Value* config : configs) {
    if (!sets_rows_aside(*config)) continue;
    const std::uint64_t seed = data_seed(*config);
    const std::string source = words_of_source(*config);
    dealing[source].push_back(config);
    Dealt& dealt = by_source.try_emplace(source, Dealt{seed}).first->second;
    dealt.by_run |= !config->find("data_seed");
    dealt.unlike |= seed != dealt.first;
  }
  for (const auto& [source, dealt] : by_source)
    if (dealt.by_run && dealt.unlike) return described(dealing[source], dealt.first);
  return {};
}

bool have_other_data(const std::vector<const Value*>& configs, const std::string& part) {
  return differ(configs, [&](const Value& config) { return words_of_origin(config, part); });
}

bool have_other_rows(const std::vector<const Value*>& configs, const std::string& part) {
  return differ(configs,
                [&](const Value& config) { return words_of_origin(config, part) + words_of_rows(config, part); });
}

bool have_same_rows(const Value& one, const Value& other) {
  const Value *a = one.find("data"), *b = other.find("data");
  if (!a || !b || !(*a == *b)) return false;
  return !rows_depend_on_seed(one) || data_seed(one) == data_seed(other);
}

}  // namespace v1
}  // namespace harmonium
