#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/framework/testing/mean_changes.hpp>
#include <harmonium/framework/testing/reference_rows.hpp>
#include <harmonium/framework/testing/reversal.hpp>
#include <harmonium/framework/testing/sampler_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

void examine_reversal_from_reference(const SamplerSubject& s, const char* check, Sampler& sampler, Sampler& reversal,
                                     double beta, const HeldMask& held) {
  constexpr Index moves = 8, rows = SamplerSubject::reference_rows;
  Target target{s.model};
  target.beta = beta;
  if (held.any_units()) target.held = &held;
  ReferenceRows reference(s.model, beta, held, random_rows(s.layout, rows, 93), 93);
  std::string unsettled;
  for (const Index burn_in : ReferenceRows::burn_ins) {
    reference.sweep(burn_in);
    MeanChanges own(s.model, rows);
    FlowMoments flow(s.model, rows);
    const Executor executor(1);
    for (Index i = 0; i < moves; ++i) {
      Chains start(s.layout, rows, static_cast<std::uint32_t>(i * rows));
      start.set_step(SamplerSubject::later_step);
      copy_rows(s.layout, reference.rows(), 0, start);
      Chains forward = start, backward = start;
      sampler.advance(target, forward, 1, {executor, {47, 53}});
      reversal.advance(target, backward, 1, {executor, {47, 59}});
      flow.add(start, forward, backward);
      reference.sweep(ReferenceRows::between);
      own.add(start, reference.rows());
    }
    flow.next_rows();
    unsettled = reference.complaint(own);
    if (!unsettled.empty()) continue;
    s.report.judge(check, flow.complaint(), flow.summary());
    return;
  }
  s.report.skip(check, unsettled);
}

}  // namespace

void check_reversal(const SamplerSubject& s) {
  const std::unique_ptr<Sampler> sampler = s.adapted();
  const std::unique_ptr<Sampler> reversal = sampler->reversal();
  if (!reversal) return;
  if (s.rungs > 1) {
    s.report.skip("reversal", "it has temperatures of its own, and chains at the target are no rows of their law");
    return;
  }
  if (s.enumerable()) {
    const auto examine = [&](const char* check, double beta, const std::vector<std::uint8_t>& held) {
      const ReversalFindings findings = examine_reversal(*sampler, *reversal, s.model, beta, held,
                                                         SamplerSubject::num_draws, SamplerSubject::later_step);
      s.report.judge(check, findings.complaint(), findings.summary());
    };
    examine("reversal", 1.0, {});
    examine("reversal at beta 0.6", 0.6, {});
    examine("reversal, every third unit held", 1.0, every_third(StateSpace(s.layout).num_units()));
    return;
  }
  if (s.layout.columns(s.layout.all()) > ReferenceRows::most_columns) {
    s.report.skip("reversal",
                  "as with 'reference start', rows of its law cannot be drawn by other means in a short time");
    return;
  }
  examine_reversal_from_reference(s, "reversal", *sampler, *reversal, 1.0, {});
  examine_reversal_from_reference(s, "reversal at beta 0.8", *sampler, *reversal, 0.8, {});
  if (s.layout.columns(s.layout.all()) > 1)
    examine_reversal_from_reference(s, "reversal, every third unit held", *sampler, *reversal, 1.0,
                                    every_third_held(s.layout, SamplerSubject::reference_rows));
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
