#include "regression/matching/align.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "regression/matching/align_samples.hpp"
#include "regression/matching/offset.hpp"
#include "regression/statistics/robust.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

constexpr std::size_t sample_size = 200;  // brightest rows per side, whose pairs vote

/// Possible changes, likelier ones first. The first wins where positions cannot distinguish two (a regular grid).
std::vector<Alignment> candidates(Frame frame) {
  if (frame == Frame::sky) {
    return {{Change::shift}, {Change::flip_x}, {Change::flip_y}, {Change::swap}, {Change::hours}, {Change::radians}};
  }
  return {{Change::shift},
          {Change::flip_x},
          {Change::flip_y},
          {Change::rotate_180},
          {Change::swap},
          {Change::swap_flip, 0, 0, true, false},
          {Change::swap_flip, 0, 0, false, true},
          {Change::swap_flip, 0, 0, true, true}};
}

bool is_somewhere(const Positions& positions, std::size_t row) {
  return std::isfinite(positions.x[row]) && std::isfinite(positions.y[row]);
}

/// The most reliable rows with a position, one for each place.
Positions sample_of(const Positions& positions, const std::vector<std::int64_t>& rank) {
  Positions sample{positions.frame, {}, {}, {}};
  std::set<std::pair<double, double>> places;
  for (const std::int64_t ranked : rank) {
    const auto row = static_cast<std::size_t>(ranked);
    if (!is_somewhere(positions, row) || !places.emplace(positions.x[row], positions.y[row]).second) continue;
    sample.x.push_back(positions.x[row]);
    sample.y.push_back(positions.y[row]);
    if (!positions.sigma.empty()) sample.sigma.push_back(positions.sigma[row]);
    if (places.size() == sample_size) break;
  }
  return sample;
}

/// Whether a change matches significantly more sources than no change. If the noise reaches the radius, a fitted shift
/// gains about the square root by itself.
bool is_markedly_more(std::int64_t changed, std::int64_t unchanged) {
  const auto count = static_cast<double>(changed);
  return static_cast<double>(changed - unchanged) >= std::max({5.0, 2 * std::sqrt(count), count / 20});
}

std::int64_t rows_somewhere(const Positions& positions) {
  std::int64_t count = 0;
  for (std::size_t row = 0; row < positions.x.size(); ++row) count += is_somewhere(positions, row) ? 1 : 0;
  return count;
}

/// Change from the brightest sources: the likeliest one that matches nearly as many as the best.
Alignment find_in_samples(const AlignmentSamples& samples, Frame frame, int threads) {
  // About 1e5 offsets are tried, so this leaves less than 1e-6 for an accident.
  constexpr double significance = 7;
  const std::int64_t unchanged = samples.count({});
  if (!is_markedly_more(samples.smaller(), unchanged)) return {};
  std::vector<Alignment> changes = candidates(frame);
  std::vector<std::int64_t> counts(changes.size());
  parallel_for(static_cast<std::int64_t>(changes.size()), 1, Cpu{threads}, [&](std::int64_t begin, std::int64_t) {
    const auto i = static_cast<std::size_t>(begin);
    changes[i] = samples.vote(changes[i]);
    counts[i] = samples.count(changes[i]);
  });
  const std::int64_t most = *std::max_element(counts.begin(), counts.end());
  const auto chosen = std::find_if(counts.begin(), counts.end(), [&](auto count) { return 20 * count >= 19 * most; });
  const Alignment& change = changes[static_cast<std::size_t>(chosen - counts.begin())];
  if (!is_markedly_more(*chosen, unchanged)) return {};
  // Any tried offset matches one pair by construction.
  const double sigma = sigma_of_count(*chosen - 1, samples.smaller() - 1, samples.chance(change));
  return sigma >= significance ? change : Alignment{};
}

}  // namespace

Alignment find_alignment(const Positions& reference, const std::vector<std::int64_t>& reference_rank,
                         const Positions& other, const std::vector<std::int64_t>& other_rank, double radius,
                         int threads) {
  const AlignmentSamples samples(sample_of(reference, reference_rank), sample_of(other, other_rank), radius);
  if (!samples.can_vote() || samples.smaller() < 2) return {};
  Alignment alignment = find_in_samples(samples, reference.frame, threads);
  if (alignment.change == Change::none) return alignment;

  const auto count = [](const Matches& matches) { return static_cast<std::int64_t>(matches.reference.size()); };
  const std::int64_t unchanged = count(match_sources(reference, other, radius, threads));
  const Matches matches = match_sources(reference, undone(other, alignment), radius, threads);
  const std::int64_t smaller = std::min(rows_somewhere(reference), rows_somewhere(other));
  if (2 * count(matches) < smaller || !is_markedly_more(count(matches), unchanged)) return {};
  refine(alignment, reference, other, matches);
  return alignment;
}

}  // namespace srcextract
