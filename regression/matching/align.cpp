#include "regression/matching/align.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>
#include <tuple>
#include <utility>

#include "regression/matching/offset.hpp"
#include "regression/statistics/robust.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// The brightest sources of both catalogues, with which a change of the whole catalogue is searched.
class AlignmentSamples {
 public:
  AlignmentSamples(Positions reference, Positions other, double radius);

  /// Whether the matching radius is a usable size for vote().
  bool can_vote() const { return reach_.x > 0 && std::isfinite(reach_.x); }
  std::int64_t smaller() const { return std::min(reference_.size(), other_.size()); }

  /// match() undoes the change in the new positions and returns the matches, count() the number of matches.
  Matches match(const Alignment& alignment) const {
    return match_sources(reference_, undone(other_, alignment), radius_, 1);
  }
  std::int64_t count(const Alignment& alignment) const { return std::ssize(match(alignment).reference); }

  /// Returns the change with the offset (dx, dy) under which most sources match.
  Alignment vote(Alignment alignment) const;

  /// The probability that a source matches by chance under this change. Measured by additional shifts of 3 to 8 radii,
  /// with the sources that are still inside the reference's field.
  double chance(const Alignment& alignment) const;

 private:
  Offset reach_for(const Alignment& alignment) const {
    return axes_of(alignment).swapped ? Offset{reach_.y, reach_.x} : reach_;
  }

  Positions reference_, other_;
  double radius_;
  Offset reach_{};  // matching radius along the reference's x and y
};

double median_sigma(const Positions& positions) {
  std::vector<double> sigma(positions.sigma.begin(), positions.sigma.end());
  std::erase_if(sigma, [](double value) { return !std::isfinite(value) || value < 0; });
  return median_of(sigma);
}

AlignmentSamples::AlignmentSamples(Positions reference, Positions other, double radius)
    : reference_(std::move(reference)), other_(std::move(other)), radius_(radius) {
  if (!reference_.sigma.empty() && !other_.sigma.empty()) {
    reach_.x = reach_.y = radius * std::hypot(median_sigma(reference_), median_sigma(other_));
  } else {
    reach_.x = reach_.y = radius;
  }
  if (reference_.frame == Frame::pixel) return;
  constexpr double degree = std::numbers::pi / 180;
  std::vector<double> dec = reference_.y;
  for (double& value : dec) value = std::abs(value);
  // The radius in degrees of right ascension at the median absolute declination. Limited, since the radius would be
  // infinite at a pole.
  reach_.x /= std::max(1e-3, std::cos(median_of(dec) * degree));
}

Alignment AlignmentSamples::vote(Alignment alignment) const {
  if (is_unit(alignment.change)) return alignment;
  // Each pair of a reference source and a new source votes for the four squares that contain the pair's offset. Squares
  // are two radii wide and one radius apart, so offsets that differ by less than one radius share at least one square.
  struct Vote {
    double column, row;
    Offset offset;
    bool operator<(const Vote& v) const { return std::tie(column, row) < std::tie(v.column, v.row); }
  };
  const Offset reach = reach_for(alignment);
  std::vector<Vote> votes;
  votes.reserve(4 * reference_.x.size() * other_.x.size());
  for (std::size_t i = 0; i < reference_.x.size(); ++i) {
    for (std::size_t j = 0; j < other_.x.size(); ++j) {
      const Offset offset = excess(reference_, i, other_, j, alignment);
      if (!std::isfinite(offset.x) || !std::isfinite(offset.y)) continue;
      const double column = std::floor(offset.x / reach.x), row = std::floor(offset.y / reach.y);
      for (const double right : {0, 1}) {
        for (const double up : {0, 1}) votes.push_back({column + right, row + up, offset});
      }
    }
  }
  std::stable_sort(votes.begin(), votes.end());
  std::vector<Offset> most;
  for (auto begin = votes.begin(), end = begin; begin != votes.end(); begin = end) {
    end = std::find_if(begin, votes.end(), [&](const Vote& vote) { return *begin < vote; });
    if (static_cast<std::size_t>(end - begin) <= most.size()) continue;
    most.clear();
    std::transform(begin, end, std::back_inserter(most), [](const Vote& vote) { return vote.offset; });
  }
  if (most.empty()) return alignment;
  add_median(alignment, most);
  for (int round = 0; round < 2; ++round) refine(alignment, reference_, other_, match(alignment));
  return alignment;
}

double AlignmentSamples::chance(const Alignment& alignment) const {
  const auto place = [&](const Positions& positions, std::size_t row) {
    // Relative to the first row, so that a field across right ascension 0 is not split.
    return excess(reference_, 0, positions, row, {});
  };
  Offset low{0, 0}, high{0, 0};
  for (std::size_t row = 0; row < reference_.x.size(); ++row) {
    const Offset at = place(reference_, row);
    low = {std::min(low.x, at.x), std::min(low.y, at.y)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y)};
  }
  const Positions fitting = undone(other_, alignment);
  // Start from 1, since 100 trials without a match do not prove that the probability is 0.
  std::size_t met = 1, tried = 1;
  for (int k = 0; k < 100; ++k) {
    const double away = 3 + k / 20.0, angle = 2 * std::numbers::pi * std::numbers::phi * k;
    const Alignment off{Change::shift, away * reach_.x * std::cos(angle), away * reach_.y * std::sin(angle)};
    const Positions there = undone(fitting, off);
    met += match_sources(reference_, there, radius_, 1).reference.size();
    for (std::size_t row = 0; row < there.x.size(); ++row) {
      const Offset at = place(there, row);
      tried += low.x <= at.x && at.x <= high.x && low.y <= at.y && at.y <= high.y ? 1 : 0;
    }
  }
  return std::min(1.0, static_cast<double>(met) / static_cast<double>(tried));
}

constexpr std::size_t sample_size = 200;  // number of brightest rows of each catalogue whose pairs vote

/// Changes to try, from likely to unlikely. If two changes match equally many sources, as on a regular grid, the first
/// change is chosen.
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

/// The first rows of `rank` that have a position, at most sample_size, and one for each position.
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

/// Whether a change matches significantly more sources than no change. If position errors are as large as the radius,
/// fitting a shift alone gains about the square root of the number of matches.
bool is_markedly_more(std::int64_t changed, std::int64_t unchanged) {
  const auto count = static_cast<double>(changed);
  return static_cast<double>(changed - unchanged) >= std::max({5.0, 2 * std::sqrt(count), count / 20});
}

std::int64_t rows_somewhere(const Positions& positions) {
  std::int64_t count = 0;
  for (std::size_t row = 0; row < positions.x.size(); ++row) count += is_somewhere(positions, row) ? 1 : 0;
  return count;
}

/// Finds a change with the brightest sources: the first in the list of changes with at least 95 % of the most matches.
Alignment find_in_samples(const AlignmentSamples& samples, Frame frame, int threads) {
  // About 1e5 offsets are tried, so 7 sigma leave a probability below 1e-6 for an accidental match.
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
  // One pair does not count, since every offset that is tried matches the pair that gave the offset.
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

  const std::int64_t unchanged = std::ssize(match_sources(reference, other, radius, threads).reference);
  const Matches matches = match_sources(reference, undone(other, alignment), radius, threads);
  const std::int64_t smaller = std::min(rows_somewhere(reference), rows_somewhere(other));
  const std::int64_t changed = std::ssize(matches.reference);
  if (2 * changed < smaller || !is_markedly_more(changed, unchanged)) return {};
  refine(alignment, reference, other, matches);
  return alignment;
}

}  // namespace srcextract
