#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/chain/detect_sources.hpp"
#include "python/core/arrays.hpp"
#include "python/core/interrupt.hpp"
#include "python/core/sep/clean.hpp"
#include "python/core/sep/image.hpp"
#include "python/core/sep/objects.hpp"
#include "python/core/view_of.hpp"
#include "stages/clean/find_limits.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/label_image.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

constexpr std::int64_t pixel_rows_per_piece = 32, objects_per_piece = 64;

/// Calls f(index of the first pixel, index of the end) for each row of an image, in parallel.
template <class F>
void for_each_row(const Shape& shape, const Cpu& where, const F& f) {
  parallel_for(shape.height, pixel_rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) f(y * shape.width, (y + 1) * shape.width);
  });
}

/// The pixels as float: a view of the caller's array if possible, else a copy, in which masked pixels are 0.
Image<float, Cpu> pixels_of(const SepImage& image, const Cpu& where) {
  if (const float* const floats = image.pixels.floats(); floats != nullptr && !image.mask)
    return view_of(floats, image.shape, where);
  Image<float, Cpu> out(image.shape, where);
  image.pixels.with_type([&](const auto* pixels) {
    for_each_row(image.shape, where, [&](std::int64_t begin, std::int64_t end) {
      to_float(pixels + begin, end - begin, out.pixels.data() + begin);
      for (std::int64_t i = begin; image.mask && i < end; ++i)
        if (image.is_masked(i)) out.pixels[i] = 0;
    });
  });
  return out;
}

/// The variances of the pixels: a view of the caller's array if possible, else a copy. With `hides_masked`, masked
/// pixels have an infinite variance.
Image<float, Cpu> variances_of(const SepImage& image, bool hides_masked, const Cpu& where) {
  const bool hides = hides_masked && image.mask;
  if (const float* const floats = image.noise.floats(); floats != nullptr && image.noise_is_variance && !hides)
    return view_of(floats, image.shape, where);
  Image<float, Cpu> out(image.shape, where);
  image.noise.with_type([&](const auto* noise) {
    for_each_row(image.shape, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        out.pixels[i] = static_cast<float>(image.variance_of(static_cast<double>(noise[i])));
      for (std::int64_t i = begin; hides && i < end; ++i)
        if (image.is_masked(i)) out.pixels[i] = std::numeric_limits<float>::infinity();
    });
  });
  return out;
}

/// Makes a normalised kernel from an array. As in SEP, the array is applied without flipping. A column or row of zeros
/// makes an even side odd.
Kernel kernel_of(const AnyArray& values) {
  const Shape shape = shape_of(values);
  const SepPlane plane(values);
  const std::int64_t width = shape.width | 1, height = shape.height | 1;
  std::vector rows(static_cast<std::size_t>(height), std::vector<double>(static_cast<std::size_t>(width), 0.0));
  for (std::int64_t y = 0; y < shape.height; ++y)
    for (std::int64_t x = 0; x < shape.width; ++x)
      rows[static_cast<std::size_t>(height - 1 - y)][static_cast<std::size_t>(width - 1 - x)] =
          plane.at(y * shape.width + x);
  if (const std::string problem = kernel_problem(rows, std::max(width, height)); !problem.empty())
    throw Error(ErrorKind::input, "filter_kernel " + problem);
  return kernel_of_values(std::move(rows), true);
}

/// The sources of a segmentation map, in ascending order of their numbers. Numbers below 0 are ignored, as in SEP.
LabelledRuns<Cpu> sources_of(const std::int32_t* segments, const Shape& shape, const Cpu& where) {
  if (std::reduce(segments, segments + shape.count(), 0, std::bit_or<>()) >= 0)
    return runs_of_labels(view_of(segments, shape, where), where);
  Image<std::int32_t, Cpu> map(shape, where);
  std::transform(segments, segments + shape.count(), map.pixels.begin(), [](auto owner) { return std::max(owner, 0); });
  return runs_of_labels(map, where);
}

/// Extracts the sources of an image with the steps of srcextract's own extraction, but with SEP's thresholds, order of
/// sources and CLEAN.
struct SepExtraction : SepFound {
  using SepFound::SepFound;

  std::optional<Kernel> kernel;
  Config config;
  bool matched = true, clean = true;
  std::int64_t most_pixels = 0;  ///< limit on the number of pixels above the threshold; 0: no limit
  Cpu where;

  std::vector<SepObject> rows;
  std::vector<std::int32_t> sources;  ///< index, from 0, of each row's source in steps.sums

