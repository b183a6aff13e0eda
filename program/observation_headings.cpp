#include <harmonium/program/observation_headings.hpp>

#include <map>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

using Headings = std::map<std::string, std::string>;

const Headings headings = {
    {"energy", "<E>"},
    {"energy_per_unit", "<E>/N"},
    {"specific_heat", "specific heat C/N"},
    {"magnetization", "<m>"},
    {"abs_magnetization", "<|m|>"},
    {"squared_magnetization", "<m^2>"},
    {"susceptibility", "chi/n"},
    {"abs_susceptibility", "chi/n of |m|"},
    {"binder_cumulant", "Binder"},
    {"mean", "mean"},
    {"mean_square", "<x^2>"},
    {"potts_order", "order"},
    {"potts_susceptibility", "chi/n of order"},
    {"overlap", "<q>"},
    {"abs_overlap", "<|q|>"},
    {"squared_overlap", "<q^2>"},
    {"spin_glass_susceptibility", "chi_SG/n"},
    {"overlap_binder", "Binder of q"},
    {"pair_correlation", "<s_i s_j> of pairs"},
    {"pair_delta", "<delta(s_i,s_j)> of pairs"},
    {"structure_factor", "S(k)"},
    {"correlation_length", "xi"},
    {"staggered_magnetization", "<m_s>"},
    {"staggered_abs_magnetization", "<|m_s|>"},
    {"staggered_squared_magnetization", "<m_s^2>"},
    {"staggered_susceptibility", "chi_s/n"},
    {"staggered_abs_susceptibility", "chi_s/n of |m_s|"},
    {"staggered_binder_cumulant", "Binder of m_s"},
    {"staggered_structure_factor", "S(k) of m_s"},
    {"staggered_correlation_length", "xi of m_s"},
    {"edwards_anderson", "sum <s_i>^2 / n"},
    {"link_overlap", "mean <s_i s_j>^2 of pairs"},
};

const Headings headings_of_sites = {
    {"edwards_anderson", "sum p_i(a)^2 / n"},
    {"link_overlap", "mean <delta(s_i,s_j)>^2 of pairs"},
};

}  // namespace

std::string heading_of(const Observation& found, const std::string& name) {
  const bool sites = found.units == "sites";
  if (name.starts_with("share_")) return "state " + name.substr(6);
  for (const ObservedCorrelation& c : found.temperatures.front().correlations)
    if (c.number.name == name) return fmt::format("{} at {}", sites ? "<delta(s,s')>" : "<s s'>", c.distance);
  if (sites)
    if (const auto own = headings_of_sites.find(name); own != headings_of_sites.end()) return own->second;
  const auto heading = headings.find(name);
  return heading == headings.end() ? name : heading->second;
}

}  // namespace v1
}  // namespace harmonium
