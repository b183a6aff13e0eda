// What machines above the first, and fine-tuning, do not take from the shared configuration.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/stack/above_of_parts.hpp>
#include <harmonium/program/stack/latent_units.hpp>
#include <harmonium/program/stack/upper_machine.hpp>
#include <harmonium/program/stack/whole_stack.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// "'bias.v' and 'bias.h', whose factors are left out".
std::string words_on_factors(std::vector<std::string> parameters) {
  const bool one = parameters.size() == 1;
  for (std::string& name : parameters) name = fmt::format("'{}'", name);
  return fmt::format("{}, whose factor{} in the configuration's optimizer.factors {} left out",
                     joined_words(parameters), one ? "" : "s", one ? "is" : "are");
}

}  // namespace

void WholeStack::leave_out_of_machine(const Value& shared, std::size_t k) {
  const Settings& own = file_.machines[k];
  Value& config = configs_[k];
  const std::string words = words_on_rbm(shared, own, configs_[k - 1], config, k);
  if (!words.empty()) notes_.push_back(words);
  const auto below = latent_units(configs_[k - 1]);
  if (!below || !has_shared_factors(own, config)) return;
  TrainRequest asked = request_;
  asked.config = config;
  observe_units(*below, asked.config);
  std::vector<std::string> names;
  try {
    names = program(precision_of_config(config)).parameter_names(asked);
  } catch (const Error&) {  // told when the machine is assembled
    return;
  }
  const auto known = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  const auto left_out = leave_out_factors(own, known, config);
  if (!left_out.empty()) notes_.push_back(fmt::format("machine {} has no {}.", k + 1, words_on_factors(left_out)));
}

void WholeStack::leave_out_of_fine_tuning() {
  // Tensors of the whole are machine1.bias.visible and so on; roles, which have no dot, are those of a machine.
  const auto known = [](const std::string& name) {
    return name.find('.') == std::string::npos || name.starts_with("machine") || name.starts_with("recognition");
  };
  const auto left_out = leave_out_factors(*file_.fine_tune, known, *last_.fine_tuning);
  if (!left_out.empty())
    notes_.push_back(
        fmt::format("fine-tuning has no {}: tensors of the whole are called otherwise, as 'machine1.{}', and "
                    "optimizer.factors of [fine_tune] may name these.",
                    words_on_factors(left_out), left_out.front()));
}

void WholeStack::note_what_stays_below(std::size_t k) {
  const auto setting = [&](const char* table, const char* option) {
    const Value* section = subtable(configs_[k], table);
    return section ? section->find(option) : nullptr;
  };
  const Value *binarize = setting("data", "binarize"), *best = setting("training", "keep_best");
  if (k == 0 && configs_.size() < file_.machines.size() && binarize && *binarize == make_value("each_epoch"))
    notes_.emplace_back(
        "data.binarize = 'each_epoch' is of machine 1: the one above it has latent units given one draw of the bits of "
        "each row, the same in all epochs.");
  if (best && !best->is_empty() && *best != make_value(""))
    notes_.push_back(
        fmt::format("machine {0} keeps its best model in {1}/best.h5; all that is made from it is made from its "
                    "last, {1}/model.h5.",
                    k + 1, folder(k)));
}

void WholeStack::tell_what_is_left_out(Terminal& terminal) const {
  if (quiet_) return;
  for (const std::string& note : notes_) terminal.warn(note);
}

}  // namespace v1
}  // namespace harmonium