  void run() {
    // A constant background, so that thresholds do not follow a mesh.
    config.background.method = BackgroundMethod::constant;
    config.detection.connectivity = 8;
    config.deblend.clean = true;
    pixels.image = pixels_of(image, where);
    if (kernel) steps.image = convolve_by_any(pixels.image, *kernel, steps.background, where);
    if (image.noise) steps.variance = variances_of(image, true, where);
    steps.levels->detection = threshold;  // replaced if the noise varies between pixels
    steps.levels->in_noise = threshold;
    steps.levels->sigma = 1;
    image.segments != nullptr ? measure_given() : find();
  }

  /// The segmentation map of the result; the sources have the numbers of their rows, from 1.
  Image<std::int32_t, Cpu> map() const {
    std::vector<std::int32_t> number(static_cast<std::size_t>(steps.components.counts->kept) + 1, 0);
    for (std::size_t row = 0; row < sources.size(); ++row)
      number[static_cast<std::size_t>(sources[row]) + 1] = static_cast<std::int32_t>(row + 1);
    Buffer<std::int32_t, Cpu> label(steps.components.label.size(), where);
    std::ranges::transform(steps.components.label, label.begin(),
                           [&](std::int32_t of) { return number[static_cast<std::size_t>(of)]; });
    return map_labels(steps.runs, label, where);
  }

 private:
  const Image<float, Cpu>& found() const { return found_image(pixels, steps); }
  NoiseMap<Cpu> noise() const { return noise_of_found(pixels, config, steps); }

  void find_foreground() {
    if (image.noise && kernel && matched) {
      steps.match = matched_filter(pixels.image, *kernel, steps.background, steps.levels, noise(), where);
      // Masks pixels whose noise is NaN, since a NaN would make the mean threshold of an object NaN.
      image.noise.with_type([&](const auto* noise) {
        float* const match = steps.match.pixels.data();
        for_each_row(image.shape, where, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) match[i] = noise[i] == noise[i] ? match[i] : masked_pixel;
        });
      });
    }
    steps.runs = threshold_found(steps.levels, pixels, config, steps, where);
    // Replaces the infinite variance of masked pixels above the threshold by the given variance, since infinite values
    // would spoil the means over objects.
    if (image.noise && image.mask) steps.variance = variances_of(image, false, where);
  }

  void check_pixels() const {
    std::int64_t count = 0;
    for (const Run& run : steps.runs.runs) count += run.end - run.begin;
    if (most_pixels == 0 || count <= most_pixels) return;
    throw Error(ErrorKind::input, "internal pixel buffer full: The limit of " + std::to_string(most_pixels) +
                                      " active object pixels over the detection threshold was reached. Check that the "
                                      "image is background subtracted and the detection threshold is not too low. "
                                      "Raise the threshold of detection, or the limit by set_extract_pixstack.");
  }

  void find() {
    find_foreground();
    check_pixels();
    steps.components = label_components(steps.runs, config.detection, where);
    if (image.noise) find_island_thresholds();
    if (config.deblend.contrast < 1) split();
    steps.sums = measure_sources(found(), steps.runs, steps.components, steps.levels, MaskCounts{}, where);
    sources = order();
    const RunsBySource by_source = measure();
    if (clean) drop_cleaned(by_source);
  }

  /// Measures the sources in `sources`, one row for each. CLEAN may drop rows later.
  RunsBySource measure() {
    RunsBySource by_source = group_runs(steps.components, where);
    rows.resize(sources.size());
    parallel_for(std::ssize(rows), objects_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        rows[i] = object(sources[i], by_source.members(sources[i]));
    });
    return by_source;
  }

  void measure_given() {
    LabelledRuns<Cpu> given = sources_of(image.segments, image.shape, where);
    steps.runs = std::move(given.runs);
    steps.components = std::move(given.components);
    steps.sums = measure_sources(found(), steps.runs, steps.components, steps.levels, MaskCounts{}, where);
    sources.resize(static_cast<std::size_t>(steps.sums.size()));
    std::iota(sources.begin(), sources.end(), 0);
    measure();
    // SEP sets this flag only for sources that SEP detected itself.
    for (SepObject& row : rows) row.flag = static_cast<std::int16_t>(row.flag & ~sep_truncated);
  }

  /// Calls f(run, label of the island) for all runs of islands. A run is a sequence of detected pixels in one row; an
  /// island is a group of connected detected pixels.
  template <class F>
  void for_each_run(const F& f) const {
    for (std::int64_t i = 0; i < steps.runs.runs.size(); ++i)
      f(steps.runs.runs[i], static_cast<std::size_t>(steps.components.label[i]));
  }

  void find_island_thresholds() {
    island_thresholds.resize(static_cast<std::size_t>(steps.components.counts->kept) + 1, 0);
    std::vector<double> count(island_thresholds.size(), 0);
    for_each_run([&](const Run& run, std::size_t label) {
      for (std::int64_t x = run.begin; x < run.end; ++x)
        island_thresholds[label] += threshold * std::sqrt(image.variance(run.y * image.shape.width + x));
      count[label] += run.end - run.begin;
    });
    for (std::size_t label = 1; label < count.size(); ++label) island_thresholds[label] /= count[label];
  }

  /// Deblends as SEP does: the levels of an island start at the island's mean threshold, whereas deblend() starts at
  /// the lowest threshold. Therefore all pixels of an island get the noise that corresponds to the mean threshold.
  void split() {
    if (!image.noise || !(threshold > 0)) return deblend();
    Image<float, Cpu> even(image.shape, where);
    for_each_run([&](const Run& run, std::size_t label) {
      const double noise = island_thresholds[label] / threshold;
      float* const row = even.pixels.data() + run.y * image.shape.width;
      std::fill(row + run.begin, row + run.end, static_cast<float>(noise * noise));
    });
    std::swap(even, steps.variance);
    deblend();
    std::swap(even, steps.variance);
  }

  void deblend() {
    const auto in_silence = [](const char*) {};
    DetectionState state(pixels, config, steps, where, in_silence);
    Deblend::run(state);
  }

  Uncleaned<Cpu> uncleaned() const {
    const bool are_split = !steps.parentage.empty();
    return {.runs = steps.runs,
            .components = steps.components,
            .island_runs = are_split ? steps.island_runs : steps.runs,
            .islands = are_split ? steps.islands : steps.components,
            .cores = steps.core_pixels,
            .parentage = steps.parentage,
            .sums = steps.sums};
  }

  /// The sources in SEP's order: by the last pixel of the island, then by SEP's order within the island.
  std::vector<std::int32_t> order() const {
    const Uncleaned<Cpu> all = uncleaned();
    std::vector<std::int64_t> last_run(static_cast<std::size_t>(all.islands.counts->kept) + 1, 0);
    for (std::int64_t run = 0; run < all.islands.label.size(); ++run)
      last_run[static_cast<std::size_t>(all.islands.label[run])] = run;
    std::vector<std::int32_t> order(static_cast<std::size_t>(all.sums.size()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int32_t source) {
      return std::pair(last_run[static_cast<std::size_t>(parentage(source).parent)],
                       all.deblended() ? all.cores.place[source] : 0);
    });
    return order;
  }

  void drop_cleaned(const RunsBySource& by_source) {
    const Buffer<float, Cpu> limits =
        find_limits({found(), pixels.image, steps.levels, noise()}, uncleaned(), config.detection, where);
    std::vector<CleanFacts> facts;
    for (std::size_t i = 0; i < rows.size(); ++i)
      facts.push_back(
          {limits[sources[i]], count_above(by_source.members(sources[i]), (rows[i].thresh + rows[i].peak) / 2)});
    const std::vector<std::uint8_t> survives = find_survivors(rows, facts, config.deblend.clean_beta, image.shape);
    std::size_t left = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (survives[i] == 0) continue;
      rows[left] = rows[i];
      sources[left++] = sources[i];
    }
    rows.resize(left);
    sources.resize(left);
  }
};

