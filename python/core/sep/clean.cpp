#include "python/core/sep/clean.hpp"

#include <cmath>
#include <numeric>

#include "stages/clean/clean_profile.hpp"
#include "stages/clean/shared_absorbers.hpp"
#include "stages/core/stop.hpp"
#include "stages/measure/area_correction.hpp"

namespace srcextract::python {
namespace {

/// Like profile_of() (stages/clean/profile_of.hpp), but uses the mean threshold of the object, since thresholds may
/// vary.
CleanProfile profile_of_row(const SepObject& row, const CleanFacts& facts, double beta) {
  CleanProfile profile{};
  // NaN axes: the moments form no ellipse. As in SEP, the object absorbs nothing. The large length puts the object near
  // all others.
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

/// Profiles that have a position and a size, sorted into the cells of a grid.
class ProfileGrid {
 public:
  ProfileGrid(const std::vector<CleanProfile>& profiles, const Shape& image)
      : cells_(image), begin_(static_cast<std::size_t>(cells_.cells()) + 1, 0) {
    const auto for_each_cell = [&](const auto& body) {
      for (std::size_t i = 0; i < profiles.size(); ++i)
        if (can_be_found(profiles[i]))
          body(i, static_cast<std::size_t>(cells_.cell_of(cells_.layer_of(profiles[i]), profiles[i])));
    };
    for_each_cell([&](std::size_t, std::size_t cell) { ++begin_[cell + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    members_.resize(begin_.back());
    std::vector<std::size_t> next(begin_);
    for_each_cell([&](std::size_t i, std::size_t cell) { members_[next[cell]++] = i; });
  }

  /// Calls body(i) for every profile that may reach `small`, and for some that do not.
  template <class Body>
  void for_each_near(const CleanProfile& small, const Body& body) const {
    for (int layer = 0; layer < cells_.layers(); ++layer)
      cells_.for_each_row(layer, small, [&](std::int64_t first, std::int64_t end) {
        for (std::size_t i = begin_[static_cast<std::size_t>(first)]; i < begin_[static_cast<std::size_t>(end)]; ++i)
          body(members_[i]);
      });
  }

 private:
  AbsorberCells cells_;
  /// By cell: index in members_ of the cell's first profile; the last element is the end.
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> members_;
};

}  // namespace

std::vector<std::uint8_t> find_survivors(const std::vector<SepObject>& rows, std::span<const CleanFacts> facts,
                                         double beta, const Shape& image) {
  const std::size_t count = rows.size();
  std::vector<CleanProfile> profiles;
  for (std::size_t i = 0; i < count; ++i) profiles.push_back(profile_of_row(rows[i], facts[i], beta));
  const ProfileGrid grid(profiles, image);
  std::vector<std::uint8_t> survives(count, 1);
  const auto flux = [&](std::size_t i) { return static_cast<float>(rows[i].cflux); };
  for (std::size_t one = 0; one < count; ++one) {
    constexpr std::size_t compared_at_a_time = 256;
    if (one % compared_at_a_time == 0) stop_if_asked();
    const CleanProfile& profile = profiles[one];
    if (survives[one] == 0 || !can_be_found(profile)) continue;
    grid.for_each_near(profile, [&](std::size_t other) {
      if (other <= one || survives[other] == 0) return;
      const bool is_brighter = flux(other) < flux(one);
      const std::size_t big = is_brighter ? one : other, small = is_brighter ? other : one;
      if (can_absorb(profiles[big], profiles[small], beta)) survives[small] = 0;
    });
  }
  return survives;
}

}  // namespace srcextract::python
