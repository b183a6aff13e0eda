#include <harmonium/program/estimator_names.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/subtable.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The text at a dotted path; empty where there is none.
std::string_view text_at(const Value& config, std::string_view path) {
  const Value* value = &config;
  while (value && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    value = value->is_table() ? value->find(path.substr(0, dot)) : nullptr;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value && value->is_string() ? std::string_view(std::get<std::string>(value->data)) : std::string_view();
}

/// What the presets of positive and negative phases expand to (estimators/gradients/presets.cpp), backward.
const Value* name_of_phases(const Value& config) {
  static const Value exact = make_value("exact"), cd = make_value("cd"), pcd = make_value("pcd"),
                     tempered_pcd = make_value("tempered_pcd"), naive_mcmc = make_value("naive_mcmc"),
                     unbiased_cd = make_value("unbiased_cd"), fast_weights_pcd = make_value("fast_weights_pcd");
  const std::string_view negative = text_at(config, "estimator.negative.type");
  if (negative == "exact") return text_at(config, "estimator.positive.type") == "exact" ? &exact : nullptr;
  if (negative == "coupled_chains") return &unbiased_cd;
  if (negative == "chains_and_ladders") return &tempered_pcd;
  if (negative != "chains") return nullptr;
  const std::string_view start = text_at(config, "estimator.negative.start");
  if (start == "data") return &cd;
  if (start == "uniform" || start == "marginals") return &naive_mcmc;
  if (start != "persistent") return nullptr;
  if (text_at(config, "estimator.type") == "fast_weights") return &fast_weights_pcd;
  return text_at(config, "estimator.negative.sampler.type") == "parallel_tempering" ? &tempered_pcd : &pcd;
}

bool agree(const Value* a, const Value* b) { return a && b ? *a == *b : a == b; }

/// Whether runs of the same estimator have the same value.
bool follows_from(const std::vector<const Value*>& names, const std::vector<const Value*>& values) {
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (*names[a] == *names[b] && !agree(values[a], values[b])) return false;
  return true;
}

/// Whether all runs that have it, those of one estimator aside, have the same value.
bool one_but_of(const Value& name, const std::vector<const Value*>& names, const std::vector<const Value*>& values) {
  const Value* first = nullptr;
  for (std::size_t r = 0; r < names.size(); ++r) {
    if (!values[r] || *names[r] == name) continue;
    if (first && !(*values[r] == *first)) return false;
    first = values[r];
  }
  return true;
}

/// Whether the names tell what a row does.
bool told_by(const std::vector<const Value*>& names, const DifferingSetting& setting) {
  const std::string_view path = setting.path;
  const bool composes =
      path == "estimator.type" || path == "estimator.negative.type" || path == "estimator.negative.start";
  const bool positive = path == "estimator.positive.type";
  const bool sampler = path == "estimator.negative.sampler.type" || path == "estimator.negative.sampler.sampler.type";
  if (!composes && !positive && !sampler) return false;
  return follows_from(names, setting.values) &&
         (composes || one_but_of(make_value(positive ? "exact" : "tempered_pcd"), names, setting.values));
}

}  // namespace

const Value* estimator_name(const Value& config) {
  const Value* estimator = subtable(config, "estimator");
  const Value* type = estimator ? estimator->find("type") : nullptr;
  if (!type || !type->is_string()) return nullptr;
  if (*type == make_value("contrastive")) return name_of_phases(config);
  const Value* preset = *type == make_value("fast_weights") ? name_of_phases(config) : nullptr;
  return preset ? preset : type;
}

void name_estimators(const std::vector<ComparedRun>& runs, std::vector<DifferingSetting>& differing) {
  const auto of_phases = [](const DifferingSetting& setting) {
    return setting.path == "estimator.type" || setting.path == "estimator.positive.type" ||
           setting.path == "estimator.negative.type";
  };
  const auto first = std::ranges::find_if(differing, of_phases);
  if (first == differing.end()) return;
  std::vector<const Value*> names;
  names.reserve(runs.size());
  for (const ComparedRun& run : runs) names.push_back(estimator_name(run.config));
  if (std::ranges::any_of(names, [](const Value* name) { return !name; })) return;
  if (std::ranges::all_of(names, [&](const Value* name) { return *name == *names[0]; })) return;
  const auto place = differing.insert(first, {"estimator", names});
  differing.erase(std::remove_if(place + 1, differing.end(),
                                 [&](const DifferingSetting& setting) { return told_by(names, setting); }),
                  differing.end());
}

}  // namespace v1
}  // namespace harmonium
