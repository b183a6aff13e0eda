#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/holes_below.hpp>
#include <harmonium/program/work/transposed_start.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_at_once = 2000;  // what is in memory beside the data does not grow with it

class Passage {
 public:
  Passage(const PassUpRequest& request, const Registries& builtin)
      : request_(request),
        header_(read_model_header(request.model)),
        registries_(with_plugins(builtin, request, header_)),
        model_(load_model(request.model, header_, registries_)),
        executor_(request.threads, request.stop),
        random_(random_of(request, header_.config)) {
    const LayerSet latent = model_->layout().latent();
    if (latent.empty() || model_->layout().ids(latent).size() > 1 || !posterior_factorizes(*model_))
      throw CapabilityError(fmt::format(
          "{}: below the top a stack takes machines with one latent layer, whose units are independent given the data.",
          request.model));
    layer_ = model_->layout().ids(latent).front();
    if (!request.doubled) return;
    model_->update_parameters([&](std::span<Real> theta) {
      for (const ParameterBlock& b : model_->parameter_layout().blocks())
        if (is_coupling(b))
          for (Real& w : theta.subspan(b.offset, b.size())) w *= Real{2};
    });
  }
  PassedUp go();

 private:
  const Layer& layer() const { return model_->layout()[layer_]; }
  /// Whether draws of the layer can be made anew in each epoch, from their means.
  bool drawn_each_epoch() const { return request_.draws && layer().unit->name() == "binary"; }
  std::string file(const std::string& name) const {
    return (std::filesystem::path(request_.folder) / (name + ".npy")).string();
  }
  /// Writes the layer given each row of a part of the data; returns the path.
  Value write(const Dataset& data, const std::string& part);
  Value next_data();

  const PassUpRequest& request_;
  ModelHeader header_;
  Registries registries_;
  std::unique_ptr<EnergyModel> model_;
  Executor executor_;
  RandomSource random_;
  LayerId layer_{};
};

Value Passage::write(const Dataset& data, const std::string& part) {
  if (data.has_missing())
    throw CapabilityError(
        why_holes_pass_nothing_up(data.name(), std::filesystem::path(request_.model).parent_path().string()));
  const RandomSource random = random_.child("pass_up").child(part);
  RowWriter<Real> out(file(part), data.rows(), layer().columns());
  for (Index first = 0; first < data.rows(); first += rows_at_once) {
    const Index count = std::min(rows_at_once, data.rows() - first);
    const Chains rows = rows_of(data, model_->layout(), first, count, 0);
    Posterior posterior;
    if (request_.draws && !drawn_each_epoch()) {
      Chains drawn(model_->layout(), count, static_cast<std::uint32_t>(first));
      posterior.sample(*model_, rows, random, drawn, executor_);
      out.write(drawn.read(layer_));
    } else {
      out.write(posterior.moments(*model_, rows, executor_).mean[layer_]);
    }
    executor_.check_stop();
  }
  out.commit();
  return make_value(file(part));
}

Value Passage::next_data() {
  const DataSplits splits = load_own_splits(request_.model, header_.config, model_->layout(), registries_);
  Value data = make_table({{"type", make_value("npy")}, {"path", write(splits.train, "train")}});
  if (splits.validation) data.set("validation_path", write(*splits.validation, "validation"));
  if (splits.test) data.set("test_path", write(*splits.test, "test"));
  if (splits.train.weighted()) {
    write_npy_vector(file("weights"), splits.train.weights());
    data.set("weights", make_value(file("weights")));
  }
  if (drawn_each_epoch()) {
    data.set("binarize", make_value("each_epoch"));
    Value range;
    range.data = Value::List{make_value(0.0), make_value(1.0)};
    data.set("range", std::move(range));
  }
  return data;
}

PassedUp Passage::go() {
  std::filesystem::create_directories(request_.folder);
  PassedUp passed{request_.next};
  passed.config.set("data", next_data());
  Value model = *passed.config.find("model");
  model.set("num_visible", make_value(static_cast<std::int64_t>(layer().size)));
  Value units = layer().unit->configuration();
  model.set("visible_units", units.is_empty() ? make_value(std::string(layer().unit->name())) : std::move(units));
  passed.config.set("model", model);
  if (!request_.transposed || passed.config.find("start_from")) return passed;
  const std::string start = (std::filesystem::path(request_.folder) / "start.h5").string();
  passed.transposed = write_transposed_start(*model_, header_.config, model, start, registries_);
  if (passed.transposed)  // a machine turned over has not learned the next one's rows
    passed.config.set("start_from",
                      make_table({{"path", make_value(start)}, {"burn_in", make_value(std::int64_t{0})}}));
  return passed;
}

}  // namespace

PassedUp pass_up(const PassUpRequest& request, const Registries& builtin) { return Passage(request, builtin).go(); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
