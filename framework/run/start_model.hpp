#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The file whose model a training starts from, as the entry `start_from` of a configuration names it: a path, or a table.
/// One that is read exists, and has the checksum that was asked for.
class StartModel {
 public:
  struct Options {
    std::string path, sha256;
    Index burn_in = 10;
    void bind(OptionBinder& o);
    void validate() const;
  };

  /// The entry of `config`; none where there is no such entry. A relative path is taken from `folder`, or, where it comes
  /// from the command line, from the present one; of a folder it is the file model.h5 in it. `may_be_gone`: a file that is
  /// not there, or is another by now, is taken as unknown. Throws ConfigError.
  static std::optional<StartModel> of(const Value& config, const std::string& folder, bool may_be_gone);
  /// The entry with its path and checksum written out: the same file, or none.
  Value effective() const;
  const std::filesystem::path& path() const { return path_; }
  /// What chains that go on from one update to the next make before the first one; 0: they begin as those of a new model.
  Index burn_in() const { return burn_in_; }
  /// Whether the file is there.
  bool known() const { return known_; }

  /// Puts the file's parameters into `model`. Its layout must be that of the file, but a latent layer may have more units:
  /// the first are those of the file, the others keep the parameters that `model` has, or, where couplings among these are
  /// large (root mean square of a tensor above 0.1), small normal ones. Where the file's stack has no recognition weights of its
  /// own, those of `model` begin as the machines have them. Returns what grew: "hidden: 4 to 6 units (2 new)". Throws ConfigError that
  /// says which layer or tensor differs, DataError where the file is damaged.
  std::vector<std::string> put_into(EnergyModel& model, const Registries& registries, const Execution& execution) const;
  /// Whether rows were made into what the model observes as `own` makes them; null: they are taken as they are.
  bool same_units(const Transform* own) const;

 private:
  StartModel() = default;

  std::string place_;  ///< where the entry was written, for messages
  std::filesystem::path path_;
  std::string sha256_;
  Index burn_in_ = 0;
  bool known_ = true;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
