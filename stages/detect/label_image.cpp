#include "stages/detect/label_image.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/mask_runs.hpp"
#include "stages/detect/run_forest.hpp"

namespace srcextract {
namespace {

/// Calls f(begin, end) for every maximal stretch [begin, end) of a row in which all pixels have the same value other
/// than 0.
template <class T, class F>
void for_each_stretch(const T* row, std::int64_t width, const F& f) {
  constexpr std::int64_t at_once = 16;
  for (std::int64_t x = 0; x < width;) {
    if (x + at_once <= width && std::reduce(row + x, row + x + at_once, T{0}, std::bit_or<>()) == 0) {
      x += at_once;
      continue;
    }
    const T value = value_of_run(row[x]);
    const std::int64_t begin = x++;
    while (x < width && value_of_run(row[x]) == value) ++x;
    if (value != 0) f(begin, x);
  }
}

/// Lists the stretches of equal value other than 0 in a map as runs. Throws Error{input} if a listed run is no longer
/// in the map, because the caller's program changed the map meanwhile.
template <class T>
Runs<Cpu> list_stretches(const Image<T, Cpu>& map, const Cpu& where) {
  const std::int64_t width = map.shape.width, height = map.shape.height, rows = rows_per_piece(width);
  Runs<Cpu> result{map.shape, {}, Buffer<std::int64_t, Cpu>(height + 1, where)};
  std::vector<std::vector<Run>> pieces(static_cast<std::size_t>((height + rows - 1) / rows));
  parallel_for(height, rows, where, [&](std::int64_t first, std::int64_t last) {
    std::vector<Run>& runs = pieces[static_cast<std::size_t>(first / rows)];
    for (std::int64_t y = first; y < last; ++y) {
      for_each_stretch(map.pixels.data() + y * width, width, [&](std::int64_t begin, std::int64_t end) {
        runs.push_back(
            {static_cast<std::int32_t>(y), static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
      });
      // Counted from the first run of these rows; the loop below adds the runs of earlier rows.
      result.row_begin[y + 1] = std::ssize(runs);
    }
    const auto is_there = [&](const Run& run) {
      const T *const row = map.pixels.data() + run.y * width, value = value_of_run(row[run.begin]);
      return value != 0 && value_of_run(row[run.end - 1]) == value &&
             (run.begin == 0 || value_of_run(row[run.begin - 1]) != value);
    };
    if (!std::ranges::all_of(runs, is_there))
      throw Error(ErrorKind::input,
                  "the mask or map of labels changed while it was read; do not write to it meanwhile");
  });
  result.row_begin[0] = 0;
  for (std::int64_t y = 0; y < height; ++y) result.row_begin[y + 1] += result.row_begin[y / rows * rows];
  check_run_count(result.row_begin[height]);
  result.runs = Buffer<Run, Cpu>(result.row_begin[height], where);
  Run* to = result.runs.begin();
  for (const std::vector<Run>& runs : pieces) to = std::ranges::copy(runs, to).out;
  return result;
}

/// Makes a map in which each pixel of run i has the value value_of(i). Pixels in no run are 0.
template <class T, class ValueOf>
Image<T, Cpu> paint_runs(const Runs<Cpu>& runs, const Cpu& where, const ValueOf& value_of) {
  Image<T, Cpu> map(runs.shape, where);
  const auto [width, height] = runs.shape;
  parallel_for(height, rows_per_piece(width), where,
               [&map, &runs, &value_of, width = width](std::int64_t first, std::int64_t last) {
                 for (std::int64_t y = first; y < last; ++y) {
                   T* const row = map.pixels.data() + y * width;
                   std::fill_n(row, width, T{0});
                   if (runs.row_begin.empty()) continue;
                   for (std::int64_t i = runs.row_begin[y]; i < runs.row_begin[y + 1]; ++i)
                     std::fill(row + runs.runs[i].begin, row + runs.runs[i].end, value_of(i));
                 }
               });
  return map;
}

/// Returns the distinct values in ascending order. Values must not be negative.
std::vector<std::int32_t> distinct(const Buffer<std::int32_t, Cpu>& values) {
  std::int32_t most = 0;
  for (const std::int32_t value : values) most = std::max(most, value);
  std::vector<std::int32_t> all;
  if (most <= 4 * values.size()) {
    std::vector<char> there(static_cast<std::size_t>(most) + 1, 0);
    for (const std::int32_t value : values) there[static_cast<std::size_t>(value)] = 1;
    for (std::size_t value = 0; value < there.size(); ++value)
      if (there[value] != 0) all.push_back(static_cast<std::int32_t>(value));
    return all;
  }
  all.assign(values.begin(), values.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

constexpr std::int64_t runs_per_piece = 1 << 15;

}  // namespace

std::vector<std::int32_t> rank_labels(Buffer<std::int32_t, Cpu>& label, const Cpu& where) {
  if (const auto least = std::ranges::min_element(label); least != label.end() && *least < 0)
    throw Error(ErrorKind::input, "a map of labels has the label " + std::to_string(*least) +
                                      "; labels are 1 and more, and 0 where there is no source");
  std::vector<std::int32_t> labels = distinct(label);
  parallel_for(label.size(), runs_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      label[i] = static_cast<std::int32_t>(std::ranges::lower_bound(labels, label[i]) - labels.begin()) + 1;
  });
  return labels;
}

Components<Cpu> in_one_piece(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, std::int64_t connectivity,
                             const Cpu& where) {
  Components<Cpu> result{Buffer<std::int32_t, Cpu>(label.size(), where), {}};
  RunForest pieces(result.label);
  for (std::int64_t i = 0; i < label.size(); ++i) pieces.plant(i);
  for (std::int64_t y = 1; y < runs.shape.height; ++y) {
    for_each_touched(runs, y, reach_of(connectivity), [&](std::int32_t here, std::int32_t first, std::int32_t last) {
      for (std::int32_t above = first; above < last; ++above)
        if (label[here] == label[above]) pieces.join(pieces.find_root(here), pieces.find_root(above));
    });
  }
  std::int32_t count = 0;
  Buffer<std::int32_t, Cpu> number(label.size(), where);
  for (std::int64_t i = 0; i < label.size(); ++i) {
    const std::int32_t root = pieces.find_root(static_cast<std::int32_t>(i));
    number[i] = label[i] == 0 ? 0 : root == i ? ++count : number[root];
  }
  result.label = std::move(number);
  result.counts = ComponentCounts{count, count};
  return result;
}

LabelledRuns<Cpu> runs_of_labels(const Image<std::int32_t, Cpu>& map, const Cpu& where) {
  LabelledRuns<Cpu> result{list_stretches(map, where), {}, {}};
  const Buffer<Run, Cpu>& runs = result.runs.runs;
  Buffer<std::int32_t, Cpu>& label = result.components.label;
  label = Buffer<std::int32_t, Cpu>(runs.size(), where);
  parallel_for(runs.size(), runs_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) label[i] = map.pixels[runs[i].y * map.shape.width + runs[i].begin];
  });
  result.labels = rank_labels(label, where);
  const auto count = static_cast<std::int64_t>(result.labels.size());
  result.components.counts = ComponentCounts{count, count};
  return result;
}

Image<std::int32_t, Cpu> map_labels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, const Cpu& where) {
  return paint_runs<std::int32_t>(runs, where, [&](std::int64_t i) { return label[i]; });
}

Runs<Cpu> runs_of_mask(const Image<std::uint8_t, Cpu>& mask, const Cpu& where) {
  return list_stretches(mask, where);
}

Image<std::uint8_t, Cpu> map_runs(const Runs<Cpu>& runs, const Cpu& where) {
  return paint_runs<std::uint8_t>(runs, where, [](std::int64_t) { return std::uint8_t{1}; });
}

}  // namespace srcextract
