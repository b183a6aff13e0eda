#include <harmonium/program/stack/above_of_parts.hpp>

#include <algorithm>

namespace harmonium {
inline namespace v1 {
namespace {

/// What a sentence says without its amount, and where that stands in it.
struct Wording {
  explicit Wording(const MachinesAbove& a)
      : at(a.amount.empty() ? 0 : std::min(a.words.find(a.amount), a.words.size())) {
    rest = a.words;
    if (at < rest.size()) rest.erase(at, a.amount.size());
  }
  bool operator==(const Wording&) const = default;

  std::size_t at;
  std::string rest;
};

bool same_but_for_amount(const MachinesAbove& a, const MachinesAbove& b) {
  return a.effect == b.effect && a.remedy == b.remedy && a.training == b.training && Wording(a) == Wording(b);
}

/// Of parts of which the same is said but for the amount.
struct Group {
  MachinesAbove first;
  std::vector<std::string> parts, amounts;
};

AboveOfParts joined(const Group& group) {
  AboveOfParts all{joined_words(group.parts), group.first};
  const Wording wording(group.first);
  all.above.amount = group.first.amount.empty() ? "" : joined_words(group.amounts);
  all.above.words = wording.rest;
  all.above.words.insert(wording.at, all.above.amount);
  return all;
}

}  // namespace

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

std::vector<AboveOfParts> above_of_parts(const Evaluations& all) {
  std::vector<Group> groups;
  for (const auto& [part, e] : all.splits) {
    if (!e.machines_above) continue;
    const MachinesAbove& above = *e.machines_above;
    auto own = std::ranges::find_if(groups, [&](const Group& g) { return same_but_for_amount(g.first, above); });
    if (own == groups.end()) own = groups.insert(own, Group{above, {}, {}});
    own->parts.push_back(part);
    own->amounts.push_back(above.amount);
  }
  std::vector<AboveOfParts> found;
  for (const Group& group : groups) {
    for (AboveOfParts& before : found)
      for (std::string MachinesAbove::*advice : {&MachinesAbove::remedy, &MachinesAbove::training})
        if (before.above.*advice == group.first.*advice) (before.above.*advice).clear();
    found.push_back(joined(group));
  }
  return found;
}

}  // namespace v1
}  // namespace harmonium
