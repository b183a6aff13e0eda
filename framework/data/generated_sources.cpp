#include <utility>

#include <harmonium/framework/data/generators.hpp>
#include <harmonium/framework/data/sources.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

DataSplits split_generated(Table table, const char* name, const SplitOptions& options, const RandomSource& random) {
  return split(Dataset(std::move(table), name), options, random.child("split"));
}

}  // namespace

void BarsAndStripes::Options::bind(OptionBinder& o) {
  o.option("side", side, "pixels along each side of the square image", within(1, 12));
  split.bind(o);
}
BarsAndStripes::BarsAndStripes(Options options) : options_(options) { options_.validate(); }
DataSplits BarsAndStripes::load(const RandomSource& random) const {
  return split_generated(bars_and_stripes(options_.side), "bars_and_stripes", options_.split, random);
}

void Diagonal::Options::bind(OptionBinder& o) {
  o.option("size", size, "pixels of a sample", within(1, 4096));
  split.bind(o);
}
Diagonal::Diagonal(Options options) : options_(options) { options_.validate(); }
DataSplits Diagonal::load(const RandomSource& random) const {
  return split_generated(diagonal(options_.size), "diagonal", options_.split, random);
}

void OneDBall::Options::bind(OptionBinder& o) {
  o.option("size", size, "pixels of a sample, on a ring", within(3, 256));
  split.bind(o);
}
OneDBall::OneDBall(Options options) : options_(options) { options_.validate(); }
DataSplits OneDBall::load(const RandomSource& random) const {
  return split_generated(one_d_ball(options_.size), "one_d_ball", options_.split, random);
}

void LabeledShifter::Options::bind(OptionBinder& o) {
  o.option("bits", bits, "bits of the pattern", within(2, 16));
  split.bind(o);
}
LabeledShifter::LabeledShifter(Options options) : options_(options) { options_.validate(); }
DataSplits LabeledShifter::load(const RandomSource& random) const {
  return split_generated(labeled_shifter(options_.bits), "labeled_shifter", options_.split, random);
}

}  // namespace v1
}  // namespace harmonium
