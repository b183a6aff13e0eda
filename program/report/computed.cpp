#include <harmonium/program/report/computed.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/scratch_folder.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* no_model = "The run has no model yet: neither model.h5 nor a checkpoint.";

/// What is wrong, without the option it begins with and the advice about options at its end.
std::string reason_of(std::string text) {
  if (text.starts_with("--"))
    if (const auto end = text.find(": "); end != std::string::npos) text.erase(0, end + 2);
  if (const auto end = text.find(". "); end != std::string::npos) text.resize(end + 1);
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + ".";
}

/// Does it, and keeps the time and why it could not be done.
template <class T, class Work>
void attempt(ComputedPart<T>& part, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  try {
    part.found = work();
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    part.why_not = reason_of(error.what());
  }
  part.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Request>
Request request_for(const RunRecord& record, const ReportRequest& report) {
  Request request;
  static_cast<CommonRequest&>(request) = static_cast<const CommonRequest&>(report);
  request.model = record.model;
  return request;
}

void judge(const RunRecord& record, const ReportRequest& report, const Program& program, Computed& all) {
  auto& part = all.likelihood;
  part.how =
      fmt::format("harmonium evaluate RUN{}",
                  report.effort == 1.0 ? "" : fmt::format(" --effort {:g}, where log Z is annealed", report.effort));
  if (report.no_likelihood) part.why_not = "It was left out (--no-likelihood).";
  if (record.model.empty()) part.why_not = no_model;
  if (!part.why_not.empty()) return;
  auto request = request_for<EvaluateRequest>(record, report);
  if (report.effort != 1.0) request.effort = report.effort;
  request.effort_where_any = true;
  request.why_annealed = false;  // the page has the way to log Z
  request.own_data = true;
  attempt(part, [&] { return program.evaluate(request); });
  if (!part.found) {  // of the model alone
    const std::string why = part.why_not;
    request.own_data = false;
    attempt(part, [&] { return program.evaluate(request); });
    part.why_not = why;
  }
}

void diagnose_chains(const RunRecord& record, const ReportRequest& report, const Program& program, Computed& all) {
  auto& part = all.diagnosis;
  auto request = request_for<DiagnoseRequest>(record, report);
  request.steps = std::max<std::uint64_t>(100, static_cast<std::uint64_t>(2000.0 * report.effort));
  part.how = fmt::format("harmonium diagnose MODEL --steps {}, chains from training rows among them", request.steps);
  if (report.no_diagnosis) part.why_not = "It was left out (--no-diagnosis).";
  if (record.model.empty()) part.why_not = no_model;
  if (!part.why_not.empty()) return;
  request.own_data = true;
  attempt(part, [&] { return program.diagnose(request); });
  if (part.found) return;
  const std::string why = part.why_not;
  request.own_data = false;
  attempt(part, [&] { return program.diagnose(request); });
  part.why_not = why;
}

void draw_pictures(const RunRecord& record, const ReportRequest& report, const Program& program, Computed& all) {
  std::vector<std::string> missing;
  for (const char* kind : report_pictures)
    if (std::ranges::find(record.pictures, kind, &ReportPicture::kind) == record.pictures.end())
      missing.emplace_back(kind);
  std::string why_none;
  if (report.no_pictures) why_none = "The run has not drawn it, and drawing was left out (--no-pictures).";
  if (record.model.empty()) why_none = no_model;
  all.pictures.how = "harmonium draw MODEL --what KIND --count 60";
  all.pictures.found.emplace();
  for (const std::string& kind : missing) {
    if (!why_none.empty()) {
      all.no_pictures.emplace_back(kind, why_none);
      continue;
    }
    const ScratchSpace scratch;
    DrawRequest request;
    static_cast<CommonRequest&>(request) = static_cast<const CommonRequest&>(report);
    request.input = record.model;
    request.what = kind;
    request.count = kind == "chains" ? 10 : 60;
    request.output = (scratch.path() / (kind + ".png")).string();
    ComputedPart<ReportPicture> one;
    attempt(one, [&] { return program.draw(request), read_picture(kind, request.output); });
    all.pictures.seconds += one.seconds;
    if (one.found) all.pictures.found->push_back(std::move(*one.found));
    else all.no_pictures.emplace_back(kind, one.why_not);
  }
}

}  // namespace

ComputedStack compute_stack(const std::string& folder, const ReportRequest& report) {
  ComputedStack stack{folder, {}};
  auto& part = stack.likelihood;
  part.how = fmt::format("harmonium evaluate {}{}", folder,
                         report.effort == 1.0 ? "" : fmt::format(" --effort {:g}", report.effort));
  if (report.no_likelihood) part.why_not = "It was left out (--no-likelihood).";
  const std::filesystem::path model = std::filesystem::path(folder) / "model.h5";
  if (!std::filesystem::exists(model)) part.why_not = "The stack is not whole yet.";
  if (!part.why_not.empty()) return stack;
  EvaluateRequest request;
  static_cast<CommonRequest&>(request) = static_cast<const CommonRequest&>(report);
  request.model = model.string();
  request.own_data = request.first_machine = request.effort_where_any = true;
  request.why_annealed = false;
  request.first_machine_left_out_by = "--no-likelihood";
  if (report.effort != 1.0) request.effort = report.effort;
  attempt(part, [&] { return program(precision_of_model(request.model)).evaluate(request); });
  return stack;
}

Computed compute(const RunRecord& record, const ReportRequest& request) {
  Computed all;
  if (record.model.empty()) {
    all.spectra.why_not = no_model;
    const Program& any = program(Precision::float64);
    judge(record, request, any, all);
    diagnose_chains(record, request, any, all);
    draw_pictures(record, request, any, all);
    return all;
  }
  const Program& own = program(precision_of_model(record.model));
  const auto start = std::chrono::steady_clock::now();
  // First, and no attempt: what is wrong with the model file ends the report.
  all.spectra.found = own.spectra(request_for<SpectraRequest>(record, request));
  all.spectra.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // Each begins its own count of what is done anew.
  const auto with = [&](double begin, double end, const char* what, const auto& work) {
    PartOfWork part(request.display, begin, end, what);
    ReportRequest own_part = request;
    own_part.display = &part;
    work(record, own_part, own, all);
  };
  with(0.0, 0.5, "likelihood (--no-likelihood leaves it out)", judge);
  with(0.5, 0.9, "chains", diagnose_chains);
  with(0.9, 1.0, "pictures", draw_pictures);
  if (request.display) request.display->finish();
  return all;
}

}  // namespace v1
}  // namespace harmonium
