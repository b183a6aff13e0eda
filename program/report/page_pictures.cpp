// Sections of a page that have pictures, and the one that tells what was computed.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/core/version.hpp>
#include <harmonium/program/report/html.hpp>
#include <harmonium/program/report/page.hpp>
#include <harmonium/program/report/words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

const std::map<std::string, std::string> picture_titles = {{"filters", "Filters"},
                                                           {"data", "Data"},
                                                           {"reconstructions", "Reconstructions"},
                                                           {"samples", "Samples"},
                                                           {"chains", "Chains over time"}};

const ReportPicture* find_picture(const std::vector<ReportPicture>& all, const std::string& kind) {
  const auto found = std::ranges::find(all, kind, &ReportPicture::kind);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string picture_body(const std::string& kind, const RunRecord& record, const Computed& computed) {
  const std::string title = html_element("h3", picture_titles.at(kind));
  if (const ReportPicture* drawn = find_picture(record.pictures, kind))
    return title + html_figure(html_picture(drawn->png, drawn->caption),
                               sentence(drawn->caption) + " Drawn by the run at its end.");
  if (computed.pictures.found)
    if (const ReportPicture* drawn = find_picture(*computed.pictures.found, kind))
      return title +
             html_figure(html_picture(drawn->png, drawn->caption), sentence(drawn->caption) + " Drawn for this page.");
  const auto why = std::ranges::find(computed.no_pictures, kind, &std::pair<std::string, std::string>::first);
  return title + html_element("p", fmt::format("There is no such picture. {}",
                                               why == computed.no_pictures.end() ? "" : why->second));
}

PageSection weights_section(const RunRecord& record, const Computed& computed, Charts& charts) {
  std::string body = picture_body("filters", record, computed) + html_element("h3", "Singular values");
  if (!computed.spectra.found)
    return {"weights", "Weights",
            body + html_element("p", fmt::format("They were not found. {}", computed.spectra.why_not))};
  std::string drawn;
  HtmlTable table{
      "Leading singular values of each coupling. 'Independent entries' is what the largest would be of a matrix of "
      "independent entries of the same mean square: values above it stand out of noise.",
      {"coupling", "shape", "independent entries", "first", "second", "third", "above"},
      {}};
  for (const WeightSpectrum& s : *computed.spectra.found) {
    const std::string shape = fmt::format("{} × {}", s.rows, s.cols);
    if (s.values.empty()) {
      table.rows.push_back({HtmlCell(s.tensor), HtmlCell(shape), HtmlCell("not found: too large")});
      continue;
    }
    const auto above = std::ranges::count_if(s.values, [&](double v) { return v > s.edge; });
    std::vector<HtmlCell> row{HtmlCell(s.tensor), HtmlCell(shape), HtmlCell(number_words(s.edge), s.edge)};
    for (std::size_t k = 0; k < 3; ++k)
      row.push_back(k < s.values.size() ? HtmlCell(number_words(s.values[k]), s.values[k]) : HtmlCell("-"));
    row.emplace_back(std::to_string(above), static_cast<double>(above));
    table.rows.push_back(std::move(row));
    if (charts.can_draw()) drawn += "<figure>" + charts.spectrum(s) + "</figure>\n";
  }
  if (table.rows.empty())
    body += html_element("p", "The model has no couplings of two layers, or within one, that are matrices.");
  else body += html_table(table) + (drawn.empty() ? "" : "<div class=\"panels\">\n" + drawn + "</div>\n");
  return {"weights", "Weights", body};
}

PageSection data_section(const RunRecord& record, const Computed& computed) {
  return {"data", "Data, reconstructions and samples",
          picture_body("data", record, computed) + picture_body("reconstructions", record, computed) +
              picture_body("samples", record, computed)};
}

PageSection computed_section(const RunRecord& record, const Computed& computed, const ReportRequest& request) {
  HtmlTable table{"What the run's folder does not hold was computed for this page; the commands give the same.",
                  {"what", "how", "time"},
                  {}};
  const auto row = [&](const char* what, const std::string& how, const std::string& why_not, bool found,
                       double seconds) {
    table.rows.push_back({HtmlCell(what), HtmlCell(found ? how : "not computed: " + why_not),
                          HtmlCell(found ? time_words(seconds) : "-")});
  };
  const auto part = [&](const char* what, const auto& p) {
    row(what, p.how, p.why_not, p.found.has_value(), p.seconds);
  };
  part("likelihood", computed.likelihood);
  part("diagnosis", computed.diagnosis);
  row("singular values", "eigenvalues of W Wᵀ", computed.spectra.why_not, computed.spectra.found.has_value(),
      computed.spectra.seconds);
  if (computed.pictures.found && !computed.pictures.found->empty()) {
    std::string kinds;
    for (const ReportPicture& p : *computed.pictures.found) kinds += (kinds.empty() ? "" : ", ") + p.kind;
    row("pictures", fmt::format("{}: {}", computed.pictures.how, kinds), "", true, computed.pictures.seconds);
  }
  const std::string text =
      fmt::format("{} by Harmonium {} ({}), on {}, with an effort of {:g} (--effort) and the seed of {}. MODEL is {}.",
                  now_in_words(), version(), revision(),
                  request.threads > 0 ? fmt::format("{} threads", request.threads) : "all cores", request.effort,
                  request.seed ? "the command line" : "the run", record.model.empty() ? "not there" : record.model);
  return {"computed", "What was computed, when and how", html_table(table) + html_element("p", text)};
}

}  // namespace v1
}  // namespace harmonium
