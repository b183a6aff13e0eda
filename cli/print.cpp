#include <harmonium/cli/print.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string json(const std::optional<double>& v) {
  return v && std::isfinite(*v) ? fmt::format("{:.17g}", *v) : std::string("null");
}
std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else out += c;
  }
  return out + "\"";
}
std::string words(const std::optional<double>& v) { return v ? fmt::format("{:.6f}", *v) : std::string("-"); }

/// What one repeat of an estimate of the gradient is.
std::string words_of_repeat(const GradientRequest& request) {
  return request.warm_up == 0 ? "an estimator of its own, its chains from their start"
                              : fmt::format("an estimator of its own, after {} that do not count", request.warm_up);
}

std::vector<std::string> kinds_of(const std::vector<ComponentDescription>& all) {
  std::vector<std::string> kinds;
  for (const ComponentDescription& c : all)
    if (std::ranges::find(kinds, c.kind) == kinds.end()) kinds.push_back(c.kind);
  return kinds;
}

/// Lines of at most `width` columns, each indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out, line;
  const auto end_line = [&] { out += std::string(indent, ' ') + line + "\n"; };
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    if (!line.empty() && indent + line.size() + 1 + (to - from) > width) {
      end_line();
      line.clear();
    }
    line += (line.empty() ? "" : " ") + text.substr(from, to - from);
    from = to + 1;
  }
  end_line();
  return out;
}

/// Why figures are absent, those of one reason together.
std::string reasons_text(const std::vector<std::pair<std::string, std::string>>& reasons) {
  std::string text;
  for (auto first = reasons.begin(); first != reasons.end(); ++first) {
    const auto same = [&](const auto& other) { return other.second == first->second; };
    if (std::find_if(reasons.begin(), first, same) != first) continue;
    std::string names;
    for (const auto& [name, why] : reasons)
      if (why == first->second) names += (names.empty() ? "" : ", ") + name;
    text += wrapped(fmt::format("No {}: {}", names, first->second), 0, 110);
  }
  return text.empty() ? text : "\n" + text;
}

/// Why cells of the table of a gradient are empty.
std::string reasons_of(const GradientFigures& figures, const GradientRequest& request) {
  std::vector<std::pair<std::string, std::string>> reasons;
  if (request.repeats < 2)
    reasons.emplace_back("variance", "one estimate has none. Add --repeats N, with two or more.");
  if (request.against.empty()) {
    for (const char* name : {"bias", "against norm", "cosine", "signs off"})
      reasons.emplace_back(name, "there is nothing to compare with. Add --against exact.");
  } else if (std::ranges::any_of(figures.tensors, [](const GradientComparison& g) { return !g.cosine; })) {
    reasons.emplace_back("cosine", "where one of the two gradients is 0 it has no direction.");
  }
  return reasons_text(reasons);
}

void check_kind(const std::vector<ComponentDescription>& all, const std::string& kind) {
  const std::vector<std::string> kinds = kinds_of(all);
  if (kind.empty() || std::ranges::find(kinds, kind) != kinds.end()) return;
  throw ConfigError(fmt::format("there is no kind of component called '{}'{}. Kinds: {}.", kind,
                                did_you_mean(kind, kinds), fmt::join(kinds, ", ")));
}

}  // namespace

std::string evaluation_text(const Evaluation& e) {
  std::string text;
  const auto line = [&](const char* name, const std::optional<double>& v, const char* unit) {
    text += fmt::format("{:<24}{:>18}  {}\n", name, words(v), unit);
  };
  text += fmt::format("{:<24}{:>18}  rows\n", "num_samples", e.num_samples ? std::to_string(*e.num_samples) : "-");
  line("log_z", e.log_z, "nats");
  line("log_likelihood", e.log_likelihood, "nats a sample");
  line("free_energy", e.free_energy, "nats, mean");
  line("pseudo_log_likelihood", e.pseudo_log_likelihood, "nats a sample");
  line("reconstruction_error", e.reconstruction_error, "mean square of an entry");
  if (e.accuracy) {
    line("accuracy", e.accuracy, "share of the rows whose label is the likeliest");
    line("label_log_likelihood", e.label_log_likelihood, "nats a label, given the rest of its row");
  }
  if (e.units != "data") {
    text += fmt::format("{:<24}{:>18}\n", "units", e.units);
    line("log_jacobian", e.log_jacobian, "nats a sample, to be added for the data's own units");
  }
  auto reasons = e.reasons;  // of the lines above
  std::erase_if(reasons, [](const auto& r) { return r.first == "accuracy" || r.first == "label_log_likelihood"; });
  return text + reasons_text(reasons);
}

