#include <harmonium/studies/cd_bias/cd_bias.hpp>

#include <atomic>

#include <fmt/format.h>

#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/studies/part_names.hpp>
#include <harmonium/studies/cd_bias/report.hpp>
#include <harmonium/studies/cd_bias/run.hpp>
#include <harmonium/studies/cd_bias/tables.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

StudyFiles CdBias::files() const {
  return {
      {"cd_bias.csv", "trace.csv", "fixed_updates.csv", "runs.csv", "report.md"},
      {"figure1_training", "figure2_r_by_k", "figure3_parameters", "figure4_s_by_k", "figure5_r_by_k_fixed_updates"}};
}

bool CdBias::is_part(const std::string& name) const {
  return std::ranges::any_of(options_.data_sets, [&](const std::string& data_set) {
    std::string_view left = name;
    return take(left, data_set + "_") && take_number(left) && take(left, "_") && take_number(left) && left.empty();
  });
}

std::string CdBias::remark() const {
  return find_gnuplot() ? "" : without_gnuplot("the study has its tables, but no figures");
}

std::vector<std::string> CdBias::parts() const {
  std::vector<std::string> names;
  for (const CdBiasCell& cell : cells_) names.push_back(cell.name());
  return names;
}

void CdBias::make(StudyParts& parts, const Registries& registries) const {
  // What takes longest first, so that no thread is left with a long one at the end.
  parts.begin_by([&](Index a, Index b) {
    return std::pair(cells_[a].data_set, cells_[a].size) > std::pair(cells_[b].data_set, cells_[b].size);
  });
  std::atomic<std::uint64_t> updates{0};
  parts.make([&](Index part) {
    return to_value(run_cd_bias(cells_[part], options_, registries, parts.work().stop, [&](std::uint64_t more) {
      updates += more;
      parts.show_progress(fmt::format(", {:.1f} million updates", static_cast<double>(updates) * 1e-6));
    }));
  });
}

std::string CdBias::report(const StudyParts& parts, const std::filesystem::path& folder) const {
  std::vector<CdBiasRun> runs;
  for (Index i = 0; i < cells_.size(); ++i) runs.push_back(from_value(cells_[i], parts.read(i)));
  const std::vector<CdBiasClaim> claims = cd_bias_claims(options_, runs);
  std::vector<CdBiasFigure> figures;
  const auto gnuplot = find_gnuplot();
  if (gnuplot) figures = cd_bias_figures(options_, runs);
  for (const CdBiasFigure& figure : figures) draw_figure(*gnuplot, folder / figure.name, figure.script);
  write_file_atomically(folder / "trace.csv", trace_csv(runs));
  write_file_atomically(folder / "fixed_updates.csv", fixed_updates_csv(runs));
  write_file_atomically(folder / "runs.csv", runs_csv(runs));
  write_file_atomically(folder / "report.md", cd_bias_report(options_, runs, claims, figures));
  write_file_atomically(folder / "cd_bias.csv", cd_bias_csv(runs));
  return cd_bias_summary(options_, runs, claims) + fmt::format("{}/report.md\n", folder.string());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
