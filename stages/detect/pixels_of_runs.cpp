#include "stages/detect/pixels_of_runs.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {
namespace {

/// The values of the pixels of all runs (stretches of foreground pixels) in one image.
struct PixelsOfRuns {
  std::vector<float> values;
  /// Per row of the image: columns of masked pixels in runs and next to runs. Empty if the caller does not need these
  /// columns.
  std::vector<std::vector<std::int32_t>> masked;
};

/// Runs, and the positions of their pixels in PixelsOfRuns::values.
struct PlacesOfRuns {
  Runs<Cpu> runs;
  Buffer<std::int64_t, Cpu> begin;  ///< first_pixels(runs)

  template <class Body>
  void for_each_run(std::int64_t first_row, std::int64_t end_row, const Body& body) const {
    for (std::int64_t i = runs.row_begin[first_row]; i < runs.row_begin[end_row]; ++i)
      body(runs.runs[i].y * runs.shape.width + runs.runs[i].begin, begin[i], runs.runs[i].end - runs.runs[i].begin);
  }
};

/// Appends the runs of one row to `to`, and merges runs that overlap or are adjacent. `found` has the row's runs in any
/// order, and is sorted.
void append_row(std::vector<Run>& found, std::vector<Run>& to) {
  const auto first = static_cast<std::ptrdiff_t>(to.size());
  std::ranges::sort(found, {}, &Run::begin);
  for (const Run& run : found) {
    if (std::ssize(to) > first && run.begin <= to.back().end)
      to.back().end = std::max(to.back().end, run.end);
    else
      to.push_back(run);
  }
}

Runs<Cpu> runs_of(const std::vector<Run>& list, Buffer<std::int64_t, Cpu> row_begin, const Shape& shape) {
  Runs<Cpu> runs{shape, Buffer<Run, Cpu>(std::ssize(list), Cpu{}), std::move(row_begin)};
  std::ranges::copy(list, runs.runs.begin());
  return runs;
}

/// Returns the runs. If `reach` is 1, adds the 8 neighbours of each of their pixels. Runs of a row that overlap or are
/// adjacent become one run.
Runs<Cpu> widened(const Runs<Cpu>& runs, std::int32_t reach) {
  const auto [width, height] = runs.shape;
  Buffer<std::int64_t, Cpu> row_begin(height + 1, Cpu{});
  std::vector<Run> all, row;
  for (std::int64_t y = 0; y < height; ++y) {
    row_begin[y] = std::ssize(all);
    const std::int64_t first = runs.row_begin[std::max<std::int64_t>(y - reach, 0)];
    const std::int64_t last = runs.row_begin[std::min<std::int64_t>(y + reach + 1, height)];
    row.clear();
    for (std::int64_t i = first; i < last; ++i) {
      const Run& run = runs.runs[i];
      row.push_back({static_cast<std::int32_t>(y), std::max(run.begin - reach, 0),
                     std::min(run.end + reach, static_cast<std::int32_t>(width))});
    }
    append_row(row, all);
  }
  row_begin[height] = std::ssize(all);
  return runs_of(all, std::move(row_begin), runs.shape);
}

/// Returns the columns of the masked pixels of row y that are in runs of `near`.
std::vector<std::int32_t> masked_within(const Image<float, Cpu>& image, std::int64_t y, const Runs<Cpu>& near) {
  std::vector<std::int32_t> columns;
  const float* const row = image.pixels.data() + y * image.shape.width;
  for (std::int64_t i = near.row_begin[y]; i < near.row_begin[y + 1]; ++i)
    for (std::int32_t x = near.runs[i].begin; x < near.runs[i].end; ++x)
      if (std::isnan(row[x])) columns.push_back(x);
  return columns;
}

/// Copies the pixels of runs in the rows [first_row, end_row) to `pixels`. If `near` is not null, also lists the masked
/// pixels in the runs of `near`: the runs with their neighbours.
void take(const Image<float, Cpu>& image, std::int64_t first_row, std::int64_t end_row, const PlacesOfRuns& places,
          const Runs<Cpu>* near, PixelsOfRuns& pixels) {
  const Runs<Cpu>& read = near != nullptr ? *near : places.runs;
  if (read.row_begin[first_row] == read.row_begin[end_row]) return;
  const HeldRows held(image, first_row, end_row);
  places.for_each_run(first_row, end_row, [&](std::int64_t at, std::int64_t begin, std::int64_t count) {
    std::copy_n(image.pixels.data() + at, count, pixels.values.begin() + begin);
  });
  if (near == nullptr) return;
  for (std::int64_t y = first_row; y < end_row; ++y)
    pixels.masked[static_cast<std::size_t>(y)] = masked_within(image, y, *near);
}

Image<float, Cpu> image_of(const std::shared_ptr<const PlacesOfRuns>& places,
                           const std::shared_ptr<const PixelsOfRuns>& pixels,
                           const std::shared_ptr<RowMemory>& memory) {
  const Shape& shape = places->runs.shape;
  return image_on_demand<float>(
      shape, memory, [places, pixels](float* image, std::int64_t first_row, std::int64_t end_row) {
        const std::int64_t width = places->runs.shape.width;
        if (!pixels->masked.empty()) std::fill(image + first_row * width, image + end_row * width, 0.0F);
        places->for_each_run(first_row, end_row, [&](std::int64_t at, std::int64_t begin, std::int64_t count) {
          std::copy_n(pixels->values.begin() + begin, count, image + at);
        });
        if (pixels->masked.empty()) return;
        for (std::int64_t y = first_row; y < end_row; ++y)
          for (const std::int32_t x : pixels->masked[static_cast<std::size_t>(y)]) image[y * width + x] = masked_pixel;
      });
}

}  // namespace