std::string evaluation_json(const Evaluation& e) {
  std::string reasons;
  for (const auto& [name, why] : e.reasons)
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : ", ", quoted(name), quoted(why));
  return fmt::format(
      "{{\"log_z\": {}, \"log_likelihood\": {}, \"num_samples\": {}, \"free_energy\": {}, \"pseudo_log_likelihood\": "
      "{}, "
      "\"reconstruction_error\": {}, \"accuracy\": {}, \"label_log_likelihood\": {}, \"units\": {}, \"log_jacobian\": "
      "{}, \"reasons\": {{{}}}}}\n",
      json(e.log_z), json(e.log_likelihood), e.num_samples ? std::to_string(*e.num_samples) : "null",
      json(e.free_energy), json(e.pseudo_log_likelihood), json(e.reconstruction_error), json(e.accuracy),
      json(e.label_log_likelihood), quoted(e.units), json(e.log_jacobian), reasons);
}

std::string gradient_text(const GradientFigures& figures, const GradientRequest& request) {
  const auto phase = [](const std::optional<PhaseUsed>& used) {
    return used ? fmt::format("{} ({})", used->method, used->exact ? "exact" : "not exact") : std::string("none");
  };
  std::string text = fmt::format("positive phase: {}\nnegative phase: {}\neach repeat:    {}\n\n",
                                 phase(figures.positive), phase(figures.negative), words_of_repeat(request));
  text += fmt::format("{:<28}{:>14}{:>14}{:>14}{:>14}{:>10}{:>10}\n", "tensor", "norm", "variance", "bias",
                      "against norm", "cosine", "signs off");
  const auto cell = [](const std::optional<double>& v) { return v ? fmt::format("{:.5g}", *v) : std::string("-"); };
  for (const GradientComparison& g : figures.tensors)
    text += fmt::format("{:<28}{:>14}{:>14}{:>14}{:>14}{:>10}{:>10}\n", g.name, cell(g.norm), cell(g.variance),
                        cell(g.bias), cell(g.against_norm), cell(g.cosine), cell(g.sign_disagreement));
  return text + reasons_of(figures, request);
}

std::string gradient_json(const GradientFigures& figures, const GradientRequest& request) {
  const auto phase = [](const std::optional<PhaseUsed>& used) {
    return used ? fmt::format("{{\"method\": {}, \"exact\": {}}}", quoted(used->method), used->exact)
                : std::string("null");
  };
  std::string text = fmt::format(
      "{{\"estimator\": {}, \"repeats\": {}, \"warm_up\": {}, \"each_repeat\": {}, \"against\": {}, "
      "\"positive_phase\": {}, \"negative_phase\": {}, \"tensors\": {{",
      quoted(request.estimator), request.repeats, request.warm_up, quoted(words_of_repeat(request)),
      request.against.empty() ? "null" : quoted(request.against), phase(figures.positive), phase(figures.negative));
  const auto figure = [](const GradientComparison& g) {
    return fmt::format(
        "{{\"norm\": {}, \"variance\": {}, \"bias\": {}, \"against_norm\": {}, \"cosine\": {}, \"sign_disagreement\": "
        "{}}}",
        json(g.norm), json(g.variance), json(g.bias), json(g.against_norm), json(g.cosine), json(g.sign_disagreement));
  };
  const std::vector<GradientComparison>& tensors = figures.tensors;
  for (std::size_t i = 0; i + 1 < tensors.size(); ++i)
    text += fmt::format("{}{}: {}", i ? ", " : "", quoted(tensors[i].name), figure(tensors[i]));
  return text + "}, \"all\": " + figure(tensors.back()) + "}\n";
}

std::string list_text(const std::vector<ComponentDescription>& all, const std::string& kind) {
  check_kind(all, kind);
  std::string text, current;
  std::size_t width = 22;
  for (const ComponentDescription& c : all) width = std::max(width, c.name.size());
  for (const ComponentDescription& c : all) {
    if (!kind.empty() && c.kind != kind) continue;
    if (c.kind != current) text += fmt::format("{}{}\n", current.empty() ? "" : "\n", c.kind);
    current = c.kind;
    text += fmt::format("  {:<{}}  {}\n", c.name, width, c.summary);
  }
  return text;
}

std::string describe_text(const std::vector<ComponentDescription>& all, const std::string& kind,
                          const std::string& name) {
  check_kind(all, kind);
  std::vector<std::string> names;
  std::string text;
  for (const ComponentDescription& c : all) {
    if (!kind.empty() && c.kind != kind) continue;
    names.push_back(c.name);
    if (c.name != name) continue;
    text += fmt::format("{}{} '{}' ({})\n  {}\n", text.empty() ? "" : "\n", c.kind, c.name, c.origin, c.summary);
    if (c.options.empty()) text += "\n  It takes no options.\n";
    else text += "\n  options:\n";
    for (const OptionInfo& o : c.options) {
      text += fmt::format("    {:<22}{}{}{}\n", o.name, o.type, o.limit.empty() ? "" : ", " + o.limit,
                          o.fallback.empty() ? "" : "; default " + o.fallback);
      text += wrapped(o.help, 28, 110);
    }
    text += c.stands_for;
  }
  if (text.empty())
    throw ConfigError(fmt::format("there is no {} called '{}'{}. See 'harmonium list{}'.",
                                  kind.empty() ? "component" : kind, name, did_you_mean(name, names),
                                  kind.empty() ? "" : " " + kind));
  return text;
}

