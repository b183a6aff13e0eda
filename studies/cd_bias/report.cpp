#include <harmonium/studies/cd_bias/report.hpp>

#include <fmt/format.h>

#include <harmonium/studies/cd_bias/over_seeds.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

const char* words(CdBiasClaim::Verdict verdict) {
  switch (verdict) {
    case CdBiasClaim::Verdict::holds: return "holds";
    case CdBiasClaim::Verdict::fails: return "does not hold";
    case CdBiasClaim::Verdict::open: break;
  }
  return "not told by these runs";
}

/// Rows of means over seeds, made by `line(set, d, cells)`.
template <class Line>
std::string means(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs, const Line& line) {
  std::string text;
  for (const std::string& set : options.data_sets)
    for (const double d : options.sizes) {
      const auto own = runs_of(runs, set, static_cast<Index>(d));
      const auto mean = [&](const auto& figure) { return over_seeds(own, figure).mean; };
      std::vector<std::string> cells{
          fmt::format("{}_{:g}", paper_name(set), d),
          fmt::format("{:.0f}", mean([](const CdBiasRun& r) { return static_cast<double>(r.criterion.updates); })),
          fmt::format("{:.1f}", mean([](const CdBiasRun& r) { return r.criterion.alpha; })),
          fmt::format("{:.1f}", mean([](const CdBiasRun& r) { return r.criterion.beta; })),
          fmt::format("{:.3f}", mean([](const CdBiasRun& r) { return r.criterion.steps.front().delta; })),
          fmt::format("{:.1f}", 100 * mean([](const CdBiasRun& r) { return r.criterion.steps.front().r_median; })),
          fmt::format("{:.1f}", 100 * mean([](const CdBiasRun& r) { return r.criterion.steps.back().r_median; })),
          fmt::format("{:.1f}", 100 * mean([](const CdBiasRun& r) { return r.criterion.steps.front().s; })),
          fmt::format("{:.3f}", mean([](const CdBiasRun& r) { return r.criterion.steps.front().cosine; })),
          fmt::format("{:.3f}", mean([](const CdBiasRun& r) { return r.second_eigenvalue; })),
          fmt::format("{:.6f}", mean([](const CdBiasRun& r) { return r.bound; }))};
      text += line(cells);
    }
  return text;
}

std::vector<std::string> mean_headers(const CdBiasOptions& options) {
  return {"data",
          "updates",
          "alpha",
          "beta",
          "delta_1",
          fmt::format("r_1 %"),
          fmt::format("r_{} %", options.most_steps),
          "s_1 %",
          "cosine",
          "lambda_2",
          "bound/N"};
}

}  // namespace

std::string cd_bias_means(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  const std::vector<std::string> headers = mean_headers(options);
  return line(headers) + line(std::vector<std::string>(headers.size(), "---")) + means(options, runs, line);
}

std::string cd_bias_report(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs,
                           const std::vector<CdBiasClaim>& claims, const std::vector<CdBiasFigure>& figures) {
  std::string text = fmt::format(
      "# The bias of contrastive divergence\n\n"
      "The study of Bengio & Delalleau, *Justifying and generalizing contrastive divergence*, Neural Computation 21 "
      "(2009), "
      "section 4, on {} runs: machines small enough that every expectation is a sum. The protocol is in `config.toml`. "
      "Lines are means over {} seeds, bars reach from the smallest to the largest. Statistics are over all weights and "
      "all "
      "rows of the data.\n\n",
      runs.size(), options.num_seeds);
  text +=
      "Means over seeds, at the stopping criterion:\n\n" + cd_bias_means(options, runs) +
      "\nlambda_2 is the second eigenvalue of the chain, bound/N the bound 4.7 of the bias of CD-1 over the number of "
      "visible states: at 1 it says nothing.\n\n";
  constexpr const char* titles[] = {"",
                                    "Training",
                                    "How much of the gradient CD-k loses",
                                    "How large the parameters are",
                                    "How often the sign is wrong",
                                    "After a fixed number of updates"};
  for (int number = 1; number <= 5; ++number) {
    text += fmt::format("## {}. {}\n\n", number, titles[number]);
    for (const CdBiasFigure& figure : figures)
      if (figure.number == number)
        text += fmt::format("![{}]({}.svg)\n\n{}.\n\n", figure.caption, figure.name, figure.caption);
    for (const CdBiasClaim& claim : claims)
      if (claim.figure == number)
        text += fmt::format("- {} **{}**: {}.\n", claim.claim, words(claim.verdict), claim.found);
    text += "\n";
  }
  return text;
}

std::string cd_bias_summary(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs,
                            const std::vector<CdBiasClaim>& claims) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = fmt::format("{:<10}", cells[0]);
    for (Index i = 1; i < cells.size(); ++i) text += fmt::format("{:>10}", cells[i]);
    return text + "\n";
  };
  std::string text = line(mean_headers(options)) + means(options, runs, line) + "\n";
  for (const CdBiasClaim& claim : claims)
    text += fmt::format("Figure {}: {}\n  {}: {}.\n", claim.figure, claim.claim, words(claim.verdict), claim.found);
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
