#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/studies/study_parts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

class Registries;

/// A question that many runs answer: parts, each kept as soon as it is made, and what is made of all of them at the end.
/// The caller keeps the folder: a study that was broken off goes on with the parts that are missing, and one that is made
/// again writes the same bytes. A study is made from its options and runs in double precision only.
class Study {
 public:
  static constexpr const char* kind = "study";
  virtual ~Study() = default;

  /// Settles what the options leave open, and throws what is wrong before anything is computed or written. Called once,
  /// before all that follows but `files` and `is_part`. Returns the effective configuration; `own` is that of the options.
  virtual Value begin(const Registries&, Value own) { return own; }
  /// Names of the files that `report` writes: no other study can have written them.
  virtual StudyFiles files() const = 0;
  /// Whether a study of this kind, with these options or with other seeds, keeps a part under `name`.
  virtual bool is_part(const std::string& name) const = 0;
  /// Whether components of plugins can take part in it.
  virtual bool takes_plugins() const { return true; }
  /// What to say before it starts, such as that there will be no figures; empty: nothing.
  virtual std::string remark() const { return {}; }
  /// What parts are called in messages.
  virtual const char* called() const { return "runs"; }

  /// The names of all parts, in the order in which they are reported.
  virtual std::vector<std::string> parts() const = 0;
  /// Makes what is missing, by `parts.make`. Throws Stopped once a signal came.
  virtual void make(StudyParts& parts, const Registries& registries) const = 0;
  /// Writes tables and figures into `folder`, once all parts are made, and returns the findings for a terminal.
  virtual std::string report(const StudyParts& parts, const std::filesystem::path& folder) const = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
