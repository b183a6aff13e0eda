#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/mean_changes.hpp>
#include <harmonium/framework/testing/reference_rows.hpp>
#include <harmonium/framework/testing/sampler_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Rows in which something that was held is not what it was.
Index rows_with_held_changed(const Layout& layout, const HeldMask& held, const Chains& before, const Chains& after) {
  std::vector<bool> changed(before.size(), false);
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = before.read(l), y = after.read(l);
    const auto units = held.units(l, 0, x.rows);
    const Index width = layout[l].unit->width();
    if (!held.holds(l) && units.empty()) continue;
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c)
        if (x(r, c) != y(r, c) && (held.holds(l) || units(r, c / width))) changed[r] = true;
  }
  return static_cast<Index>(std::ranges::count(changed, true));
}

/// In two stages, so that most checks are short: a change of a mean that looks odd (one of twenty checks of a right
/// sampler has one) is looked at again in eight times as many moves. A false alarm takes one stage or the other beyond its
/// limit. In units of a standard deviation the second sees a change of 0.02, and one of 0.04 gets there, and is seen,
/// 95 times of 100.
void examine_from_reference(const SamplerSubject& s, const char* check, Sampler& sampler, double beta,
                            const HeldMask& held) {
  constexpr Index rows = SamplerSubject::reference_rows, steps = 3, stages[] = {16, 128};
  Target target{s.model};
  target.beta = beta;
  if (!held.layers().empty() || held.any_units()) target.held = &held;
  try {
    sampler.check(target);
  } catch (const CapabilityError& error) {
    s.report.skip(check, error.what());
    return;
  }
  ReferenceRows reference(s.model, beta, held, random_rows(s.layout, rows, 91), 91);
  const Executor executor(1);
  std::string unsettled;
  std::uint32_t first_chain = 0;
  for (const Index burn_in : ReferenceRows::burn_ins) {
    reference.sweep(burn_in);
    for (const Index moves : stages) {
      MeanChanges own(s.model, rows), found(s.model, rows);
      Index touched = 0;
      for (Index i = 0; i < moves; ++i, first_chain += static_cast<std::uint32_t>(rows)) {
        Chains chains(s.layout, rows, first_chain);
        chains.set_step(SamplerSubject::later_step);
        copy_rows(s.layout, reference.rows(), 0, chains);
        const Chains before = chains;
        sampler.advance(target, chains, steps, {executor, {41, 43}});
        found.add(before, chains);
        touched += rows_with_held_changed(s.layout, held, before, chains);
        reference.sweep(ReferenceRows::between);
        own.add(before, reference.rows());
      }
      unsettled = reference.complaint(own);
      if (!unsettled.empty()) break;
      std::string complaint = found.complaint().empty() ? "" : "the law drifts: " + found.complaint();
      if (touched > 0) complaint = fmt::format("held units changed in {} rows; ", touched) + complaint;
      if (complaint.empty() && found.odd() && moves != stages[1]) continue;
      s.report.judge(check, complaint, found.summary());
      return;
    }
  }
  s.report.skip(check, unsettled);
}

}  // namespace

void check_reference_start(const SamplerSubject& s) {
  if (s.rungs > 1) {
    s.report.skip("reference start",
                  "it has temperatures of its own, and there are too many states, or continuous units");
    return;
  }
  if (const Index columns = s.layout.columns(s.layout.all()); columns > ReferenceRows::most_columns) {
    s.report.skip("reference start",
                  fmt::format("its layers have {} columns, and rows of {} at most can be drawn by other "
                              "means in a short time. Give 'check' a smaller model.",
                              columns, ReferenceRows::most_columns));
    return;
  }
  const std::unique_ptr<Sampler> sampler = s.adapted();
  examine_from_reference(s, "reference start, three transitions", *sampler, 1.0, {});
  examine_from_reference(s, "reference start at beta 0.8, three transitions", *sampler, 0.8, {});
  if (s.layout.size() > 1 && !(s.layout.observed() == s.layout.all()))
    examine_from_reference(s, "reference start, observed layers held", *sampler, 1.0, HeldMask(s.layout.observed()));
  if (s.layout.columns(s.layout.all()) > 1)
    examine_from_reference(s, "reference start at beta 0.8, every third unit held", *sampler, 0.8,
                           every_third_held(s.layout, SamplerSubject::reference_rows));
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
