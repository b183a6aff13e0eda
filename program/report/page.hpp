#pragma once

#include <string>
#include <vector>

#include <harmonium/program/report/charts.hpp>
#include <harmonium/program/report/claims.hpp>
#include <harmonium/program/report/computed.hpp>

namespace harmonium {
inline namespace v1 {

/// Says of a page that Harmonium wrote it.
inline constexpr const char* report_mark = "<meta name=\"generator\" content=\"Harmonium report\" />";

/// A part of a page, of which the page's list of contents has the title.
struct PageSection {
  std::string id, title, body;  ///< the body is markup
};
/// A whole page: it loads nothing and runs nothing. `refresh`: seconds after which it is asked for again; 0: never.
std::string whole_page(const std::string& title, const std::string& lead, const std::vector<PageSection>& sections,
                       int refresh = 0);

/// The date and time, UTC.
std::string now_in_words();

/// What the claims come to, as a section's body.
std::string claims_body(const std::vector<Claim>& claims);
/// Figures after the last epoch.
std::string figures_body(const RunRecord& record);
std::string curves_body(const CurveFigure& figure, const std::string& whose, Charts& charts);

/// A picture of the run below its title, or why there is none.
std::string picture_body(const std::string& kind, const RunRecord& record, const Computed& computed);

// The sections of one run, in order (page_log.cpp, page_judged.cpp, page_pictures.cpp).
PageSection verdict_section(const ReportVerdict& verdict);
PageSection happened_section(const RunRecord& record);
PageSection likelihood_section(const Computed& computed, Charts& charts);
PageSection chains_section(const RunRecord& record, const Computed& computed, Charts& charts);
PageSection weights_section(const RunRecord& record, const Computed& computed, Charts& charts);
PageSection data_section(const RunRecord& record, const Computed& computed);
PageSection provenance_section(const RunRecord& record);
PageSection computed_section(const RunRecord& record, const Computed& computed, const ReportRequest& request);

/// The report of one run.
std::string run_page(const RunRecord& record, const Computed& computed, const ReportRequest& request, Charts& charts);
/// What several runs are from: folders of sweeps, and stacks.
struct RunsFrom {
  std::vector<std::string> sweeps;
  std::vector<ComputedStack> stacks;
};
/// A stack's likelihoods, and whether its upper machines were worth their places.
PageSection stack_section(const ComputedStack& stack);
/// Several runs beside one another, and what they are from.
std::string comparison_page(const std::vector<ComparedRun>& runs, const std::vector<RunRecord>& records,
                            const std::vector<Computed>& computed, const RunsFrom& from, const ReportRequest& request,
                            Charts& charts);
/// A run as it goes on: what `watch` shows.
std::string progress_page(const RunRecord& record, int refresh, Charts& charts);

}  // namespace v1
}  // namespace harmonium
