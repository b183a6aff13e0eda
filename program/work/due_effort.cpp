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
  if (way.operations() <= *request.effort_beyond) return usual;
  EvaluateRequest shorter = request;
  shorter.bound_alone = shorter.bound_where_any = true;  // rows that are annealed one by one take far longer than log Z
  return shorter;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
