#include "stages/difference/fit/choose_stamps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

constexpr double bright_sigmas = 20, faint_sigmas = 10;
constexpr std::size_t few_stamps = 20;
constexpr int stamps_per_cell = 3;
/// Least side of a cell in pixels, and largest number of cells along the longer axis. The number is limited since the
/// polynomials of the fit need no more stamps (squares of pixels around stars) in a large field than in a small one.
constexpr std::int64_t least_cell = 102, most_cells = 12;
/// No stamp is chosen at a peak that is less than this many pixels away from a chosen stamp along both axes.
constexpr std::int64_t least_distance = 9;

/// Side in pixels of a square of masked pixels that excludes a stamp (choose_stamps).
constexpr std::int64_t group_side = 4;

/// Whether all pixels of a 4 x 4 square are masked. `first` is the square's first pixel, and `width` the width of the
/// image.
bool is_masked_group(const float* first, std::int64_t width) {
  for (std::int64_t j = 0; j < group_side; ++j)
    for (std::int64_t i = 0; i < group_side; ++i)
      if (const float pixel = first[j * width + i]; pixel == pixel) return false;
  return true;
}

SRCEXTRACT_VECTOR_CLONES
bool any_bad(const float* pixels, std::int64_t count, FrameLevel level) {
  int bad = 0;
  for (std::int64_t i = 0; i < count; ++i) bad |= level.is_bad(pixels[i]) ? 1 : 0;
  return bad != 0;
}

/// Whether there is no saturated pixel and no masked 4 x 4 square within `reach` of the stamp (choose_stamps).
bool is_clean(const LevelledFrame& frame, const Stamp& stamp, std::int64_t reach) {
  const auto [width, height] = frame.image.shape;
  const float* const pixels = frame.image.pixels.data();
  const float limit = frame.level.limit;
  const std::int64_t left = std::max<std::int64_t>(0, stamp.x - reach), right = std::min(width - 1, stamp.x + reach);
  for (std::int64_t y = std::max<std::int64_t>(0, stamp.y - reach); y <= std::min(height - 1, stamp.y + reach); ++y) {
    if (!any_bad(pixels + y * width + left, right - left + 1, frame.level)) continue;
    for (std::int64_t x = left; x <= right; ++x) {
      const float* const pixel = pixels + y * width + x;
      if (*pixel >= limit) return false;
      if (*pixel != *pixel && x + group_side <= width && y + group_side <= height && is_masked_group(pixel, width))
        return false;
    }
  }
  return true;
}

bool is_inside(const Shape& shape, const Stamp& stamp, std::int64_t margin) {
  return stamp.x >= margin && stamp.y >= margin && stamp.x < shape.width - margin && stamp.y < shape.height - margin;
}

/// The stamps chosen so far, in a grid of cells over the frame.
class Cells {
 public:
  explicit Cells(const Shape& shape)
      : side_(std::max(least_cell, (std::max(shape.width, shape.height) + most_cells - 1) / most_cells)),
        across_(shape.width / side_ + 1),
        down_(shape.height / side_ + 1),
        cells_(static_cast<std::size_t>(across_ * down_)) {}

  bool has_room(const Stamp& stamp) const { return cell(stamp).count < stamps_per_cell; }
  void add(const Stamp& stamp) {
    Cell& own = cells_[index(stamp)];
    own.stamps[static_cast<std::size_t>(own.count++)] = stamp;
  }
  /// Whether every chosen stamp is at least least_distance away from this stamp along one axis.
  bool is_apart(const Stamp& stamp) const {
    const std::int64_t column = stamp.x / side_, row = stamp.y / side_;
    for (std::int64_t j = std::max<std::int64_t>(0, row - 1); j <= std::min(row + 1, down_ - 1); ++j)
      for (std::int64_t i = std::max<std::int64_t>(0, column - 1); i <= std::min(column + 1, across_ - 1); ++i)
        if (is_near(cells_[static_cast<std::size_t>(j * across_ + i)], stamp)) return false;
    return true;
  }

 private:
  struct Cell {
    std::array<Stamp, stamps_per_cell> stamps;
    int count = 0;
  };
  static bool is_near(const Cell& cell, const Stamp& stamp) {
    return std::any_of(cell.stamps.begin(), cell.stamps.begin() + cell.count, [&](const Stamp& other) {
      return std::max(std::abs(other.x - stamp.x), std::abs(other.y - stamp.y)) < least_distance;
    });
  }
  std::size_t index(const Stamp& stamp) const {
    return static_cast<std::size_t>(stamp.y / side_ * across_ + stamp.x / side_);
  }
  const Cell& cell(const Stamp& stamp) const { return cells_[index(stamp)]; }

  std::int64_t side_, across_, down_;
  std::vector<Cell> cells_;
};

Stamps choose_above(const std::vector<Peak>& peaks, double threshold, const LevelledFrame& bright,
                    const LevelledFrame& other, StampReach reach, const Cpu& where) {
  constexpr std::size_t looked_at_together = 64;
  const auto above = static_cast<std::size_t>(
      std::ranges::find_if(peaks, [&](const Peak& peak) { return static_cast<double>(peak.value) <= threshold; }) -
      peaks.begin());
  Stamps stamps{{}, static_cast<std::int64_t>(above), 0};
  Cells cells(bright.image.shape);
  for (std::size_t first = 0; first < above; first += looked_at_together) {
    const std::size_t count = std::min(looked_at_together, above - first);
    const auto may_be_stamp = [&](const Stamp& stamp) { return cells.has_room(stamp) && cells.is_apart(stamp); };
    std::array<bool, looked_at_together> clean{};
    parallel_for(static_cast<std::int64_t>(count), 4, where, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const Stamp stamp{peaks[first + i].x, peaks[first + i].y};
        clean[i] = is_inside(bright.image.shape, stamp, reach.margin) && may_be_stamp(stamp) &&
                   is_clean(bright, stamp, reach.around) && is_clean(other, stamp, reach.around);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      const Stamp stamp{peaks[first + i].x, peaks[first + i].y};
      if (!is_inside(bright.image.shape, stamp, reach.margin)) {
        ++stamps.refused;
      } else if (may_be_stamp(stamp)) {
        if (clean[i]) {
          cells.add(stamp);
          stamps.chosen.push_back(stamp);
        } else {
          ++stamps.refused;
        }
      }
    }
  }
  std::ranges::sort(stamps.chosen, [](const Stamp& a, const Stamp& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
  return stamps;
}

}  // namespace

std::vector<Peak> find_stars(const LevelledFrame& frame, const FindPeaks& find) {
  const double sigma = std::sqrt(static_cast<double>(frame.level.variance));
  return find(frame, static_cast<float>(faint_sigmas * sigma));
}

Stamps choose_stamps(const LevelledFrame& bright, const std::vector<Peak>& stars, const LevelledFrame& other,
                     StampReach reach, const Cpu& where) {
  const double sigma = std::sqrt(static_cast<double>(bright.level.variance));
  Stamps stamps = choose_above(stars, bright_sigmas * sigma, bright, other, reach, where);
  if (stamps.chosen.size() < few_stamps)
    stamps = choose_above(stars, faint_sigmas * sigma, bright, other, reach, where);
  return stamps;
}

}  // namespace srcextract
