#include <harmonium/program/stack/stack_check.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/data_random.hpp>
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

/// A value that units of this kind can have; nothing where that does not follow from its name.
std::optional<float> value_of(const LatentUnits& latent) {
  const std::string kind = latent.kind();
  for (const char* at_zero : {"binary", "gaussian", "poisson"})
    if (kind == at_zero) return 0.0F;
  if (kind == "spin") return -1.0F;
  for (const char* positive : {"exponential", "gamma"})
    if (kind == positive) return 1.0F;
  return {};
}

/// What stands in for the rows that are passed up: as many as a batch has, and as many in each part that the lowest machine's data
/// have.
class StandIn {
 public:
  explicit StandIn(std::filesystem::path path) : path_(std::move(path)) {}

  void take_parts(const Value& lowest) {
    const Value* data = subtable(lowest, "data");
    if (!data) return;
    for (const char* part : {"validation", "test"}) {
      const std::string path = std::string(part) + "_path";
      const Value* file = data->find(path);
      if (data_number(lowest, part) > 0.0 || (file && file->is_string() && *file != make_value("")))
        parts_.push_back(path);
    }
  }
  /// The data of the machine that `config` configures.
  Value write(float value, std::uint64_t columns, const Value& config) const {
    const auto rows = static_cast<Index>(number_at(config, "training", "batch_size").value_or(100.0));
    RowWriter<float> file(path_, rows, columns);
    const std::vector<float> row(columns, value);
    for (Index r = 0; r < rows; ++r) file.write({row.data(), 1, columns, columns});
    file.commit();
    Value data = make_table({{"type", make_value("npy")}, {"path", make_value(path_.string())}});
    for (const std::string& part : parts_) data.set(part, make_value(path_.string()));
    return data;
  }

 private:
  std::filesystem::path path_;
  std::vector<std::string> parts_;  ///< "validation_path" and "test_path", or one of them, or none
};

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

std::vector<std::string> check_stack(const std::vector<Value>& configs, const LastTraining& last,
                                     const TrainRequest& request) {
  const ScratchSpace scratch;
  StandIn stand_in(scratch.path() / "rows.npy");
  std::vector<std::string> unchecked;
  Value tables;
  tables.data = Value::List{};
  for (std::size_t k = 0; k < configs.size(); ++k) {
    TrainRequest own = request;
    own.config = configs[k];
    own.display = nullptr;
    if (k > 0) {
      const auto below = latent_units(configs[k - 1]);
      const std::optional<float> value = below ? value_of(*below) : std::nullopt;
      if (!value || !own.config.find("model")) {
        unchecked.push_back(
            fmt::format("machine {} of {} is not checked before the one below it is trained: what that "
                        "passes up does not follow from its configuration.",
                        k + 1, configs.size()));
        continue;
      }
      own.config.set("data", stand_in.write(*value, below->number, own.config));
      observe_units(*below, own.config);
    }
    const std::string part = fmt::format("Machine {} of {}", k + 1, configs.size());
    const AssembledRun run = assembled(own, part);
    if (!run.holes_in.empty())
      throw CapabilityError(
          fmt::format("{} ({}. Nothing was started.)", why_holes_pass_nothing_up(run.holes_in, "RUN"), part));
    std::get<Value::List>(tables.data).push_back(*run.config.find("model"));
    if (k == 0) stand_in.take_parts(run.config);
  }
  const auto check_last = [&](Value config, const std::string& part) {
    TrainRequest own = request;
    own.config = std::move(config);
    own.display = nullptr;
    assembled(own, part);
  };
  for (std::size_t phase = 0; phase < last.joint.size(); ++phase)
    check_last(last.joint[phase], phase == 0
                                      ? "The training of all layers, [joint]"
                                      : fmt::format("Phase {} of the training of all layers, [[joint]]", phase + 1));
  if (!last.joint.empty()) return unchecked;
  if (std::get<Value::List>(tables.data).size() < configs.size()) return unchecked;
  JoinRequest whole;
  static_cast<CommonRequest&>(whole) = static_cast<const CommonRequest&>(request);
  program(precision_of_config(configs.front())).check_machines(tables, whole);
  if (last.fine_tuning) check_last(with_untied_stack(*last.fine_tuning, tables), "Fine-tuning");
  return unchecked;
}

}  // namespace v1
}  // namespace harmonium
