#include <harmonium/program/report/record.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/pictures/picture_index.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

std::optional<double> sum_of(const MetricsLog& log, const char* name) {
  const MetricSeries* series = log.find(name);
  if (!series) return {};
  return std::accumulate(series->values.begin(), series->values.end(), 0.0);
}

void read_times(RunRecord& record, const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "timing.jsonl", error)) return;
  const MetricsLog log = read_metrics_log(folder / "timing.jsonl");
  record.training_seconds = sum_of(log, "seconds");
  record.measuring_seconds = sum_of(log, "metrics_seconds");
  if (const MetricSeries* threads = log.find("threads")) {
    std::set<int> counts;
    for (const double count : threads->values) counts.insert(static_cast<int>(count));
    record.threads.assign(counts.begin(), counts.end());
  }
}

void read_plan(RunRecord& record, const fs::path& folder) {
  const Value* training = subtable(record.run.config, "training");
  const auto planned = [&](const char* name) {
    const Value* count = training ? training->find(name) : nullptr;
    return count ? count->number().value_or(0.0) : 0.0;
  };
  const MetricsLog& log = record.run.log;
  if (const double updates = planned("num_updates"); updates > 0.0) {
    record.planned = fmt::format("{:.0f} updates", updates);
    record.progress = std::min(1.0, static_cast<double>(log.updates) / updates);
  } else if (const double epochs = planned("num_epochs"); epochs > 0.0) {
    record.planned = fmt::format("{:.0f} epochs", epochs);
    record.progress = std::min(1.0, static_cast<double>(log.epochs) / epochs);
  }
  std::error_code error;
  const auto written = fs::last_write_time(folder / "metrics.jsonl", error);
  if (!error && record.run.state == ComparedRun::State::unfinished && log.epochs > 0)
    record.seconds_since = std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count();
}

/// The model that is looked at: the trained one, or what there is of a run that has none.
void find_model(RunRecord& record, const fs::path& folder) {
  const fs::path last_good = folder / "checkpoints" / "last_good.h5";
  std::error_code error;
  if (record.run.state == ComparedRun::State::finished) {
    record.model = (folder / "model.h5").string();
    record.model_is = "the trained model";
    return;
  }
  if (record.run.state == ComparedRun::State::diverged) {
    record.model = last_good.string();
    record.model_is = "the last good model of a run that diverged";
    return;
  }
  if (fs::exists(folder / "model.h5", error)) {
    record.model = (folder / "model.h5").string();
    record.model_is = "the model that the run ended with before it was made longer";
    return;
  }
  try {
    DrawRequest request;
    request.input = folder.string();
    record.model = program(Precision::float64).drawn_model(request);
    record.model_is = fmt::format("the checkpoint of update {}", fs::path(record.model).stem().string());
  } catch (const ConfigError&) {
    // There is no checkpoint yet.
  }
}

void read_provenance(RunRecord& record) {
  if (record.model.empty()) return;
  const ModelHeader header = read_model_header(record.model);
  const Hdf5File file = Hdf5File::open(record.model);
  for (const char* name : {"harmonium_version", "revision", "compiler", "blas", "processor", "instruction_set",
                           "products", "plugins", "data_sha256", "best_metric", "best_value", "best_epoch"})
    if (file.has_attribute(name)) {
      try {
        record.provenance.emplace_back(name, file.string_attribute(name));
      } catch (const DataError&) {
        record.provenance.emplace_back(name, fmt::format("{}", file.integer_attribute(name)));
      }
    }
  if (!header.sample_shape.empty())
    record.provenance.emplace_back("sample_shape", fmt::format("{}", fmt::join(header.sample_shape, " x ")));
}

}  // namespace

std::string content_of_file(const fs::path& path) {
  const RegularFile readable(path);
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) throw FileError(fmt::format("cannot read {}", path.string()));
  return content;
}

ReportPicture read_picture(const std::string& kind, const fs::path& path) {
  ReportPicture picture{kind, "", content_of_file(path)};
  constexpr std::string_view begin("\x89PNG\r\n\x1a\n", 8), end("IEND\xae\x42\x60\x82", 8);
  if (!picture.png.starts_with(begin) || !picture.png.ends_with(end))
    throw DataError(fmt::format("{}: this is no whole PNG file. 'harmonium draw' of the run's folder draws it anew.",
                                path.string()));
  picture.caption = caption_in(path);
  return picture;
}

RunRecord read_progress(const std::string& folder) {
  RunRecord record;
  record.run = read_run(folder);
  read_times(record, folder);
  read_plan(record, folder);
  return record;
}

RunRecord read_record(const std::string& folder) {
  RunRecord record = read_progress(folder);
  record.config = content_of_file(fs::path(folder) / "config.toml");
  find_model(record, folder);
  read_provenance(record);
  std::error_code error;
  // A run that goes on draws at epochs that are none of its checkpoints.
  for (const char* kind : report_pictures)
    if (const fs::path file = fs::path(folder) / "pictures" / fmt::format("{}.png", kind);
        record.run.state == ComparedRun::State::finished && fs::exists(file, error))
      record.pictures.push_back(read_picture(kind, file));
  return record;
}

}  // namespace v1
}  // namespace harmonium
