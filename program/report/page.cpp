#include <harmonium/program/report/page.hpp>

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <harmonium/framework/core/version.hpp>
#include <harmonium/program/report/html.hpp>
#include <harmonium/program/report/page_style.hpp>
#include <harmonium/program/report/words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Where it stands in the list of contents.
std::string contents_of(const std::vector<PageSection>& sections) {
  std::string items;
  for (const PageSection& s : sections)
    items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", s.id, html_text(s.title));
  return "<nav aria-label=\"Contents\"><ul>\n" + items + "</ul></nav>\n";
}

}  // namespace

std::string now_in_words() { return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr))); }

std::string whole_page(const std::string& title, const std::string& lead, const std::vector<PageSection>& sections,
                       int refresh) {
  std::string body;
  for (const PageSection& s : sections)
    body += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n", s.id,
        html_text(s.title), s.body);
  // The page is not let load or run anything, whatever is in it.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\" />\n"
      "{}\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
      "'unsafe-inline'\" />\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
      "<meta name=\"color-scheme\" content=\"light dark\" />\n{}<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}</header>\n<main>\n{}</main>\n</body>\n</html>\n",
      report_mark, refresh > 0 ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\" />\n", refresh) : "",
      html_text(title), page_style, html_text(title), html_text(lead), contents_of(sections), body);
}

std::string run_page(const RunRecord& record, const Computed& computed, const ReportRequest& request, Charts& charts) {
  const std::string lead =
      fmt::format("Report of a training run, made {} by Harmonium {} ({}). Looked at is {}.", now_in_words(), version(),
                  revision(), record.model.empty() ? "its log alone" : record.model_is);
  return whole_page(
      record.run.name, lead,
      {verdict_section(verdict_of(record, computed)),
       happened_section(record),
       {"curves", "Learning curves",
        charts.can_draw() ? curves_body(figure_of_run(record.run.log), "", charts)
                          : html_element("p",
                                         "gnuplot is not installed, and without it there are no charts. Install it "
                                         "(Debian: gnuplot-nox) and make the report again; the numbers are all here.")},
       likelihood_section(computed, charts),
       chains_section(record, computed, charts),
       weights_section(record, computed, charts),
       data_section(record, computed),
       {"configuration", "Configuration",
        html_element("p", "As the run took it, every default written out (config.toml).") + "<pre tabindex=\"0\">" +
            html_lines(record.config) + "</pre>\n"},
       provenance_section(record),
       computed_section(record, computed, request)});
}

}  // namespace v1
}  // namespace harmonium
