#pragma once

namespace harmonium {
inline namespace v1 {

/// While one lives, something is begun that has to be ended in order: a file that is written, the folder of a run. A
/// signal is then noted, and heard where the work can be left; else the program may end on the spot.
class UnfinishedWork {
 public:
  enum class Kind { run, file };  ///< a run may be left where it stands, for its last checkpoint; a file is not
  explicit UnfinishedWork(Kind kind = Kind::run) noexcept;
  ~UnfinishedWork();
  UnfinishedWork(const UnfinishedWork&) = delete;
  UnfinishedWork& operator=(const UnfinishedWork&) = delete;

  /// Whether any lives; these may be asked in a signal's handler.
  static bool any() noexcept;
  /// Whether a file is being written.
  static bool any_file() noexcept;

 private:
  Kind kind_;
};

}  // namespace v1
}  // namespace harmonium
