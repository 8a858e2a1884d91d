#include "stages/clean/find_eaters.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "stages/clean/profile_grid.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// Number of sources, consecutive in brightness, that are compared at the same time with all brighter ones.
constexpr std::int64_t sources_at_a_time = 4096;
constexpr std::int64_t candidates_per_piece = 32;

constexpr std::int32_t nobody = std::numeric_limits<std::int32_t>::max();

/// Sources from the brightest to the faintest.
std::vector<std::int32_t> sort_by_flux(std::span<const CleanCandidate> sources) {
  std::vector<std::int32_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int32_t i, std::int32_t j) {
    const CleanCandidate &a = sources[static_cast<std::size_t>(i)], &b = sources[static_cast<std::size_t>(j)];
    return a.flux != b.flux ? a.flux > b.flux : a.place < b.place;
  });
  return order;
}

/// Finds the eater of each source, with sources numbered from the brightest on.
class Meals {
 public:
  Meals(std::span<const CleanProfile> profiles, std::span<const std::int32_t> places, double beta)
      : profiles_(profiles), places_(places), beta_(beta), grid_(profiles), eater_(profiles.size(), -1) {}

  /// Decides sources [begin, end). Requires that all before are decided.
  void decide(std::int32_t begin, std::int32_t end, const Cpu& where) {
    open_.resize(std::max(open_.size(), static_cast<std::size_t>(end - begin)));
    parallel_for(end - begin, candidates_per_piece, where, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t k = first; k < last; ++k)
        look_for_eaters(begin, begin + static_cast<std::int32_t>(k), open_[static_cast<std::size_t>(k)]);
    });
    for (std::int32_t j = begin; j < end; ++j)
      for (const std::int32_t i : open_[static_cast<std::size_t>(j - begin)])
        if (eater_of(i) < 0 && place_of(i) < place_of_eater(j)) eater_of(j) = i;
  }

  const std::vector<std::int32_t>& eaters() const { return eater_; }

 private:
  std::int32_t eater_of(std::int32_t j) const { return eater_[static_cast<std::size_t>(j)]; }
  std::int32_t& eater_of(std::int32_t j) { return eater_[static_cast<std::size_t>(j)]; }
  std::int32_t place_of(std::int32_t j) const { return places_[static_cast<std::size_t>(j)]; }
  std::int32_t place_of_eater(std::int32_t j) const { return eater_of(j) < 0 ? nobody : place_of(eater_of(j)); }

  /// Finds for source j the first in SExtractor's order, among the sources before `begin`, that can eat it. `open` gets
  /// the sources from `begin` on that would come before that one, if they are not eaten.
  void look_for_eaters(std::int32_t begin, std::int32_t j, std::vector<std::int32_t>& open) {
    open.clear();
    const CleanProfile& small = profiles_[static_cast<std::size_t>(j)];
    if (!can_be_found(small)) return;
    std::int32_t best = nobody;
    grid_.for_each_before(j, small, [&](std::int32_t i) {
      if (place_of(i) > best || (i < begin && eater_of(i) >= 0)) return;
      if (!can_eat(profiles_[static_cast<std::size_t>(i)], small, beta_)) return;
      if (i >= begin) {
        open.push_back(i);
      } else {
        eater_of(j) = i;
        best = place_of(i);
      }
    });
  }

  std::span<const CleanProfile> profiles_;
  std::span<const std::int32_t> places_;
  double beta_;
  ProfileGrid grid_;
  std::vector<std::int32_t> eater_;
  std::vector<std::vector<std::int32_t>> open_;  ///< per source that is being decided
};

}  // namespace

std::vector<std::int32_t> find_eaters(std::span<const CleanCandidate> sources, double beta, const Cpu& where) {
  const std::vector<std::int32_t> order = sort_by_flux(sources);
  std::vector<CleanProfile> profiles;
  std::vector<std::int32_t> places;
  for (const std::int32_t source : order) {
    profiles.push_back(sources[static_cast<std::size_t>(source)].profile);
    places.push_back(sources[static_cast<std::size_t>(source)].place);
  }
  Meals meals(profiles, places, beta);
  const std::int64_t count = std::ssize(order);
  for (std::int64_t begin = 0; begin < count; begin += sources_at_a_time)
    meals.decide(static_cast<std::int32_t>(begin),
                 static_cast<std::int32_t>(std::min(begin + sources_at_a_time, count)), where);
  std::vector<std::int32_t> eaters(sources.size(), -1);
  for (std::size_t j = 0; j < order.size(); ++j) {
    const std::int32_t eater = meals.eaters()[j];
    if (eater >= 0) eaters[static_cast<std::size_t>(order[j])] = order[static_cast<std::size_t>(eater)];
  }
  return eaters;
}

}  // namespace srcextract
