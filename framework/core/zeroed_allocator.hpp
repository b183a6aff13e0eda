#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace harmonium {
inline namespace v1 {

/// For vectors that are made once, by their size: their elements are zero, and the system gives out no memory for them
/// until they are written. (A vector that shrinks and grows again would see what it held.)
template <class T>
struct ZeroedAllocator {
  using value_type = T;

  ZeroedAllocator() = default;
  template <class U>
  explicit ZeroedAllocator(const ZeroedAllocator<U>&) {}

  T* allocate(std::size_t n) {
    void* memory = std::calloc(n, sizeof(T));  // checks the product
    if (!memory) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  template <class U>
  void construct(U*) noexcept {}
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }

  bool operator==(const ZeroedAllocator&) const { return true; }
};

}  // namespace v1
}  // namespace harmonium
