#include <harmonium/program/work/due_effort.hpp>

#include <harmonium/program/work/log_z_way.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

EvaluateRequest with_due_effort(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
                                const Registries& registries) {
  if (!request.effort || !request.effort_beyond) return request;
  EvaluateRequest usual = request;
  usual.effort.reset();
  const LogZWay way(usual, options, model, registries);
  return way.operations() <= *request.effort_beyond ? usual : request;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
