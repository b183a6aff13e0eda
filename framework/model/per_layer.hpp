#pragma once

#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Something for each layer of a layout, in their order: asked for by the layer, or by its position.
template <class T>
class PerLayer : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator[];

  T& operator[](LayerId layer) { return (*this)[at(layer)]; }
  const T& operator[](LayerId layer) const { return (*this)[at(layer)]; }

 private:
  Index at(LayerId layer) const {
    HARMONIUM_ASSERT(static_cast<Index>(layer) < this->size());
    return static_cast<Index>(layer);
  }
};

}  // namespace v1
}  // namespace harmonium
