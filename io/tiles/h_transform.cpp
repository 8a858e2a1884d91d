#include "io/tiles/h_transform.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "stages/core/vector_clones.hpp"

// Coefficients from a file can have any value, so that sums may overflow. Therefore h_transform.cpp is compiled with
// -fwrapv, which defines overflow to wrap.

namespace srcextract {
namespace {

/// Rounds the stored differences of a level, numbered from 0 for the level that yields pixels. Differences along one
/// axis are rounded to multiples of `twice_bit`, differences along both axes to multiples of `bit`.
template <class Coefficient>
struct Level {
  Coefficient bit, twice_bit;
  int shift;  ///< bits to shift an output value right: 2 for pixels (level 0), 1 for the sums of other levels

  explicit Level(int number)
      : bit(static_cast<Coefficient>(Coefficient{1} << number)),
        twice_bit(static_cast<Coefficient>(Coefficient{2} << number)),
        shift(number == 0 ? 2 : 1) {}

  Coefficient rounded(Coefficient difference) const {
    return (difference + (difference >= 0 ? bit : bit - 1)) & -twice_bit;
  }
  Coefficient rounded_of_both(Coefficient difference) const {
    const Coefficient up = bit >> 1;
    return (difference + (difference >= 0 || up == 0 ? up : up - 1)) & -bit;
  }
};

/// One row of each of the four quadrants, and the two rows of values that they yield.
template <class Coefficient, class Out>
struct RowPair {
  const Coefficient *means, *across, *down, *both;
  Out *upper, *lower;
};

template <class Coefficient, class Out>
SRCEXTRACT_VECTOR_CLONES void combine_squares(RowPair<Coefficient, Out> rows, std::int64_t count,
                                              Level<Coefficient> level) {
  for (std::int64_t x = 0; x < count; ++x) {
    Coefficient mean = rows.means[x];
    const Coefficient both = level.rounded_of_both(rows.both[x]);
    const Coefficient low = both & level.bit;
    Coefficient down = level.rounded(rows.down[x]), across = level.rounded(rows.across[x]);
    down += down >= 0 ? -low : low;
    across += across >= 0 ? -low : low;
    const Coefficient second = (both ^ down ^ across) & level.twice_bit;
    mean += mean >= 0 ? low - second : low == 0 ? second : low - second;
    rows.upper[2 * x] = static_cast<Out>((mean - down - across + both) >> level.shift);
    rows.upper[2 * x + 1] = static_cast<Out>((mean - down + across - both) >> level.shift);
    rows.lower[2 * x] = static_cast<Out>((mean + down - across - both) >> level.shift);
    rows.lower[2 * x + 1] = static_cast<Out>((mean + down + across + both) >> level.shift);
  }
}

/// Computes two values from a sum and one difference, at an edge where only one row or one column is left.
template <class Coefficient, class Out>
void combine_two(Coefficient mean, Coefficient stored, const Level<Coefficient>& level, Out& first, Out& second) {
  const Coefficient difference = level.rounded(stored), low = difference & level.twice_bit;
  mean += mean >= 0 ? -low : low;
  first = static_cast<Out>((mean - difference) >> level.shift);
  second = static_cast<Out>((mean + difference) >> level.shift);
}

template <class Coefficient>
Coefficient clamped(Coefficient value, Coefficient low, Coefficient high) {
  return low < high ? std::max(std::min(value, high), low) : value;
}

/// Returns the step that moves a difference towards wanted / 2^bits, rounded towards 0 and at most `most` in size.
template <class Coefficient>
Coefficient correction(Coefficient wanted, Coefficient difference, int bits, Coefficient most) {
  const Coefficient off = wanted - (difference << bits);
  const Coefficient step = (off >= 0 ? off : off + (Coefficient{1} << bits) - 1) >> bits;
  return std::max(std::min(step, most), static_cast<Coefficient>(-most));
}

/// The four quadrants of coefficients of a level, as HTransform describes them.
template <class Coefficient>
struct Quadrants {
  const Coefficient* means;           ///< sums of the blocks, in contiguous rows
  std::int64_t mean_columns, stride;  ///< row lengths of `means`, and of the other three quadrants
  Coefficient *across, *down, *both;

  Coefficient mean(std::int64_t y, std::int64_t x) const { return means[y * mean_columns + x]; }

  /// Moves a difference towards an eighth of `after` - `before`, the sums of the neighbouring blocks, by at most
  /// `most`. Changes nothing if the sum `here` of the block itself is a local extreme.
  static void even_out(Coefficient& difference, Coefficient before, Coefficient here, Coefficient after,
                       Coefficient most) {
    const Coefficient high = std::max(std::min(after - here, here - before), Coefficient{0}) << 2;
    const Coefficient low = std::min(std::max(after - here, here - before), Coefficient{0}) << 2;
    if (low >= high) return;
    difference += correction(clamped<Coefficient>(after - before, low, high), difference, 3, most);
  }

