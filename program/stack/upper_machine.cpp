#include <harmonium/program/stack/upper_machine.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/program/stack/latent_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The type of a model that says of what layers the columns of the data are; empty of any other.
std::string type_of_columns(const Value& config) {
  const Value* model = config.find("model");
  const Value* type = model ? model->find("type") : nullptr;
  for (const char* own : {"mixed", "layered"})
    if (type && *type == make_value(own)) return own;
  return "";
}

/// Whether one of the settings sets what `key` names, or something that holds it or that it holds.
bool touch(const Settings& settings, std::string_view key) {
  const auto begins = [](std::string_view longer, std::string_view shorter) {
    return longer.starts_with(shorter) &&
           (longer.size() == shorter.size() || longer[shorter.size()] == '.' || longer[shorter.size()] == '[');
  };
  return std::ranges::any_of(settings,
                             [&](const auto& one) { return begins(one.first, key) || begins(key, one.first); });
}

/// optimizer.factors of a configuration, to be changed where that is.
template <class Config>
auto* factors_of(Config& config) {
  auto* optimizer = config.find("optimizer");
  auto* factors = optimizer ? optimizer->find("factors") : nullptr;
  return factors ? std::get_if<Value::List>(&factors->data) : nullptr;
}

std::string key_of_factor(std::size_t i) { return fmt::format("optimizer.factors[{}]", i); }

}  // namespace

void take_rbm_for_columns(Value& config) {
  if (type_of_columns(config).empty()) return;
  const std::optional<LatentUnits> latent = latent_units(config);
  Value& model = *config.find("model");
  Value rbm = make_table({{"type", make_value("rbm")}});
  rbm.where = model.where;
  if (latent) {
    rbm.set("num_hidden", make_value(static_cast<std::int64_t>(latent->number)));
    rbm.set("hidden_units", latent->units);
  }
  model = std::move(rbm);
}

std::string words_on_rbm(const Value& shared, const Settings& own, const Value& below, const Value& config,
                         std::size_t k) {
  const std::string type = type_of_columns(shared);
  if (type.empty() || touch(own, "model.type")) return "";
  const std::optional<LatentUnits> observed = latent_units(below), hidden = latent_units(config);
  std::string text = fmt::format(
      "machine {} is an RBM, as the configuration's '{}' is of the columns of the data: its visible units are ", k + 1,
      type);
  text += observed ? fmt::format("the {} {} ones that machine {} passes up", observed->number, observed->kind(), k)
                   : fmt::format("those that machine {} passes up", k);
  if (hidden)
    text += fmt::format(", with {} {} hidden ones{}", hidden->number, hidden->kind(),
                        touch(own, "model.num_hidden") ? "" : ", as many as the configuration has");
  return text + ".";
}

std::vector<std::string> leave_out_factors(const Settings& own, const std::function<bool(const std::string&)>& known,
                                           Value& config) {
  Value::List* factors = factors_of(config);
  if (!factors) return {};
  std::vector<std::string> left_out;
  Value::List kept;
  for (std::size_t i = 0; i < factors->size(); ++i) {
    Value& factor = (*factors)[i];
    const Value* name = factor.find("parameter");
    if (!name || !name->is_string() || touch(own, key_of_factor(i)) || known(std::get<std::string>(name->data))) {
      kept.push_back(std::move(factor));
      continue;
    }
    left_out.push_back(std::get<std::string>(name->data));
  }
  if (left_out.empty() || !kept.empty()) *factors = std::move(kept);
  else config.find("optimizer")->erase("factors");
  return left_out;
}

bool has_shared_factors(const Settings& own, const Value& config) {
  const Value::List* factors = factors_of(config);
  for (std::size_t i = 0; factors && i < factors->size(); ++i)
    if (!touch(own, key_of_factor(i))) return true;
  return false;
}

}  // namespace v1
}  // namespace harmonium