namespace {

/// The results under their subjects, all or those that failed.
std::string check_lines(const std::vector<CheckResult>& results, bool failed_alone) {
  std::string text, subject;
  for (const CheckResult& r : results) {
    if (failed_alone && r.outcome != CheckOutcome::failed) continue;
    if (r.subject != subject) text += fmt::format("{}{}\n", subject.empty() ? "" : "\n", r.subject);
    subject = r.subject;
    constexpr const char* words_for[] = {"ok", "FAILED", "note", "skipped"};
    text += fmt::format("  {:<9}{}\n", words_for[static_cast<int>(r.outcome)], r.check);
    text += wrapped(printable(r.words), 11, 118);
  }
  return text;
}

}  // namespace

std::string check_text(const std::vector<CheckResult>& results) {
  std::size_t counts[4] = {};  // by outcome
  for (const CheckResult& r : results) ++counts[static_cast<std::size_t>(r.outcome)];
  const auto [passed, failed, noted, skipped] = counts;
  std::string text = check_lines(results, false);
  // Again, where they are not to be looked for among all the others.
  if (failed > 0) text += "\nWhat failed:\n\n" + check_lines(results, true);
  text += failed > 0 ? fmt::format("\n{} of {} checks failed.", failed, failed + passed)
                     : fmt::format("\nAll of {} checks passed.", passed);
  return text + fmt::format(" Notes: {}. Skipped: {}.\n", noted, skipped);
}

std::string failures_text(const std::vector<CheckResult>& results) { return check_lines(results, true); }

namespace {

bool share_name_and_folder(const PluginListing& a, const PluginListing& b) {
  return a.failure.empty() && b.failure.empty() && a.name == b.name &&
         std::filesystem::path(a.path).parent_path() == std::filesystem::path(b.path).parent_path();
}

/// Pairs of files in one folder of which no run can load both.
std::string clashes_text(const std::vector<PluginListing>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (!share_name_and_folder(all[i], all[k]) || all[i].real_bits != all[k].real_bits) continue;
      text += fmt::format(
          "one name: {} and {} both hold a plugin called '{}', and a configuration finds {}{}.so alone. Leave one out, "
          "or "
          "build it under another name.\n",
          all[i].path, all[k].path, all[i].name, all[i].name, all[i].real_bits == 32 ? "_f32" : "");
    }
  }
  return text;
}

/// Files that no configuration finds by name, as an earlier folder holds a file of the same name.
std::string hidden_text(const std::vector<PluginListing>& all) {
  const auto file_name = [](const PluginListing& p) { return std::filesystem::path(p.path).filename(); };
  std::string text;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto later = all.begin() + static_cast<std::ptrdiff_t>(k);
    const auto first = std::find_if(
        all.begin(), later, [&](const PluginListing& p) { return !p.given && file_name(p) == file_name(*later); });
    if (first == later || later->given) continue;
    text += fmt::format(
        "one name: {} is never found by its name, as {} is in an earlier folder. Leave one out, or give it as a "
        "file.\n",
        later->path, first->path);
  }
  return text;
}

}  // namespace

std::string plugins_text(const std::vector<PluginListing>& all) {
  const auto same = [](const PluginListing& a, const PluginListing& b) {
    return share_name_and_folder(a, b) && a.version == b.version && a.summary == b.summary &&
           std::ranges::equal(a.components, b.components,
                              [](const auto& x, const auto& y) { return x.kind == y.kind && x.name == y.name; });
  };
  std::string text, failures;
  std::vector<bool> told(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PluginListing& p = all[i];
    if (!p.failure.empty()) failures += fmt::format("not loaded: {}\n", printable(p.failure));
    if (!p.failure.empty() || told[i]) continue;
    std::string files;
    for (std::size_t k = i; k < all.size(); ++k) {
      if (told[k] || !same(p, all[k])) continue;
      told[k] = true;
      files += fmt::format("  float{}: {}\n", all[k].real_bits, all[k].path);
    }
    text += fmt::format("{}{} {}: {}\n{}", text.empty() ? "" : "\n", p.name, p.version, p.summary, files);
    for (const ComponentDescription& c : p.components)
      text += fmt::format("  {:<14}{:<24}{}\n", c.kind, c.name, c.summary);
    if (p.components.empty()) text += "  It provides nothing.\n";
  }
  const std::string faults = clashes_text(all) + hidden_text(all) + failures;
  return text + (text.empty() || faults.empty() ? "" : "\n") + faults;
}

}  // namespace v1
}  // namespace harmonium
