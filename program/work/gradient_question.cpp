#include <harmonium/program/work/gradient_question.hpp>

#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/data_spec.hpp>
#include <harmonium/program/work/gradient_file.hpp>
#include <harmonium/program/work/own_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

GradientQuestion::GradientQuestion(const GradientRequest& request, const Registries& builtin)
    : header(read_model_header(request.model)),
      registries(with_plugins(builtin, request, header)),
      random(random_of(request, header.config)) {
  const Value options = command_options(request.set, {"data", "estimator", "against"});
  if (!request.output.empty()) check_gradient_file(request.output);
  const DataArgument given = data_argument(request.data, options, registries);
  if (!request.output.empty()) check_output(request.output, {request.model, given.file});
  if (request.against.empty() && options.find("against"))
    throw ConfigError("--set against.NAME: nothing is compared. Add --against NAME, such as --against exact.");
  // Mistakes in either are told before files are read.
  spec = component_spec(options, "estimator", request.estimator);
  Value unused;
  asked = registries.make<GradientEstimator>(spec, unused);
  if (!request.against.empty())
    against = registries.make<GradientEstimator>(component_spec(options, "against", request.against), unused);
  model = load_model(request.model, header, registries);
  const Value data_value = data_spec(header, model->layout(), given.file, given.options, request.display);
  if (data_value.is_table()) {
    data = load_rows(request.model, data_value, model->layout(), registries, random.child("data"));
    tell_of_states(*data, model->layout(), request.display);
    tell_of_rows_at_random(data_value, *data, request.display);
  } else {
    if (!request.own_data)
      throw ConfigError("gradient: no data is given. Add --data FILE, or say what to make with --set data.type=NAME.");
    data = rows_of_run(request);
  }
  asked->check(*model);
  if (against) against->check(*model);
}

Dataset GradientQuestion::rows_of_run(const GradientRequest& request) {
  Dataset train =
      own_data(request.model, header.config, model->layout(), registries, "Name other rows by --data FILE.").train;
  if (train.has_missing())
    throw CapabilityError("gradient: entries are missing in the run's own data. Name complete rows by --data FILE.");
  own_rows = train.rows();
  return train;
}

void GradientQuestion::check_memory(Index together) const {
  // θ, and in double the mean, the squares and what they are compared with; of each repeat the estimate and its negative.
  const Layout& layout = model->layout();
  const auto entries = static_cast<double>(model->parameter_layout().size());
  const auto beside = static_cast<double>(together);
  const auto cells = static_cast<double>(data->rows()) * static_cast<double>(layout.columns(layout.all()));
  MemoryNeed need;
  need.add("the parameters and gradients", entries * (sizeof(Real) + 3 * sizeof(double)), "");
  need.add("the estimates side by side", beside * entries * (sizeof(Real) + 2 * sizeof(double)), "--threads");
  need.add("the data", data->bytes(), "the rows of the data");
  need.add("the rows as one batch and their posterior", 3.0 * cells * sizeof(Real), "the rows of the data");
  for (Index i = 0; i < together; ++i) asked->memory(*model, data->rows(), need);
  if (against) against->memory(*model, data->rows(), need);
  need.check("the gradient");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
