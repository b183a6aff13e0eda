// An observer that writes what the others measured as an event file of TensorBoard.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/plugin/plugin.hpp>
#include <harmonium/framework/training/observer.hpp>

#include "event_file.hpp"

using namespace harmonium;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

struct TensorBoardOptions {
  std::string path;

  void bind(OptionBinder& o) {
    o.option("path", path, "the event file; TensorBoard wants 'tfevents' in its name; must be given");
  }
  void validate() const {
    if (path.find("tfevents") == std::string::npos)
      throw ConfigError("'path' must be given and have 'tfevents' in its name, as in \"board/events.out.tfevents.1\".");
  }
};

/// At the end of each epoch: every number that the observers before it measured, over updates, with the learning rate and
/// the gradient's norm of the last update. A run that goes on from a checkpoint cuts the file back to what it was then. The
/// times in it are the only thing that a repeated run writes otherwise.
class TensorBoard final : public Observer {
 public:
  using Options = TensorBoardOptions;
  explicit TensorBoard(Options options) : options_(std::move(options)) {}

  Verdict iterated(const Iteration& update) override {
    rate_ = update.rate;
    gradient_norm_ = update.gradient_norm;
    return Verdict::go_on;
  }

  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override {
    std::vector<std::pair<std::string, double>> scalars(record.begin(), record.end());
    scalars.emplace_back("learning_rate", rate_);
    scalars.emplace_back("update_gradient_norm", gradient_norm_);
    std::string text;
    if (written_ == 0) text = tensorboard::record_of(tensorboard::first_event(now()));
    text += tensorboard::record_of(tensorboard::scalars_event(now(), static_cast<std::int64_t>(end.update), scalars));
    append(text);
    return Verdict::go_on;
  }

  void state(StateArchive& archive) override {
    archive.field("written", written_);
    archive.field("rate", rate_);
    archive.field("gradient_norm", gradient_norm_);
  }

 private:
  void append(const std::string& text) {
    const std::filesystem::path path(options_.path);
    const auto fail = [&](const std::string& why) {
      throw FileError(fmt::format("observer 'tensorboard': {}: cannot be written: {}", options_.path, why));
    };
    std::error_code error;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
    if (error) fail(error.message());
    if (written_ > 0) {
      if (const auto size = std::filesystem::file_size(path, error); error || size < written_)
        fail("it is shorter than this run has written. Put it back, or name another file.");
      std::filesystem::resize_file(path, written_, error);
      if (error) fail(error.message());
    }
    std::ofstream file(path, std::ios::binary | (written_ > 0 ? std::ios::app : std::ios::trunc));
    file << text << std::flush;
    if (!file) fail(std::strerror(errno));
    written_ += text.size();
  }

  Options options_;
  std::uint64_t written_ = 0;  ///< bytes of the file
  double rate_ = 0.0, gradient_norm_ = 0.0;
};

void enroll(Registries& registries) {
  registries.of<Observer>().add<TensorBoard>("tensorboard",
                                             "what the others measured, as an event file of TensorBoard");
}

}  // namespace

HARMONIUM_PLUGIN("tensorboard", "0.1.0", "event files of TensorBoard", enroll);
