#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/testing/comparisons.hpp>
#include <harmonium/framework/testing/term_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Fields against what the energy does when one unit goes to another value: E(x) − E(x') = f · (x' − x).
void check_exact_fields(const TermSubject& s) {
  Comparisons worst;
  for (const LayerId l : s.layout.ids()) {
    if (!s.term().layers().contains(l)) continue;
    const std::vector<double> fields = s.exact_fields(l, s.rows), before = s.energies(s.rows);
    const Index width = s.layout[l].unit->width(), columns = s.layout[l].columns();
    for (Index u = 0; u < s.layout[l].size; ++u) {
      const Chains moved = s.with_unit(l, u);
      const std::vector<double> after = s.energies(moved);
      for (Index r = 0; r < s.rows.size(); ++r) {
        double change = 0.0;
        for (Index c = u * width; c < (u + 1) * width; ++c)
          change += fields[r * columns + c] *
                    (static_cast<double>(moved.read(l)(r, c)) - static_cast<double>(s.rows.read(l)(r, c)));
        worst.compare(change, before[r] - after[r], s.bound(),
                      [&] { return fmt::format("layer '{}', unit {}: field times change of the unit", s.name(l), u); });
      }
    }
  }
  s.report.judge("exact fields against energies", worst.complaint("from energies before and after"), worst.summary());
}

/// Fields as sampling asks for them: some columns, some rows, added to what is there.
void check_own_fields(const TermSubject& s) {
  Comparisons worst;
  constexpr Index first = 2;
  for (const LayerId l : s.layout.ids()) {
    if (!s.term().layers().contains(l)) continue;
    const Index all = s.layout[l].columns();
    const std::vector<double> exact = s.exact_fields(l, s.rows);
    for (const std::pair<Index, Index>& part :
         {std::pair<Index, Index>{0, all}, {all / 2, all}, {all / 3, all / 3 + 1}}) {
      const Index begin = part.first, end = part.second;
      for (const Real keep : {Real{0}, Real{1}, Real{0.5}}) {
        const Index wide = end - begin, high = s.rows.size() - first;
        std::vector<Real> out(high * wide, keep == 0 ? std::numeric_limits<Real>::quiet_NaN() : Real{2});
        s.term().add_fields(l, begin, end, {s.rows, first, s.rows.size()}, s.model.theta(), keep,
                            {out.data(), high, wide, wide});
        for (Index i = 0; i < out.size(); ++i)
          worst.compare(static_cast<double>(out[i]),
                        static_cast<double>(keep) * 2.0 + exact[(first + i / wide) * all + begin + i % wide], s.bound(),
                        [&] {
                          return fmt::format("layer '{}', column {} of [{}, {}), keep = {}", s.name(l),
                                             begin + i % wide, begin, end, keep);
                        });
      }
    }
  }
  s.report.judge("fields for any columns", worst.complaint("from the exact fields"), worst.summary());
}

void check_layers_alone(const TermSubject& s) {
  std::string complaint;
  const std::vector<double> before = s.energies(s.rows);
  for (const LayerId l : s.layout.ids()) {
    if (!complaint.empty() || s.term().layers().contains(l)) continue;
    if (s.energies(s.with_layer(l)) != before)
      complaint = fmt::format("its energy goes by layer '{}', which is not one of its layers", s.name(l));
  }
  s.report.judge("layers", complaint, "the energy goes by its layers alone");
}

void check_couplings(const TermSubject& s) {
  std::string complaint;
  for (const LayerId a : s.layout.ids()) {
    const std::vector<double> before = s.exact_fields(a, s.rows);
    for (const LayerId b : s.layout.ids()) {
      if (!complaint.empty()) break;
      if (s.term().couples(a, b) != s.term().couples(b, a))
        complaint = fmt::format("it says differently whether '{}' and '{}' are coupled, by which is named first",
                                s.name(a), s.name(b));
      else if (!s.term().couples(a, b) && s.exact_fields(a, s.with_layer(b)) != before)
        complaint = fmt::format("the fields of '{}' change with the units of '{}', which it says it does not couple",
                                s.name(a), s.name(b));
    }
  }
  s.report.judge("which layers it couples", complaint, "fields change with the layers that it says it couples");
}

/// A unit's field must go by its neighbors only, and never by itself.
void check_unit_neighbors(const TermSubject& s) {
  std::string complaint;
  for (const LayerId l : s.layout.ids()) {
    std::vector<std::vector<std::uint32_t>> neighbors(s.layout[l].size);
    const bool known = s.term().add_neighbors(l, neighbors);
    const Index width = s.layout[l].unit->width(), columns = s.layout[l].columns();
    const std::vector<double> before = s.exact_fields(l, s.rows);
    for (Index v = 0; v < s.layout[l].size && complaint.empty(); ++v) {
      const std::vector<double> after = s.exact_fields(l, s.with_unit(l, v));
      for (Index i = 0; i < before.size() && complaint.empty(); ++i) {
        const Index u = i % columns / width;
        const bool may = u != v && (!known || std::ranges::find(neighbors[u], v) != neighbors[u].end());
        if (before[i] != after[i] && !may)
          complaint = u == v ? fmt::format("the field of unit {} of '{}' goes by the unit itself", u, s.name(l))
                             : fmt::format("the field of unit {} of '{}' goes by unit {}, not named as its neighbor", u,
                                           s.name(l), v);
      }
    }
  }
  s.report.judge("neighbors", complaint, "the field of a unit goes by its neighbors alone, and not by itself");
}

}  // namespace

void check_term_fields(const TermSubject& s) {
  check_exact_fields(s);
  check_own_fields(s);
  check_layers_alone(s);
  check_couplings(s);
  check_unit_neighbors(s);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
