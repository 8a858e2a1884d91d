#include "regression/statistics/spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "regression/statistics/pieces.hpp"
#include "stages/math/splitmix64.hpp"

namespace srcextract {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// With at most this many values, no sample is drawn and all values are considered.
constexpr std::size_t few = std::size_t{1} << 15;

/// A range of values in which the value of a given rank is searched.
struct Bracket {
  double low = -infinite, high = infinite;
};

/// The range that most likely contains the value of this rank, from 0, among the `known` values that are not NaN.
/// Estimated from ranks in a random sample, with a margin of four standard deviations of these ranks on either side.
template <class Of>
Bracket bracket_of(std::span<const double> values, std::size_t known, std::size_t rank, const Of& of) {
  constexpr std::int64_t samples = 1 << 13;
  constexpr double sigmas = 4;
  if (known <= few) return {};
  std::vector<double> sample;
  for (std::int64_t i = 0; i < samples; ++i) {
    const double value = of(values[splitmix64(i) % values.size()]);
    if (!std::isnan(value)) sample.push_back(value);
  }
  std::sort(sample.begin(), sample.end());
  const double count = static_cast<double>(sample.size());
  const double at = count * static_cast<double>(rank) / static_cast<double>(known);
  const double reach = sigmas * std::sqrt(count) / 2 + 1;
  Bracket bracket;
  if (at - reach > 0) bracket.low = sample[static_cast<std::size_t>(at - reach)];
  if (at + reach < count - 1) bracket.high = sample[static_cast<std::size_t>(at + reach)];
  return bracket;
}

/// Two values of successive ranks.
struct Neighbours {
  double before, at;
};

struct Counted {
  std::size_t below = 0, equal = 0;
  std::vector<double> within;
};

/// The values of ranks `rank` - 1 and `rank`, or nothing if the bracket does not contain both. If the bracket is a
/// single value, equal values are only counted, since there may be millions.
template <class Of>
std::optional<Neighbours> find_in(const Bracket& bracket, std::span<const double> values, std::size_t rank,
                                  const Of& of, int threads) {
  const double low = bracket.low, high = bracket.high;  // Clang 14 cannot capture structured bindings in a lambda
  const bool one_value = low == high;
  // Without branches, which the processor could not predict: a value outside the bracket is also written, and then
  // overwritten by the next value.
  const auto count = [&](std::size_t begin, std::size_t end, Counted& counted) {
    constexpr std::size_t block = 512;
    std::array<double, block> within;
    for (std::size_t i = begin; i < end; i += block) {
      std::size_t below = 0, inside = 0;
      for (const double stored : values.subspan(i, std::min(block, end - i))) {
        const double value = of(stored);
        below += static_cast<std::size_t>(value < low);
        within[inside] = value;
        inside += static_cast<std::size_t>(value >= low) & static_cast<std::size_t>(value <= high);
      }
      counted.below += below;
      if (one_value)
        counted.equal += inside;
      else
        counted.within.insert(counted.within.end(), within.begin(),
                              within.begin() + static_cast<std::ptrdiff_t>(inside));
    }
  };
  const std::vector<Counted> pieces = by_pieces<Counted>(values.size(), threads, count);
  std::size_t below = 0, equal = 0, within = 0;
  for (const Counted& piece : pieces) {
    below += piece.below;
    equal += piece.equal;
    within += piece.within.size();
  }
  const bool needs_before = rank > 0;
  if (rank < below + needs_before || rank >= below + equal + within) return std::nullopt;
  if (one_value) return Neighbours{low, low};
  std::vector<double> all;
  all.reserve(within);
  for (const Counted& piece : pieces) all.insert(all.end(), piece.within.begin(), piece.within.end());
  const auto place = all.begin() + static_cast<std::ptrdiff_t>(rank - below);
  std::nth_element(all.begin(), place, all.end());
  return Neighbours{place == all.begin() ? *place : *std::max_element(all.begin(), place), *place};
}

/// The median of of(value) over the `known` values that are not NaN.
template <class Of>
double middle_of(std::span<const double> values, std::size_t known, const Of& of, int threads) {
  if (known == 0) return not_known;
  const std::size_t rank = known / 2;
  std::optional<Neighbours> found = find_in(bracket_of(values, known, rank, of), values, rank, of, threads);
  if (!found) found = find_in({}, values, rank, of, threads);
  if (!found) return not_known;  // differences of infinite values are NaN, so fewer values than `known` may be found
  return known % 2 == 1 ? found->at : found->before + (found->at - found->before) / 2;
}

/// Number of values that are not NaN.
std::size_t known_of(std::span<const double> values, int threads) {
  const auto count = [&](std::size_t begin, std::size_t end, std::size_t& known) {
    for (const double value : values.subspan(begin, end - begin)) known += !std::isnan(value);
  };
  std::size_t all = 0;
  for (const std::size_t known : by_pieces<std::size_t>(values.size(), threads, count)) all += known;
  return all;
}

}  // namespace

double median_of(std::span<const double> values, int threads) {
  return middle_of(values, known_of(values, threads), std::identity(), threads);
}

Spread spread_of(std::span<const double> values, int threads) {
  const std::size_t known = known_of(values, threads);
  const double median = middle_of(values, known, std::identity(), threads);
  const auto deviation = [=](double value) { return std::abs(value - median); };
  return {median, 1.4826 * middle_of(values, known, deviation, threads)};
}

std::vector<double> sorted(std::span<const double> values, int threads) {
  std::vector<double> result(values.begin(), values.end());
  std::erase_if(result, [](double value) { return std::isnan(value); });
  // Sorts blocks in parallel, then merges pairs of blocks.
  std::int64_t block = std::max<std::int64_t>(piece_of_values, std::ssize(result) / std::max(threads, 1) + 1);
  const std::int64_t size = std::ssize(result);
  parallel_for(size, block, Cpu{threads},
               [&](std::int64_t begin, std::int64_t end) { std::sort(result.begin() + begin, result.begin() + end); });
  for (; block < size; block *= 2) {
    parallel_for(size, 2 * block, Cpu{threads}, [&](std::int64_t begin, std::int64_t end) {
      if (end - begin > block)
        std::inplace_merge(result.begin() + begin, result.begin() + begin + block, result.begin() + end);
    });
  }
  return result;
}

}  // namespace srcextract
