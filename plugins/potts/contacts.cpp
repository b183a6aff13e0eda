// Contacts of a protein from a Potts machine: an observer that ranks pairs of sites by their couplings.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/model/contact_scores.hpp>
#include <harmonium/framework/plugin/plugin.hpp>
#include <harmonium/framework/training/measured_figure.hpp>

using namespace harmonium;

namespace {

struct ContactsOptions {
  std::string pairs, ranking;
  std::string tensor = "weight.visible.visible";
  double distance = 8.0;
  Index separation = 4;
  Index top = 0;
  std::optional<Index> left_out;
  Index every = 1;

  void bind(OptionBinder& o) {
    o.option(
        "pairs", pairs,
        "a table of numbers, a row a pair: two sites counted from 1, and their distance in the last column; empty: "
        "none is known");
    o.option(
        "ranking", ranking,
        "a CSV file that is written: i, j, score of each pair of sites, counted from 1, strongest first; empty: none");
    o.option("tensor", tensor, "couplings within a layer of categorical units");
    o.option("distance", distance, "pairs nearer than this are contacts, in the table's unit", more_than(0));
    o.option("separation", separation, "pairs that are at most so far apart along the chain are left out", at_least(0));
    o.option("top", top, "best pairs that are looked at; 0: as many as there are sites", at_least(0));
    o.option("left_out", left_out,
             "state that the norm leaves out, counted from 0, such as a gap; none where not given", at_least(0));
    o.option("every", every, "epochs between two rankings", at_least(1));
  }
  void validate() const {
    if (pairs.empty() && ranking.empty())
      throw ConfigError(
          "'ranking' or 'pairs' must be given: a file for the pairs in their order, or the table of distances.");
    if (!ranking.empty() && !ranking.ends_with(".csv"))
      throw ConfigError(fmt::format("'ranking' is {}, and is written as CSV. Give a name that ends in .csv.", ranking));
  }
};

/// Ranks pairs of sites by the corrected norms of their couplings (contact_scores.hpp), and writes them where a file is
/// given. With known distances, the metrics `contacts`, how many of the best `top` pairs are nearer than `distance`, and
/// `contact_precision`, their share of those that the table knows.
class Contacts final : public Observer, public FigureSource {
 public:
  using Options = ContactsOptions;
  explicit Contacts(Options options) : options_(std::move(options)) {}

  void begin(const RunOutline& run) override {
    const ParameterLayout& layout = run.model.parameter_layout();
    position_ = layout.find(options_.tensor);
    const auto refuse = [&](const std::string& why) { throw CapabilityError("observer 'contacts': " + why); };
    if (position_ == layout.blocks().size()) refuse(fmt::format("the model has no tensor '{}'.", options_.tensor));
    const ParameterBlock& block = layout[position_];
    const Layer& layer = run.model.layout()[block.layers.at(0)];
    if (block.layers.at(0) != block.layers.at(1) || layer.unit->width() < 2)
      refuse(fmt::format("'{}' does not couple categorical units of one layer.", options_.tensor));
    states_ = layer.unit->width();
    sites_ = layer.size;
    if (options_.left_out && *options_.left_out >= states_)
      refuse(fmt::format("'left_out' is state {}, and there are {}.", *options_.left_out, states_));
    if (!options_.pairs.empty()) read_pairs();
    if (const auto folder = std::filesystem::path(options_.ranking).parent_path();
        !folder.empty() && !std::filesystem::is_directory(folder))
      throw ConfigError(fmt::format("observer 'contacts': ranking {}: there is no folder {}. Create it first.",
                                    options_.ranking, folder.string()));
  }

  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override {
    if (end.epoch % options_.every != 0) return Verdict::go_on;
    const ConstMatrixRef coupling = end.model.parameter_layout().view(position_, end.model.parameters().data());
    const std::vector<double> scores =
        corrected_by_average_product(coupling_norms(coupling, states_, options_.left_out), sites_);
    std::vector<std::pair<double, Index>> ranked;
    for (Index i = 0; i < sites_; ++i)
      for (Index j = i + options_.separation + 1; j < sites_; ++j)
        ranked.emplace_back(-scores[i * sites_ + j], i * sites_ + j);
    std::ranges::sort(ranked);
    if (!options_.ranking.empty()) write_ranking(ranked);
    if (options_.pairs.empty()) return Verdict::go_on;
    std::erase_if(ranked, [&](const auto& pair) { return !distance_[pair.second]; });
    const Index top = std::min(options_.top > 0 ? options_.top : sites_, ranked.size());
    const auto near = std::count_if(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(top),
                                    [&](const auto& pair) { return *distance_[pair.second] < options_.distance; });
    record.emplace_back("contacts", static_cast<double>(near));
    if (top > 0) record.emplace_back("contact_precision", static_cast<double>(near) / static_cast<double>(top));
    return Verdict::go_on;
  }

  std::vector<MeasuredFigure> figures(const RunOutline&) const override {
    if (options_.pairs.empty()) return {};
    return {{.name = "contacts", .goal = Goal::greater, .every = options_.every},
            {.name = "contact_precision", .goal = Goal::greater, .every = options_.every}};
  }

 private:
  /// `ranked`: minus the score, and the place in sites × sites.
  void write_ranking(const std::vector<std::pair<double, Index>>& ranked) const {
    std::string text = "site_i,site_j,score\n";
    for (const auto& [score, pair] : ranked)
      text += fmt::format("{},{},{}\n", pair / sites_ + 1, pair % sites_ + 1, -score);
    write_file_atomically(options_.ranking, text);
  }

  void read_pairs() {
    const Table table = read_table(options_.pairs);
    distance_.assign(sites_ * sites_, std::nullopt);
    if (table.cols < 3)
      throw DataError(
          fmt::format("{}: it has {} columns, but a pair is two sites and a distance.", options_.pairs, table.cols));
    for (Index r = 0; r < table.rows; ++r) {
      const auto site = [&](Index column) {
        const double value = table.at(r, column);
        if (!(value >= 1.0 && value <= static_cast<double>(sites_)) ||
            value != static_cast<double>(static_cast<Index>(value)))
          throw DataError(fmt::format("{}: row {} (counted from 0) names the site {}, but sites are 1 to {}.",
                                      options_.pairs, r, value, sites_));
        return static_cast<Index>(value) - 1;
      };
      const Index i = site(0), j = site(1);
      distance_[i * sites_ + j] = distance_[j * sites_ + i] = table.at(r, table.cols - 1);
    }
  }

  Options options_;
  Index position_ = 0, states_ = 0, sites_ = 0;
  std::vector<std::optional<double>> distance_;  ///< sites × sites; none where the table is silent
};

void enroll(Registries& registries) {
  registries.of<Observer>().add<Contacts>("contacts",
                                          "pairs of sites ranked by their couplings, in a file and against known "
                                          "distances (DCA, Potts machines of proteins)");
}

}  // namespace

HARMONIUM_PLUGIN("potts", "0.1.0", "contacts of proteins from Potts machines", enroll);
