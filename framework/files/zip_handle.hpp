#pragma once

#include <memory>

#include <zip.h>

namespace harmonium {
inline namespace v1 {

/// Closes a zip archive without writing to it.
struct DiscardZip {
  void operator()(zip_t* archive) const { ::zip_discard(archive); }
};
using ZipHandle = std::unique_ptr<zip_t, DiscardZip>;

}  // namespace v1
}  // namespace harmonium
