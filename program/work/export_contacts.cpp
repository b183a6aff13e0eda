#include <harmonium/program/work/export_contacts.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/pair_scores.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What the data call the units of the layer; nothing where they have no names of their own.
std::vector<std::string> names_of_layer(const Layout& layout, LayerId own, const ModelHeader& header) {
  std::vector<std::string> names = names_of_sites(header.column_names, layout);
  LayerSet sites = layout.observed();
  if (label_place(layout)) sites.remove(layout.find(label_layer));
  if (names.empty() || header.column_names == names_of_units(layout, sites)) return {};
  Index first = 0;
  for (const LayerId l : layout.ids(layout.observed())) {
    if (l == own) break;
    if (layout[l].name != label_layer) first += layout[l].size;
  }
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(layout[own].size)};
}

struct RankedPair {
  Index i, j;
  double score, strength;
};

std::vector<RankedPair> ranked_pairs(const PairScores& of, Index separation) {
  std::vector<RankedPair> pairs;
  for (Index i = 0; i < of.units; ++i)
    for (Index j = i + separation; j < of.units; ++j)
      pairs.push_back({i, j, of.scores[i * of.units + j], of.strengths[i * of.units + j]});
  std::ranges::stable_sort(pairs, std::ranges::greater(), &RankedPair::score);
  return pairs;
}

}  // namespace

void export_contacts(const EnergyModel& model, const ModelHeader& header, const ExportRequest& request) {
  try {
    check_choice(request.pairs, model.layout()[layer_of_pairs(model)]);
  } catch (const CapabilityError& error) {
    throw CapabilityError(std::string("--contacts: ") + error.what());
  }
  const PairScores of = pair_scores(model, request.pairs.left_out, "export --contacts");
  const std::vector<std::string> names =
      request.numbered ? std::vector<std::string>() : names_of_layer(model.layout(), of.layer, header);
  std::string text =
      fmt::format("site_i,site_j,score,{}{}\n", of.states ? "norm" : "coupling", names.empty() ? "" : ",unit,other");
  for (const RankedPair& pair : ranked_pairs(of, request.pairs.min_separation)) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}", pair.i + 1, pair.j + 1, static_cast<Real>(pair.score),
                   static_cast<Real>(pair.strength));
    if (!names.empty()) text += "," + csv_word(names[pair.i]) + "," + csv_word(names[pair.j]);
    text += "\n";
  }
  write_file_atomically(request.output, text);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
