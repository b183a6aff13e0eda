#pragma once

#include <harmonium/framework/data/sources.hpp>

namespace harmonium {
inline namespace v1 {

/// A folder of PNG pictures of one size; its subfolders, where it has them, are classes.
class PngSource final : public DataSource {
 public:
  struct Options : FileDataOptions {
    void bind(OptionBinder& o);
  };
  explicit PngSource(Options options);
  DataSplits load(const RandomSource& random) const override;
  Value resolved(const Value& effective, const DataSplits& loaded) const override;

 private:
  Options options_;
};

}  // namespace v1
}  // namespace harmonium