std::optional<std::pair<Image<float, Cpu>, Image<float, Cpu>>> pixels_of_runs(const Image<float, Cpu>& first,
                                                                              const Image<float, Cpu>& second,
                                                                              const Runs<Cpu>& runs, bool near,
                                                                              const Cpu& where) {
  if (!is_on_demand(first)) return std::nullopt;
  const bool are_one = first.rows == second.rows;
  Runs<Cpu> joined = widened(runs, 0);
  Buffer<std::int64_t, Cpu> begin = first_pixels(joined, Cpu{});
  const std::int64_t count = begin[joined.runs.size()];
  const auto bytes = count * static_cast<std::int64_t>(sizeof(float)) * (are_one ? 1 : 2);
  const std::shared_ptr<RowMemory>& memory = first.rows->memory();
  if (bytes > memory->bytes() / 2) return std::nullopt;
  const auto places = std::make_shared<const PlacesOfRuns>(PlacesOfRuns{std::move(joined), std::move(begin)});
  const std::optional<Runs<Cpu>> neighbours = near ? std::optional(widened(runs, 1)) : std::nullopt;
  const auto room = [&] {
    return std::make_shared<PixelsOfRuns>(
        PixelsOfRuns{std::vector<float>(static_cast<std::size_t>(count)),
                     std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(near ? runs.shape.height : 0))});
  };
  const auto of_first = room(), of_second = are_one ? of_first : room();
  const Runs<Cpu>* const within = neighbours ? &*neighbours : nullptr;
  parallel_for(runs.shape.height, first.rows->block_rows(), where, [&](std::int64_t from, std::int64_t end) {
    take(first, from, end, *places, within, *of_first);
    if (!are_one) take(second, from, end, *places, within, *of_second);
  });
  Image<float, Cpu> taken = image_of(places, of_first, memory);
  Image<float, Cpu> other = are_one ? same_rows(taken) : image_of(places, of_second, memory);
  return std::pair(std::move(taken), std::move(other));
}

Buffer<std::int64_t, Cpu> first_pixels(const Runs<Cpu>& runs, const Cpu& where) {
  Buffer<std::int64_t, Cpu> first(runs.runs.size() + 1, where);
  first[0] = 0;
  for (std::int64_t i = 0; i < runs.runs.size(); ++i) first[i + 1] = first[i] + (runs.runs[i].end - runs.runs[i].begin);
  return first;
}

}  // namespace srcextract