  void even_out_both(std::int64_t y, std::int64_t x, Coefficient most) const {
    constexpr Coefficient none = 0;
    const Coefficient here = mean(y, x), twice_down = down[y * stride + x] << 1,
                      twice_across = across[y * stride + x] << 1;
    const Coefficient upper_left = mean(y - 1, x - 1) - here, upper_right = here - mean(y - 1, x + 1),
                      lower_left = here - mean(y + 1, x - 1), lower_right = mean(y + 1, x + 1) - here;
    const Coefficient sum = twice_down + twice_across, change = twice_down - twice_across;
    const Coefficient high = std::min(std::min(std::max(lower_right, none) - sum, std::max(lower_left, none) + change),
                                      std::min(std::max(upper_right, none) - change, std::max(upper_left, none) + sum))
                             << 4;
    const Coefficient low = std::max(std::max(std::min(lower_right, none) - sum, std::min(lower_left, none) + change),
                                     std::max(std::min(upper_right, none) - change, std::min(upper_left, none) + sum))
                            << 4;
    if (low >= high) return;
    const Coefficient bend = lower_right + upper_left + upper_right + lower_left;
    Coefficient& difference = both[y * stride + x];
    difference += correction(clamped<Coefficient>(bend, low, high), difference, 6, most);
  }
};

/// Applies the smoothing of HCOMPRESS_1 to the differences of a level with `rows` x `columns` values, except at the
/// edges.
template <class Coefficient>
void even_out(const Quadrants<Coefficient>& of, std::int64_t rows, std::int64_t columns, Coefficient most) {
  for (std::int64_t y = 0; 2 * y < rows; ++y) {
    const bool inner_row = y > 0 && 2 * y < rows - 2;
    for (std::int64_t x = 0; 2 * x < columns; ++x) {
      const bool inner_column = x > 0 && 2 * x < columns - 2;
      const std::int64_t at = y * of.stride + x;
      if (inner_row) of.even_out(of.down[at], of.mean(y - 1, x), of.mean(y, x), of.mean(y + 1, x), most);
      if (inner_column) of.even_out(of.across[at], of.mean(y, x - 1), of.mean(y, x), of.mean(y, x + 1), most);
      if (inner_row && inner_column) of.even_out_both(y, x, most);
    }
  }
}

/// Computes the values of a level, `rows` x `columns`, from its quadrants.
template <class Coefficient, class Out>
void combine(const Quadrants<Coefficient>& of, std::int64_t rows, std::int64_t columns, Level<Coefficient> level,
             Out* out) {
  const std::int64_t squares = columns / 2;
  const bool odd = columns % 2 != 0;
  for (std::int64_t y = 0; y < (rows + 1) / 2; ++y) {
    const std::int64_t at = y * of.stride;
    const Coefficient* const means = of.means + y * of.mean_columns;
    Out *const upper = out + 2 * y * columns, *const lower = upper + columns;
    if (2 * y + 1 < rows) {
      combine_squares<Coefficient, Out>({means, of.across + at, of.down + at, of.both + at, upper, lower}, squares,
                                        level);
      if (odd) combine_two(means[squares], of.down[at + squares], level, upper[columns - 1], lower[columns - 1]);
      continue;
    }
    for (std::int64_t x = 0; x < squares; ++x)
      combine_two(means[x], of.across[at + x], level, upper[2 * x], upper[2 * x + 1]);
    if (odd) upper[columns - 1] = static_cast<Out>(means[squares] >> level.shift);
  }
}

std::int64_t length_at(std::int64_t length, int level) {
  return (length + (std::int64_t{1} << level) - 1) >> level;
}

}  // namespace

template <class Coefficient>
bool HTransform<Coefficient>::invert(std::span<Coefficient> coefficients, std::span<std::int32_t> pixels) const {
  const auto levels = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(rows, columns) - 1)));
  if (levels + 1 >= std::numeric_limits<Coefficient>::digits) return false;
  if (scale > 1) {
    for (Coefficient& coefficient : coefficients) coefficient *= scale;
  }
  if (levels == 0) {
    pixels[0] = static_cast<std::int32_t>(coefficients[0]);
    return true;
  }
  const Coefficient root = coefficients[0], whole = Coefficient{2} << levels, up = whole / 2;
  std::vector<Coefficient> means{static_cast<Coefficient>((root + (root >= 0 ? up : up - 1)) & -whole)}, next;
  for (int number = levels - 1; number >= 0; --number) {
    const std::int64_t height = length_at(rows, number), width = length_at(columns, number);
    const std::int64_t half_width = (width + 1) / 2;
    Coefficient *const across = coefficients.data() + half_width, *const down =
                                                                      coefficients.data() + (height + 1) / 2 * columns;
    const Quadrants<Coefficient> of{.means = means.data(),
                                    .mean_columns = half_width,
                                    .stride = columns,
                                    .across = across,
                                    .down = down,
                                    .both = down + half_width};
    if (smooth && scale > 1) even_out<Coefficient>(of, height, width, static_cast<Coefficient>(scale >> 1));
    if (number == 0) {
      combine(of, height, width, Level<Coefficient>(number), pixels.data());
    } else {
      next.resize(static_cast<std::size_t>(height * width));
      combine(of, height, width, Level<Coefficient>(number), next.data());
      std::swap(means, next);
    }
  }
  return true;
}

template struct HTransform<std::int32_t>;
template struct HTransform<std::int64_t>;

}  // namespace srcextract
