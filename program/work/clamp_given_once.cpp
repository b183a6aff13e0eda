#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/clamp.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void Clamp::check_given_once() const {
  for (const LayerId l : layout_->ids()) {
    std::vector<const Fixed*> givers((*layout_)[l].size, nullptr);
    for (const Fixed& f : fixed_)
      for (Index u = f.begin; f.layer == l && u < f.end; ++u) {
        if (givers[u])
          throw ConfigError(fmt::format("--clamp {}: unit {}[{}] is given by {} already. Give each unit once.",
                                        f.entry.given, (*layout_)[l].name, u, givers[u]->entry.given));
        givers[u] = &f;
      }
  }
}

void Clamp::check_beside_rows() const {
  if (!rows_ || fixed_.empty()) return;
  std::vector<std::uint8_t> held(rows_->cols());
  for (Index r = 0; r < rows_->rows(); ++r) {
    held_columns(r, held);
    const std::uint8_t* first = held.data();  // of a layer
    for (const LayerId l : layout_->ids(layout_->observed())) {
      const Layer& layer = (*layout_)[l];
      if (layer.name == label_layer && !has_labels()) continue;
      const Index width = layer.unit->width();
      for (const Fixed& f : fixed_) {
        if (f.layer != l) continue;
        const std::uint8_t *const end = first + f.end * width, *const seen = std::find(first + f.begin * width, end,
                                                                                       std::uint8_t{1});
        if (seen == end) continue;
        throw ConfigError(fmt::format(
            "--clamp {}: unit {}[{}] is given by row {} (counted from 0) of {} already. Give each unit once: leave "
            "one of the two out, or add --clamp '{}=free', which leaves the file's out.",
            f.entry.given, layer.name, static_cast<Index>(seen - first) / width, r, file_,
            f.entry.text.substr(0, f.entry.text.rfind('='))));
      }
      first += layer.columns();
    }
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
