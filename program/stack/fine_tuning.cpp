#include <harmonium/program/stack/fine_tuning.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {

Value with_untied_stack(Value config, const Value& machines) {
  config.set("model",
             make_table({{"type", make_value("stack")}, {"untied", make_value(true)}, {"machines", machines}}));
  return config;
}

Value fine_tuning_of(Value config, const std::string& model) {
  const ModelHeader header = read_model_header(model);
  const Value* machines = header.config.find("model")->find("machines");
  if (!machines) throw DataError(fmt::format("{}: it holds no stack of machines.", model));
  config = with_untied_stack(std::move(config), *machines);
  config.set("start_from", make_value(std::filesystem::absolute(model).string()));
  return config;
}

void copy_model(const std::string& from, const std::string& to) {
  std::ifstream file(from, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw FileError(fmt::format("{}: it cannot be read.", from));
  std::error_code none;  // an older file's checksum would refuse the new one, were the program killed between
  std::filesystem::remove(checksum_path(to), none);
  write_file_atomically(to, content);
  write_checksum(to);
}

}  // namespace v1
}  // namespace harmonium
