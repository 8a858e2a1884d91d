#include "stages/weights/interpolate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/weights/interpolate_pixel.hpp"

namespace srcextract {

namespace {

/// Number of adjacent columns that a thread fills together, row by row.
constexpr std::int64_t columns_together = 256;

/// An image whose gaps (runs of bad pixels) are filled, with its variances. The caller must hold the rows that a call
/// reads in memory (HeldRows).
struct Gaps {
  Image<float, Cpu> image, variance;
  GapRules rules;

  WeighedPixel at(std::int64_t x, std::int64_t y) const {
    const std::int64_t i = y * image.shape.width + x;
    return {image.pixels[i], variance.pixels[i]};
  }

  /// Fills the pixels of columns.size() columns, from column x on, in the rows [begin, end). Calls keep(i, pixel) with
  /// the index and the filled value of each pixel.
  template <class Keep>
  void fill(std::span<ColumnState> columns, std::int64_t x, std::int64_t begin, std::int64_t end,
            const Keep& keep) const {
    for (std::int64_t row = begin * image.shape.width; row < end * image.shape.width; row += image.shape.width)
      for (std::int64_t i = x; i < x + std::ssize(columns); ++i)
        keep(row + i, fill_pixel(image.pixels.data() + row, variance.pixels.data() + row, i, rules,
                                 columns[static_cast<std::size_t>(i - x)]));
  }
};

/// Fills gaps of an image whose rows are made on demand (rows_on_demand.hpp), one block of rows at a time. The
/// constructor reads the image once, and stores the states of the columns before each block. After that, each block can
/// be filled without the others.
class GapStates {
  static_assert(sizeof(ColumnState) == 2 * sizeof(float) + sizeof(std::int32_t));  // no padding, since memcmp compares
                                                                                   // states

 public:
  GapStates(Gaps gaps, const Cpu& where) : gaps_(std::move(gaps)), block_rows_(gaps_.image.rows->block_rows()) {
    const auto [width, height] = gaps_.image.shape;
    std::vector<ColumnState> columns(static_cast<std::size_t>(width));
    for (std::int64_t y = 0; y < height; y += block_rows_) {
      const std::int64_t end = std::min(y + block_rows_, height);
      const HeldRows held(gaps_.image, y - 1, end), of_variance(gaps_.variance, y - 1, end);
      blocks_.push_back(unusual(columns, y));
      parallel_for(width, columns_together, where, [&](std::int64_t first, std::int64_t last) {
        gaps_.fill(std::span(columns).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
                   first, y, end, [](std::int64_t, const WeighedPixel&) {});
      });
    }
  }

  /// Calls keep(i, pixel) with the filled value of every pixel in the rows [begin, end), which are in one block.
  template <class Keep>
  void fill(std::int64_t begin, std::int64_t end, const Keep& keep) const {
    const std::int64_t first = begin / block_rows_ * block_rows_;
    const HeldRows held(gaps_.image, first - 1, end), of_variance(gaps_.variance, first - 1, end);
    std::vector<ColumnState> columns = usual(first);
    for (const auto& [x, state] : blocks_[static_cast<std::size_t>(begin / block_rows_)])
      columns[static_cast<std::size_t>(x)] = state;
    gaps_.fill(columns, 0, first, begin, [](std::int64_t, const WeighedPixel&) {});
    gaps_.fill(columns, 0, begin, end, keep);
  }

 private:
  using Unusual = std::vector<std::pair<std::int32_t, ColumnState>>;  ///< column numbers with the states of these
                                                                      ///< columns

  /// The states of all columns before row y, if no bad pixel of row y - 1 copies another pixel. Only states that differ
  /// are stored, which takes little memory.
  std::vector<ColumnState> usual(std::int64_t y) const {
    std::vector<ColumnState> columns(static_cast<std::size_t>(gaps_.image.shape.width));
    if (y == 0) return columns;
    for (std::int64_t x = 0; x < std::ssize(columns); ++x) {
      const WeighedPixel before = gaps_.at(x, y - 1);
      columns[static_cast<std::size_t>(x)] = {before, gaps_.rules.is_good(before.variance) ? gaps_.rules.rows : 0};
    }
    return columns;
  }

  Unusual unusual(const std::vector<ColumnState>& columns, std::int64_t y) const {
    const std::vector<ColumnState> others = usual(y);
    Unusual found;
    for (std::size_t x = 0; x < columns.size(); ++x)
      if (std::memcmp(&columns[x], &others[x], sizeof(ColumnState)) != 0)
        found.emplace_back(static_cast<std::int32_t>(x), columns[x]);
    return found;
  }

  const Gaps gaps_;
  const std::int64_t block_rows_;
  std::vector<Unusual> blocks_;
};

Interpolated<Cpu> interpolate_on_demand(Gaps&& gaps, const Cpu& where) {
  const Shape shape = gaps.image.shape;
  const std::shared_ptr<RowMemory> memory = row_memory_of(gaps.image);
  const auto states = std::make_shared<const GapStates>(std::move(gaps), where);
  const auto image_of = [&](float WeighedPixel::*part) {
    return image_on_demand<float>(shape, memory, [states, part](float* out, std::int64_t begin, std::int64_t end) {
      states->fill(begin, end, [&](std::int64_t i, const WeighedPixel& pixel) { out[i] = pixel.*part; });
    });
  };
  return {image_of(&WeighedPixel::value), image_of(&WeighedPixel::variance)};
}

}  // namespace

Interpolated<Cpu> interpolate_bad(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                                  const WeightsConfig& config, const Cpu& where, const Value<double, Cpu>* scale) {
  SRCEXTRACT_EXPECT(are_alike(image, variance));
  const Shape& shape = image.shape;
  Gaps gaps{same_rows(image), same_rows(variance), GapRules(config)};
  if (scale != nullptr) gaps.rules.least_bad = least_bad_variance(gaps.rules.least_bad, **scale);
  if (is_on_demand(image)) return interpolate_on_demand(std::move(gaps), where);
  Interpolated<Cpu> filled{{shape, where}, {shape, where}};
  parallel_for(shape.width, columns_together, where, [&](std::int64_t begin, std::int64_t end) {
    std::array<ColumnState, columns_together> columns{};
    gaps.fill(std::span(columns).first(static_cast<std::size_t>(end - begin)), begin, 0, shape.height,
              [&](std::int64_t i, const WeighedPixel& pixel) {
                filled.image.pixels[i] = pixel.value;
                filled.variance.pixels[i] = pixel.variance;
              });
  });
  return filled;
}

}  // namespace srcextract
