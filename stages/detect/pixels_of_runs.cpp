#include "stages/detect/pixels_of_runs.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {
namespace {

/// The pixels of runs, in their order.
struct PixelsOfRuns {
  Runs<Cpu> runs;
  std::vector<std::int64_t> begin;  ///< of each run in `values`, and their end
  std::vector<float> values;

  template <class Body>
  void for_each_run(std::int64_t first_row, std::int64_t end_row, const Body& body) const {
    for (std::int64_t i = runs.row_begin[first_row]; i < runs.row_begin[end_row]; ++i)
      body(runs.runs[i].y * runs.shape.width + runs.runs[i].begin, begin[static_cast<std::size_t>(i)],
           runs.runs[i].end - runs.runs[i].begin);
  }
};

/// Appends the runs of one row, joined where they touch. `found` are the runs of pixels in this row.
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

/// The runs with their pixels' 8-neighbours, as far as `reach` is 1; with reach 0, a copy.
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

std::vector<std::int64_t> begins_of(const Runs<Cpu>& runs) {
  std::vector<std::int64_t> begin{0};
  for (const Run& run : runs.runs) begin.push_back(begin.back() + (run.end - run.begin));
  return begin;
}

void take(const Image<float, Cpu>& image, std::int64_t first_row, std::int64_t end_row, PixelsOfRuns& pixels) {
  if (pixels.runs.row_begin[first_row] == pixels.runs.row_begin[end_row]) return;
  const HeldRows held(image, first_row, end_row);
  pixels.for_each_run(first_row, end_row, [&](std::int64_t at, std::int64_t begin, std::int64_t count) {
    std::copy_n(image.pixels.data() + at, count, pixels.values.begin() + begin);
  });
}

Image<float, Cpu> image_of(const std::shared_ptr<const PixelsOfRuns>& pixels,
                           const std::shared_ptr<RowMemory>& memory) {
  return image_on_demand<float>(
      pixels->runs.shape, memory, [pixels](float* image, std::int64_t first_row, std::int64_t end_row) {
        pixels->for_each_run(first_row, end_row, [&](std::int64_t at, std::int64_t begin, std::int64_t count) {
          std::copy_n(pixels->values.begin() + begin, count, image + at);
        });
      });
}

}  // namespace

std::optional<std::pair<Image<float, Cpu>, Image<float, Cpu>>> pixels_of_runs(const Image<float, Cpu>& first,
                                                                              const Image<float, Cpu>& second,
                                                                              const Runs<Cpu>& runs, bool near,
                                                                              const Cpu& where) {
  if (!is_on_demand(first)) return std::nullopt;
  const bool are_one = first.rows == second.rows;
  const Runs<Cpu> kept = widened(runs, near ? 1 : 0);
  const std::vector<std::int64_t> begin = begins_of(kept);
  const auto bytes = begin.back() * static_cast<std::int64_t>(sizeof(float)) * (are_one ? 1 : 2);
  const std::shared_ptr<RowMemory>& memory = first.rows->memory();
  if (bytes > memory->bytes() / 2) return std::nullopt;
  const auto room = [&] {
    return std::make_shared<PixelsOfRuns>(
        PixelsOfRuns{{kept.shape, copy_of(kept.runs, where), copy_of(kept.row_begin, where)},
                     begin,
                     std::vector<float>(static_cast<std::size_t>(begin.back()))});
  };
  const auto of_first = room(), of_second = are_one ? of_first : room();
  parallel_for(kept.shape.height, first.rows->block_rows(), where, [&](std::int64_t from, std::int64_t end) {
    take(first, from, end, *of_first);
    if (!are_one) take(second, from, end, *of_second);
  });
  Image<float, Cpu> taken = image_of(of_first, memory);
  Image<float, Cpu> other = are_one ? same_rows(taken) : image_of(of_second, memory);
  return std::pair(std::move(taken), std::move(other));
}

}  // namespace srcextract
