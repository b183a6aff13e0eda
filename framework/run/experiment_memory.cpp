// What a run takes: memory and operations.
#include <harmonium/framework/run/experiment.hpp>

#include <algorithm>

#include <harmonium/framework/inference/operations.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

MemoryNeed Experiment::memory_without_data(Index rows) const {
  const Layout& layout = model_->layout();
  const auto vector = static_cast<double>(model_->parameter_layout().size()) * sizeof(Real);
  const auto batch = static_cast<double>(rows) * sizeof(Real);
  MemoryNeed need;
  need.add("the program and its libraries", 40e6, "");
  need.add("the parameters", vector, "the size of the model");
  need.add("the parameters before an update", vector, "the size of the model");
  need.add("the gradient", vector, "the size of the model");
  need.add("the last good parameters", vector, "the size of the model");
  if (training_.inadmissible_step == InadmissibleStep::shrink)
    need.add("the step that may have to shrink", vector, "the size of the model");
  if (std::ranges::any_of(regularizers_, [](const auto& r) { return r->shrinks(); }))
    need.add("the step sizes that penalties are paid by", vector, "the size of the model");
  if (training_.keep_best.follow.metric) need.add_state("the best parameters", vector, "the size of the model");
  const double remembered = vector * static_cast<double>(optimizer_->vectors());
  need.add_state("the optimizer's memory", remembered, "the size of the model");
  need.add("the batch", batch * static_cast<double>(layout.columns(layout.all())), "training.batch_size");
  const double latent = batch * static_cast<double>(layout.columns(layout.latent()));
  need.add("the posterior of the batch", 2.0 * latent, "training.batch_size");  // fields and means
  need.add_passing("the means, weighed by their rows", latent, "training.batch_size");
  estimator_->memory(*model_, rows, need);
  // A file is put together in memory and copied from there; its state is a copy already. A signal may ask for one at
  // any time.
  need.add_passing("a checkpoint while it is written", 2.0 * vector + 3.0 * need.state_bytes(),
                   need.state_bytes() > vector && optimizer_->vectors() == 0 ? "the estimator's num_chains"
                                                                             : "the size of the model");
  return need;
}

MemoryNeed Experiment::memory() const {
  MemoryNeed need = memory_without_data(*training_.batch_size);
  double data = data_->train.bytes();
  for (const auto* part : {&data_->validation, &data_->test})
    if (*part) data += (*part)->bytes();
  need.add("the data", data, "the number of rows");
  const RunOutline outline{*model_, run_data(), 0.0};
  for (const auto& entry : observers_) entry.second->memory(outline, need);
  return need;
}

double Experiment::operations_per_update() const {
  return operations_per_epoch(*model_, *estimator_, *training_.batch_size, 1);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