nb::object extract(const SepImage& image, double threshold, double gain, std::int64_t min_area,
                   const OptionalArray& kernel, bool matched, std::int64_t levels, double contrast, bool clean,
                   double clean_beta, bool draws, std::int64_t most_pixels, int threads) {
  SepExtraction all(image);
  all.threshold = threshold;
  all.gain = gain;
  all.config.detection.min_area = min_area;
  all.config.deblend.thresholds = levels;
  all.config.deblend.contrast = contrast;
  all.config.deblend.clean_beta = clean_beta;
  all.matched = matched;
  all.clean = clean;
  all.most_pixels = most_pixels;
  all.where = Cpu{threads};
  Image<std::int32_t, Cpu> map;
  do_watchfully([&] {
    if (kernel) all.kernel = kernel_of(*kernel);
    all.run();
    if (draws) map = all.map();
  });
  auto rows = std::make_unique<std::vector<SepObject>>(std::move(all.rows));
  auto* const bytes = reinterpret_cast<std::uint8_t*>(rows->data());
  const std::size_t size = rows->size() * sizeof(SepObject);
  const nb::object objects = numpy_array(std::move(rows), bytes, {size});
  return draws ? nb::make_tuple(objects, numpy_image(std::move(map))) : nb::object(objects);
}

}  // namespace

void bind_sep_extract(nb::module_& module) {
  module.def("sep_extract", &extract, nb::arg("image"), nb::arg("threshold"), nb::arg("gain"), nb::arg("min_area"),
             nb::arg("kernel").none(), nb::arg("matched"), nb::arg("levels"), nb::arg("contrast"), nb::arg("clean"),
             nb::arg("clean_beta"), nb::arg("draws"), nb::arg("most_pixels"), nb::arg("threads"));
}

}  // namespace srcextract::python
