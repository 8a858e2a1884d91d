#include "pipeline/exposure/padding_look.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pipeline/exposure/sampled_rows.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t edge_rows = 32, long_run = 8, few_rows = 4, sample_size = 4096;
constexpr std::size_t most_values = 8;

/// What the edges show of one value.
struct Seen {
  std::array<std::int64_t, 2> ends = {};  ///< number of rows that begin and that end with it
  std::int64_t longest = 0;               ///< its longest run at the edge
  std::int64_t pixels = 0, starts = 0;    ///< number of its pixels in all rows, and of its runs behind another value

  std::int64_t most_ends() const { return std::max(ends[0], ends[1]); }
  std::int64_t weight() const { return longest + ends[0] + ends[1]; }
};

/// About edge_rows rows, the first and the last among them. Rows that are decompressed together are of few bands.
std::vector<std::int64_t> rows_to_look_at(std::int64_t height, std::int64_t together) {
  std::vector<std::int64_t> rows;
  const auto spread = [](std::int64_t i, std::int64_t count, std::int64_t length) {
    return count > 1 ? i * (length - 1) / (count - 1) : 0;
  };
  const std::int64_t bands = (height + together - 1) / together;
  const std::int64_t looked_at = std::min(bands, std::max<std::int64_t>(3, edge_rows / together));
  for (std::int64_t i = 0; i < looked_at; ++i) {
    const std::int64_t begin = spread(i, looked_at, bands) * together, there = std::min(together, height - begin);
    const std::int64_t wanted = std::min(there, edge_rows / looked_at);
    for (std::int64_t row = 0; row < wanted; ++row) rows.push_back(begin + spread(row, wanted, there));
  }
  if (rows.back() < height - 1) rows.push_back(height - 1);
  return rows;
}

class Look {
 public:
  explicit Look(const Image<float, Cpu>& rows) : rows_(rows) {}

  void look(std::int64_t first, std::int64_t last) {
    for (std::int64_t y = 0; y < rows_.shape.height; ++y) {
      walk_inwards(y, 0);
      walk_inwards(y, 1);
    }
    look_along(first);
    look_along(last);
  }

  void want(float value) { seen(value).longest = rows_.shape.width; }

  /// The values whose number at the edge is no chance.
  std::vector<float> padding_values(const Shape& shape) {
    std::erase_if(seen_,
                  [](const auto& one) { return one.second.longest < long_run && one.second.most_ends() < few_rows; });
    if (!seen_.empty()) count_runs();
    std::vector<std::pair<float, Seen>> found;
    for (const auto& one : seen_)
      if (is_no_chance(one.second, shape)) found.push_back(one);
    std::ranges::stable_sort(found, std::ranges::greater(), [](const auto& one) { return one.second.weight(); });
    if (found.size() > most_values) found.resize(most_values);
    std::vector<float> values;
    for (const auto& one : found) values.push_back(one.first);
    return values;
  }

  double repeat() const { return repeat_; }

  /// Some of the pixels that have none of the values and are not masked.
  std::vector<float> others_than(const std::vector<float>& values) const {
    const std::int64_t count = rows_.shape.count();
    std::vector<float> all;
    for (std::int64_t i = 0; i < count; ++i)
      if (const float pixel = rows_.pixels[i]; !std::isnan(pixel) && std::ranges::count(values, pixel) == 0)
        all.push_back(pixel);
    const std::int64_t step = std::max<std::int64_t>(1, std::ssize(all) / sample_size);
    std::vector<float> some;
    for (std::int64_t i = 0; i < std::ssize(all); i += step) some.push_back(all[static_cast<std::size_t>(i)]);
    return some;
  }

 private:
  Seen& seen(float value) { return seen_[value + 0.0F]; }  // no -0

  /// Looks at the pixels of a row from its begin (side 0) or its end: the first of them that is not masked, and behind
  /// several equal pixels the next, as a border may lie in another.
  void walk_inwards(std::int64_t y, std::size_t side) {
    constexpr int borders = 4;
    const std::int64_t width = rows_.shape.width;
    const float* const row = rows_.pixels.data() + y * width;
    const auto at = [&](std::int64_t x) { return row[side == 0 ? x : width - 1 - x]; };
    std::int64_t x = 0;
    for (int border = 0; border < borders; ++border) {
      while (x < width && std::isnan(at(x))) ++x;
      if (x == width) return;
      const float value = at(x);
      std::int64_t length = 1;
      while (x + length < width && at(x + length) == value) ++length;
      Seen& one = seen(value);
      ++one.ends[side];
      one.longest = std::max(one.longest, length);
      if (length == 1) return;
      x += length;
    }
  }

