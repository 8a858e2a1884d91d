#include "python/core/sep/clean.hpp"

#include <cmath>

#include "stages/clean/clean_profile.hpp"
#include "stages/clean/profile_grid.hpp"
#include "stages/core/stop.hpp"
#include "stages/measure/area_correction.hpp"

namespace srcextract::python {
namespace {

/// As stages/clean/profile_of.hpp, but with the source's mean threshold if thresholds vary.
CleanProfile profile_of_row(const SepObject& row, const CleanFacts& facts, double beta) {
  CleanProfile profile{};
  // Moments that form no ellipse: as in SEP the source absorbs nothing, and with infinite length it is near all others.
  constexpr double everywhere = 1e6;
  const double a = std::isnan(row.a) ? everywhere : row.a, b = std::isnan(row.b) ? 0 : row.b;
  profile.x = row.x;
  profile.y = row.y;
  profile.cxx = static_cast<float>(row.cxx);
  profile.cyy = static_cast<float>(row.cyy);
  profile.cxy = static_cast<float>(row.cxy);
  profile.a = static_cast<float>(a);
  profile.limit = facts.limit;
  const auto threshold = static_cast<float>(row.thresh);
  const IsophoteCounts counts{threshold, static_cast<float>(row.peak), row.tnpix, facts.above_half};
  const double correction = threshold > 0 ? area_correction(counts, a, b) : 1;
  set_wings(profile, row.cflux, row.npix, static_cast<float>(b), correction, threshold, beta);
  return profile;
}

}  // namespace

std::vector<std::uint8_t> find_survivors(const std::vector<SepObject>& rows, std::span<const CleanFacts> facts,
                                         double beta) {
  // The grid finds profiles of lower numbers, so they are numbered backwards from the last row.
  const std::size_t count = rows.size();
  std::vector<CleanProfile> profiles;
  for (std::size_t i = count; i-- > 0;) profiles.push_back(profile_of_row(rows[i], facts[i], beta));
  const ProfileGrid grid(profiles);
  std::vector<std::uint8_t> survives(count, 1);
  const auto flux = [&](std::size_t number) { return static_cast<float>(rows[count - 1 - number].cflux); };
  for (std::size_t one = count; one-- > 0;) {  // from the first row on
    constexpr std::size_t compared_at_a_time = 256;
    if (one % compared_at_a_time == 0) stop_if_asked();
    const CleanProfile& profile = profiles[one];
    if (survives[one] == 0 || !can_be_found(profile)) continue;
    grid.for_each_before(static_cast<std::int32_t>(one), profile, [&](std::int32_t number) {
      const auto other = static_cast<std::size_t>(number);
      if (survives[other] == 0) return;
      const bool is_brighter = flux(other) < flux(one);
      const std::size_t big = is_brighter ? one : other, small = is_brighter ? other : one;
      if (can_eat(profiles[big], profiles[small], beta)) survives[small] = 0;
    });
  }
  return {survives.rbegin(), survives.rend()};
}

SepObjects keep_survivors(const SepObjects& objects, const std::vector<std::uint8_t>& survives) {
  SepObjects left;
  left.run_begin.push_back(0);
  for (std::size_t i = 0; i < survives.size(); ++i) {
    if (survives[i] == 0) continue;
    left.rows.push_back(objects.rows[i]);
    const std::span<const Run> runs = objects.runs_of(i);
    left.runs.insert(left.runs.end(), runs.begin(), runs.end());
    left.run_begin.push_back(std::ssize(left.runs));
  }
  return left;
}

}  // namespace srcextract::python
