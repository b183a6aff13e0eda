#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Numbers in a row, read only: a vector of their own, or a stretch of a file that is mapped into memory, which stays
/// mapped for as long as any copy lives. Copies share what they hold.
template <class T>
class NumberArray {
 public:
  using value_type = T;

  NumberArray() = default;
  // A vector of numbers is one.
  // NOLINTNEXTLINE(google-explicit-constructor)
  NumberArray(std::vector<T> own) {
    const auto kept = std::make_shared<const std::vector<T>>(std::move(own));
    data_ = kept->data();
    size_ = kept->size();
    keeper_ = kept;
  }
  NumberArray(std::shared_ptr<const void> keeper, const T* data, Index size)
      : keeper_(std::move(keeper)), data_(data), size_(size), mapped_(true) {}

  const T* data() const { return data_; }
  Index size() const { return size_; }
  const T& operator[](Index i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  /// Whether they lie in a mapped file: pages of memory that the system takes back when it needs them.
  bool mapped() const { return mapped_; }

 private:
  std::shared_ptr<const void> keeper_;
  const T* data_ = nullptr;
  Index size_ = 0;
  bool mapped_ = false;
};

}  // namespace v1
}  // namespace harmonium