  void look_along(std::int64_t y) {
    const std::int64_t width = rows_.shape.width;
    const float* const row = rows_.pixels.data() + y * width;
    for (std::int64_t x = 0, end = 0; x < width; x = end) {
      for (end = x + 1; end < width && row[end] == row[x];) ++end;
      if (end - x < long_run) continue;
      Seen& one = seen(row[x]);
      one.longest = std::max(one.longest, end - x);
    }
  }

  bool is_no_chance(const Seen& one, const Shape& shape) const {
    const auto rows = static_cast<double>(rows_.shape.height), ends = static_cast<double>(one.most_ends());
    const double rate = rate_of(one);
    return rate <= most_padding_rate &&
           (one.longest >= least_region(std::max(rate, repeat_), shape) || ends >= few_rows * (1 + rate * rows));
  }

  /// Counts runs and pixels of the values seen, and finds how many values, run by run, the next pixel repeats.
  void count_runs() {
    const std::int64_t width = rows_.shape.width;
    std::int64_t runs = 0, repeated = 0;
    for (std::int64_t y = 0; y < rows_.shape.height; ++y) {
      const float* const row = rows_.pixels.data() + y * width;
      for (std::int64_t x = 0, end = 0; x < width; x = end) {
        for (end = x + 1; end < width && row[end] == row[x];) ++end;
        if (std::isnan(row[x])) continue;
        valid_ += end - x;
        runs += x + 1 < width;
        repeated += end - x > 1;
        const auto found = seen_.find(row[x]);
        if (found == seen_.end()) continue;
        found->second.pixels += end - x;
        found->second.starts += x > 0 && !std::isnan(row[x - 1]);
      }
    }
    repeat_ = runs == 0 ? 0 : static_cast<double>(repeated) / static_cast<double>(runs);
  }

  /// The share of other pixels that this value follows.
  double rate_of(const Seen& one) const {
    const std::int64_t others = valid_ - one.pixels;
    return others == 0 ? 1 : static_cast<double>(one.starts) / static_cast<double>(others);
  }

  const Image<float, Cpu>& rows_;
  double repeat_ = 0;
  std::int64_t valid_ = 0;  ///< number of pixels that are not masked
  std::map<float, Seen> seen_;
};

}  // namespace

PaddingLook look_for_padding(const PixelSource& plane, std::int64_t together, bool zeros) {
  const Shape& shape = plane.shape;
  PaddingLook found{.rows = rows_to_look_at(shape.height, together), .image = {}, .regions = std::nullopt};
  found.image = std::move(ingest(rows_of(plane, found.rows), Cpu{1}).image);
  Look look(found.image);
  look.look(0, found.image.shape.height - 1);
  if (zeros) look.want(0);
  std::vector<float> values = look.padding_values(shape);
  if (values.empty()) return found;
  std::vector<float> others = look.others_than(values);
  if (others.empty()) return found;
  found.regions.emplace(shape, std::move(values), std::move(others), look.repeat());
  if (zeros) found.regions->take_inside(0);
  return found;
}

std::optional<CommonValue> common_value(const PaddingLook& look, const std::vector<Run>& padding) {
  constexpr double least_share = 0.05, most_share = 0.5;
  const std::int64_t width = look.image.shape.width;
  const std::int64_t step = std::max<std::int64_t>(1, look.image.shape.count() / sample_size) | 1;
  std::vector<float> pixels;
  for (std::int64_t i = 0; i < look.image.shape.count(); i += step) {
    const std::int64_t y = look.rows[static_cast<std::size_t>(i / width)], x = i % width;
    const auto run = std::ranges::partition_point(
        padding, [&](const Run& one) { return one.y < y || (one.y == y && one.end <= x); });
    const bool is_padding = run != padding.end() && run->y == y && run->begin <= x;
    if (const float pixel = look.image.pixels[i]; !is_padding && !std::isnan(pixel)) pixels.push_back(pixel);
  }
  std::ranges::sort(pixels);
  std::pair common(pixels.begin(), pixels.begin());
  for (auto begin = pixels.begin(); begin != pixels.end(); begin = std::upper_bound(begin, pixels.end(), *begin)) {
    const auto equal = std::equal_range(begin, pixels.end(), *begin);
    if (equal.second - equal.first > common.second - common.first) common = equal;
  }
  const double share =
      static_cast<double>(common.second - common.first) / static_cast<double>(std::max<std::size_t>(1, pixels.size()));
  if (share < least_share || share > most_share) return std::nullopt;
  const float value = *common.first;
  pixels.erase(common.first, common.second);
  const float low = pixels[pixels.size() / 4], high = pixels[pixels.size() * 3 / 4];
  if (low == high || (value >= low - (high - low) && value <= high + (high - low))) return std::nullopt;
  return CommonValue{value + 0.0F, share};
}

}  // namespace srcextract
