#include <harmonium/framework/training/shard_bytes.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Values one after another; the ranks of a run are of one program on processors of one kind.
class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(const T& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof(T));
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(values.size());
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof(T));
  }
  void operator()(const std::string& text) { (*this)(std::vector<char>(text.begin(), text.end())); }

  std::vector<std::byte> bytes;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}
  bool done() const { return left_.empty(); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& value) {
    std::memcpy(&value, left_.data(), sizeof(T));
    left_ = left_.subspan(sizeof(T));
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    std::size_t size = 0;
    (*this)(size);
    values.resize(size);
    if (size > 0) std::memcpy(values.data(), left_.data(), size * sizeof(T));
    left_ = left_.subspan(size * sizeof(T));
  }
  void operator()(std::string& text) {
    std::vector<char> chars;
    (*this)(chars);
    text.assign(chars.begin(), chars.end());
  }

 private:
  std::span<const std::byte> left_;
};

template <class Way, class T, class Body>
void optional(Way& way, T& value, const Body& body) {
  bool there = value.has_value();
  way(there);
  if constexpr (!std::is_const_v<T>) {
    if (there && !value) value.emplace();
  }
  if (there) body(*value);
}

// Both ways through one function, so that they cannot differ. `report` is constant in writing.
template <class Way, class P>
void pass_phase(Way& way, P& phase) {
  way(phase.exact);
  way(phase.method);
  way(phase.iterations);
  way(phase.sampler.acceptance);
  way(phase.sampler.proposed);
  way(phase.sampler.min_acceptance);
  optional(way, phase.sampler.ladder, [&](auto& ladder) {
    way(ladder.betas);
    way(ladder.proposed);
    way(ladder.accepted);
    way(ladder.round_trips);
  });
  optional(way, phase.bound, [&](auto& bound) { way(bound); });
  optional(way, phase.meetings, [&](auto& meetings) { way(meetings); });
}

template <class Way, class R>
void pass_report(Way& way, R& entry) {
  way(entry.weight);
  way(entry.rows);
  pass_phase(way, entry.report.positive);
  pass_phase(way, entry.report.negative);
  optional(way, entry.report.loss, [&](auto& loss) { way(loss); });
  way(entry.report.slope);
  way(entry.report.proper);
}

void add_phase(PhaseReport& sum, const PhaseReport& next, double share) {
  sum.iterations = std::max(sum.iterations, next.iterations);
  sum.sampler.add(next.sampler);
  if (next.meetings) {
    if (!sum.meetings) sum.meetings.emplace();
    sum.meetings->add(*next.meetings);
  }
  if (sum.bound && next.bound) *sum.bound += share * (*next.bound - *sum.bound);
}

}  // namespace

std::vector<std::byte> to_bytes(const std::vector<ShardReport>& reports) {
  ByteWriter writer;
  for (const ShardReport& entry : reports) {
    pass_report(writer, entry);
    writer(entry.report.own.size());
    for (const auto& [name, value] : entry.report.own) {
      writer(name);
      writer(value);
    }
  }
  return std::move(writer.bytes);
}

std::vector<ShardReport> reports_of(std::span<const std::byte> bytes) {
  std::vector<ShardReport> reports;
  ByteReader reader(bytes);
  while (!reader.done()) {
    ShardReport& entry = reports.emplace_back();
    pass_report(reader, entry);
    std::size_t own = 0;
    reader(own);
    entry.report.own.resize(own);
    for (auto& [name, value] : entry.report.own) {
      reader(name);
      reader(value);
    }
  }
  return reports;
}

GradientEstimator::Report merged(const std::vector<ShardReport>& reports) {
  GradientEstimator::Report sum = reports.front().report;
  double weight = reports.front().weight;
  Index rows = reports.front().rows;
  for (Index s = 1; s < reports.size(); ++s) {
    const ShardReport& entry = reports[s];
    const GradientEstimator::Report& next = entry.report;
    weight += entry.weight;
    rows += entry.rows;
    // Rows that all weigh nothing count alike, as they do within a shard.
    const double share =
        weight > 0.0 ? entry.weight / weight : static_cast<double>(entry.rows) / static_cast<double>(rows);
    add_phase(sum.positive, next.positive, share);
    add_phase(sum.negative, next.negative, share);
    if (sum.loss && next.loss) *sum.loss += *next.loss;
    for (Index k = 0; k < sum.own.size(); ++k) {
      double& mean = sum.own[k].second;
      mean += share * (next.own[k].second - mean);  // stays what it is where all are alike
    }
  }
  return sum;
}

std::vector<std::byte> to_bytes(const StateArchive::Fields& fields) {
  ByteWriter writer;
  for (const auto& [name, field] : fields) {
    writer(name);
    writer(field.index());
    std::visit([&](const auto& values) { writer(values); }, field);
  }
  return std::move(writer.bytes);
}

StateArchive::Fields fields_of(std::span<const std::byte> bytes) {
  StateArchive::Fields fields;
  ByteReader reader(bytes);
  const auto read = [&]<class T>(std::vector<T> values) {
    reader(values);
    return StateArchive::Field(std::move(values));
  };
  while (!reader.done()) {
    std::string name;
    std::size_t type = 0;
    reader(name);
    reader(type);
    switch (type) {
      case 0: fields[name] = read(std::vector<double>()); break;
      case 1: fields[name] = read(std::vector<float>()); break;
      case 2: fields[name] = read(std::vector<std::uint64_t>()); break;
      default: fields[name] = read(std::vector<std::uint8_t>());
    }
  }
  return fields;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
