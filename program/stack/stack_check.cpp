#include <harmonium/program/stack/stack_check.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/scratch_folder.hpp>
#include <harmonium/program/stack/fine_tuning.hpp>
#include <harmonium/program/stack/latent_units.hpp>
#include <harmonium/program/work/holes_below.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::optional<double> number_at(const Value& config, const char* table, const char* option) {
  const Value* section = config.find(table);
  const Value* value = section ? section->find(option) : nullptr;
  return value ? value->number() : std::nullopt;
}

/// Whether a row of zeros may stand for these units.
bool may_be_zero(const LatentUnits& latent) { return latent.kind() == "binary" || latent.kind() == "gaussian"; }

/// As many rows of zeros as a batch has.
Value stand_in(const std::string& path, std::uint64_t columns, const Value& config) {
  const auto rows = static_cast<Index>(number_at(config, "training", "batch_size").value_or(100.0));
  RowWriter<float> file(path, rows, columns);
  const std::vector<float> zeros(columns);
  for (Index r = 0; r < rows; ++r) file.write({zeros.data(), 1, columns, columns});
  file.commit();
  return make_table({{"type", make_value("npy")}, {"path", make_value(path)}});
}

/// The run that `request` asks for, which is `part` of a stack.
AssembledRun assembled(const TrainRequest& request, const std::string& part) {
  const auto told = [&](const Error& error) {
    return fmt::format("{} ({}. Nothing was started.)", error.what(), part);
  };
  try {
    return program(precision_of_config(request.config)).assemble(request);
  } catch (const ConfigError& error) {
    throw ConfigError(told(error));
  } catch (const CapabilityError& error) {
    throw CapabilityError(told(error));
  }
}

}  // namespace

void check_stack(const std::vector<Value>& configs, const LastTraining& last, const TrainRequest& request) {
  const ScratchSpace scratch;
  Value tables;
  tables.data = Value::List{};
  for (std::size_t k = 0; k < configs.size(); ++k) {
    TrainRequest own = request;
    own.config = configs[k];
    own.display = nullptr;
    if (k > 0) {
      const auto below = latent_units(configs[k - 1]);
      if (!below || !may_be_zero(*below) || !own.config.find("model")) continue;
      own.config.set("data", stand_in((scratch.path() / "rows.npy").string(), below->number, own.config));
      observe_units(*below, own.config);
    }
    const std::string part = fmt::format("Machine {} of {}", k + 1, configs.size());
    const AssembledRun run = assembled(own, part);
    if (!run.holes_in.empty())
      throw CapabilityError(
          fmt::format("{} ({}. Nothing was started.)", why_holes_pass_nothing_up(run.holes_in, "RUN"), part));
    std::get<Value::List>(tables.data).push_back(*run.config.find("model"));
  }
  const auto check_last = [&](Value config, const char* part) {
    TrainRequest own = request;
    own.config = std::move(config);
    own.display = nullptr;
    assembled(own, part);
  };
  if (last.joint) return check_last(*last.joint, "The training of all layers, [joint]");
  if (std::get<Value::List>(tables.data).size() < configs.size()) return;
  JoinRequest whole;
  static_cast<CommonRequest&>(whole) = static_cast<const CommonRequest&>(request);
  program(precision_of_config(configs.front())).check_machines(tables, whole);
  if (last.fine_tuning) check_last(with_untied_stack(*last.fine_tuning, tables), "Fine-tuning");
}

}  // namespace v1
}  // namespace harmonium
