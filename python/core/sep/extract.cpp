#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "python/core/arrays.hpp"
#include "python/core/interrupt.hpp"
#include "python/core/sep/clean.hpp"
#include "python/core/sep/image.hpp"
#include "python/core/sep/objects.hpp"
#include "stages/clean/find_limits.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/label_image.hpp"
#include "stages/detect/matched_filter.hpp"
#include "stages/detect/runs_by_source.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

constexpr std::int64_t rows_per_piece = 32;

/// Options of srcextract.sep.extract.
struct ExtractOptions {
  double threshold = 0;  ///< a pixel value, or in units of each pixel's noise
  double gain = 0;
  std::int64_t min_area = 5;
  bool matched = true;
  std::int64_t levels = 32;
  double contrast = 0.005;
  bool clean = true;
  double clean_beta = 1;
  std::int64_t most_pixels = 0;  ///< 0: no limit
  int threads = 1;
};

/// Calls f(row) for all rows of an image.
template <class F>
void for_each_row(const Shape& shape, const Cpu& where, const F& f) {
  parallel_for(shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) f(y);
  });
}

/// The pixels as float, in place if possible; masked pixels are 0.
Image<float, Cpu> pixels_of(const SepImage& image, const Cpu& where) {
  if (const float* const floats = image.pixels.floats(); floats != nullptr && !image.mask)
    return view_of(floats, image.shape, where);
  Image<float, Cpu> out(image.shape, where);
  const std::int64_t width = image.shape.width;
  image.pixels.with_type([&](const auto* pixels) {
    for_each_row(image.shape, where, [&](std::int64_t y) {
      to_float(pixels + y * width, width, out.pixels.data() + y * width);
      if (!image.mask) return;
      for (std::int64_t i = y * width; i < (y + 1) * width; ++i)
        if (image.is_masked(i)) out.pixels[i] = 0;
    });
  });
  return out;
}

/// The variances of the pixels, in place if possible; infinite for masked pixels.
Image<float, Cpu> variances_of(const SepImage& image, const Cpu& where) {
  if (const float* const floats = image.noise.floats(); floats != nullptr && image.noise_is_variance && !image.mask)
    return view_of(floats, image.shape, where);
  Image<float, Cpu> out(image.shape, where);
  const std::int64_t width = image.shape.width;
  for_each_row(image.shape, where, [&](std::int64_t y) {
    for (std::int64_t i = y * width; i < (y + 1) * width; ++i)
      out.pixels[i] =
          image.is_masked(i) ? std::numeric_limits<float>::infinity() : static_cast<float>(image.variance(i));
  });
  return out;
}

/// The kernel of an array as applied to the image without flipping, normalised. An even side is extended by one.
Kernel kernel_of(const AnyArray& values) {
  const Shape shape = shape_of(values);
  const SepPlane plane = plane_of(values);
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

Settings config_of(const ExtractOptions& options) {
  Settings config;
  config.detection.connectivity = 8;
  config.detection.min_area = options.min_area;
  config.deblend.thresholds = options.levels;
  config.deblend.contrast = options.contrast;
  config.deblend.clean = true;
  config.deblend.clean_beta = options.clean_beta;
  return config;
}

void check_pixels(const Runs<Cpu>& runs, const ExtractOptions& options) {
  if (options.most_pixels == 0) return;
  std::int64_t pixels = 0;
  for (const Run& run : runs.runs) pixels += run.end - run.begin;
  if (pixels <= options.most_pixels) return;
  throw Error(ErrorKind::input, "internal pixel buffer full: The limit of " + std::to_string(options.most_pixels) +
                                    " active object pixels over the detection threshold was reached. Check that the "
                                    "image is background subtracted and the detection threshold is not too low. "
                                    "Detection threshold can be increased, or the limit with set_extract_pixstack.");
}

/// The runs of a map of sources. Sources are numbered from 1 in the order of the map's numbers.
struct GivenSources {
  Runs<Cpu> runs;
  Components<Cpu> components;
};

GivenSources sources_of(const std::int32_t* segments, const Shape& shape, const Cpu& where) {
  std::vector<Run> runs;
  std::vector<std::int32_t> owners;
  GivenSources given;
  given.runs.shape = shape;
  given.runs.row_begin = Buffer<std::int64_t, Cpu>(shape.height + 1, where);
  for (std::int64_t y = 0; y < shape.height; ++y) {
    before_row(shape.width);
    given.runs.row_begin[y] = std::ssize(runs);
    const std::int32_t* const row = segments + y * shape.width;
    for (std::int64_t x = 0; x < shape.width;) {
      const std::int64_t begin = x;
      const std::int32_t owner = row[begin];
      while (++x < shape.width && row[x] == owner) continue;
      if (owner <= 0) continue;
      runs.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(begin), static_cast<std::int32_t>(x)});
      owners.push_back(owner);
    }
  }
  given.runs.row_begin[shape.height] = std::ssize(runs);
  given.runs.runs = Buffer<Run, Cpu>(std::ssize(runs), where);
  given.components.label = Buffer<std::int32_t, Cpu>(std::ssize(runs), where);
  std::ranges::copy(runs, given.runs.runs.begin());
  std::ranges::copy(owners, given.components.label.begin());
  const auto count = static_cast<std::int64_t>(rank_labels(given.components.label, where).size());
  given.components.counts = ComponentCounts{count, count};
  return given;
}

/// The sources in SEP's order: by the last pixel of their island, then by their position in the island.
std::vector<std::int32_t> order_of(const Runs<Cpu>& island_runs, const Components<Cpu>& islands,
                                   const Buffer<Parentage, Cpu>& parentage, const std::vector<std::int32_t>& place) {
  std::vector<std::int64_t> last_run(static_cast<std::size_t>(islands.counts->kept) + 1, 0);
  for (std::int64_t run = 0; run < island_runs.runs.size(); ++run)
    last_run[static_cast<std::size_t>(islands.label[run])] = run;
  std::vector<std::int32_t> order(place.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int32_t source) {
    return std::pair(last_run[static_cast<std::size_t>(parentage[source].parent)],
                     place[static_cast<std::size_t>(source)]);
  };
  std::ranges::sort(order, {}, key);
  return order;
}

/// Extracts the sources of an image.
class Extraction {
 public:
  Extraction(const SepImage& image, const std::optional<AnyArray>& kernel, const ExtractOptions& options)
      : image_(image), options_(options), config_(config_of(options)), where_{options.threads} {
    if (kernel) kernel_ = kernel_of(*kernel);
  }

  SepObjects run(const std::int32_t* segments) {
    measured_ = pixels_of(image_, where_);
    if (kernel_) convolved_ = convolve_by_any(measured_, *kernel_, Value<Background, Cpu>(), where_);
    if (image_.noise) variance_ = variances_of(image_, where_);
    levels_->detection = options_.threshold;  // unless the pixels' noise varies
    levels_->in_noise = options_.threshold;
    levels_->sigma = 1;
    return segments != nullptr ? measure_given(segments) : find();
  }

 private:
  const Image<float, Cpu>& found() const { return kernel_ ? convolved_ : measured_; }
  NoiseMap<Cpu> noise() const { return {nullptr, image_.noise ? &variance_ : nullptr}; }

  Runs<Cpu> find_foreground() const {
    if (!image_.noise) return find_runs(found(), levels_, where_);
    if (!kernel_ || !options_.matched) return find_runs(found(), levels_, variance_, where_);
    Image<float, Cpu> match = matched_filter(measured_, *kernel_, Value<Background, Cpu>(), levels_, noise(), where_);
    // A pixel with NaN noise is masked: otherwise the mean threshold of an object would be NaN.
    const std::int64_t width = image_.shape.width;
    for_each_row(image_.shape, where_, [&](std::int64_t y) {
      for (std::int64_t i = y * width; i < (y + 1) * width; ++i)
        if (const double variance = image_.variance(i); variance != variance) match.pixels[i] = masked_pixel;
    });
    return find_runs(match, levels_of_match(levels_, where_), where_);
  }

  /// After detection, gives masked pixels in the foreground their given noise: an infinite one has no mean.
  void forget_mask() {
    if (!image_.noise || !image_.mask) return;
    const std::int64_t width = image_.shape.width;
    for_each_row(image_.shape, where_, [&](std::int64_t y) {
      for (std::int64_t i = y * width; i < (y + 1) * width; ++i)
        if (image_.is_masked(i)) variance_.pixels[i] = static_cast<float>(image_.variance(i));
    });
  }

  SepObjects find() {
    const Runs<Cpu> island_runs = find_foreground();
    forget_mask();
    check_pixels(island_runs, options_);
    const Components<Cpu> islands = label_components(island_runs, config_.detection, where_);
    // Without deblending every island is a source.
    const bool split = options_.contrast < 1;
    const std::vector<double> thresholds = island_thresholds(island_runs, islands);
    Deblended<Cpu> deblended;
    if (split) deblended = deblend(island_runs, islands, thresholds);
    const Runs<Cpu>& runs = split ? deblended.runs : island_runs;
    const Components<Cpu>& components = split ? deblended.components : islands;
    const Buffer<SourceSums, Cpu> sums = measure_sources(found(), runs, components, levels_, MaskCounts{}, where_);
    const std::int64_t count = components.counts->kept;
    Buffer<Parentage, Cpu> parentage(count, where_);
    std::vector<std::int32_t> place(static_cast<std::size_t>(count), 0);
    for (std::int64_t i = 0; i < count; ++i) {
      parentage[i] = split ? deblended.parentage[i] : Parentage{0, 0, static_cast<std::int32_t>(i + 1), 0, 0};
      if (split) place[static_cast<std::size_t>(i)] = deblended.core_pixels.place[i];
    }
    const std::vector<std::int32_t> order = order_of(island_runs, islands, parentage, place);
    const SepPixels pixels = pixels_with(thresholds);
    const SepObjects objects = measure_objects(pixels, runs, components, sums, parentage, order, where_);
    if (!options_.clean) return objects;
    const Uncleaned<Cpu> sources{runs, components, island_runs, islands, deblended.core_pixels, deblended.parentage,
                                 sums};
    const Buffer<float, Cpu> limits =
        find_limits({found(), measured_, levels_, noise()}, sources, config_.detection, where_);
    std::vector<CleanFacts> facts(order.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const SepObject& row = objects.rows[i];
      facts[i] = {limits[order[i]], count_above(pixels, objects.runs_of(i), (row.thresh + row.peak) / 2)};
    }
    return keep_survivors(objects, find_survivors(objects.rows, facts, options_.clean_beta, image_.shape));
  }

  /// The mean threshold over the pixels of each island, by label from 1; empty if all pixels have the same threshold.
  std::vector<double> island_thresholds(const Runs<Cpu>& runs, const Components<Cpu>& islands) const {
    if (!image_.noise) return {};
    std::vector<double> sums(static_cast<std::size_t>(islands.counts->kept) + 1, 0), pixels(sums.size(), 0);
    for (std::int64_t i = 0; i < runs.runs.size(); ++i) {
      const Run& run = runs.runs[i];
      const auto label = static_cast<std::size_t>(islands.label[i]);
      for (std::int64_t x = run.begin; x < run.end; ++x)
        sums[label] += options_.threshold * std::sqrt(image_.variance(run.y * runs.shape.width + x));
      pixels[label] += run.end - run.begin;
    }
    for (std::size_t label = 1; label < sums.size(); ++label) sums[label] /= pixels[label];
    return sums;
  }

  /// SEP's levels start at the mean threshold of an island, not at its lowest. So all pixels of an island get the noise
  /// of that threshold.
  Deblended<Cpu> deblend(const Runs<Cpu>& runs, const Components<Cpu>& islands, const std::vector<double>& thresholds) {
    if (thresholds.empty() || !(options_.threshold > 0))
      return deblend_sources({found(), measured_, levels_, noise()}, runs, islands, config_, where_);
    Image<float, Cpu> even(runs.shape, where_);
    for (std::int64_t i = 0; i < runs.runs.size(); ++i) {
      const Run& run = runs.runs[i];
      const double noise = thresholds[static_cast<std::size_t>(islands.label[i])] / options_.threshold;
      float* const row = even.pixels.data() + run.y * runs.shape.width;
      std::fill(row + run.begin, row + run.end, static_cast<float>(noise * noise));
    }
    return deblend_sources({found(), measured_, levels_, {nullptr, &even}}, runs, islands, config_, where_);
  }

  SepObjects measure_given(const std::int32_t* segments) const {
    const GivenSources given = sources_of(segments, image_.shape, where_);
    const Buffer<SourceSums, Cpu> sums =
        measure_sources(found(), given.runs, given.components, levels_, MaskCounts{}, where_);
    Buffer<Parentage, Cpu> parentage(sums.size(), where_);
    for (std::int64_t i = 0; i < sums.size(); ++i) parentage[i] = {0, 0, static_cast<std::int32_t>(i + 1), 0, 0};
    std::vector<std::int32_t> order(static_cast<std::size_t>(sums.size()));
    std::iota(order.begin(), order.end(), 0);
    // SEP sets this flag only for sources that it detects itself.
    SepObjects objects = measure_objects(pixels_with({}), given.runs, given.components, sums, parentage, order, where_);
    for (SepObject& object : objects.rows) object.flag = static_cast<std::int16_t>(object.flag & ~sep_truncated);
    return objects;
  }

  SepPixels pixels_with(std::vector<double> thresholds) const {
    return {found(), measured_, image_, options_.threshold, *levels_, options_.gain, std::move(thresholds)};
  }

  const SepImage& image_;
  const ExtractOptions& options_;
  Settings config_;
  Cpu where_;
  std::optional<Kernel> kernel_;
  Image<float, Cpu> measured_, convolved_, variance_;
  Value<Levels, Cpu> levels_;
};

nb::object extract(const AnyArray& data, double threshold, const OptionalArray& noise, double noise_of_all,
                   bool noise_is_variance, double gain, const OptionalArray& mask, double mask_threshold,
                   std::int64_t min_area, const OptionalArray& kernel, bool matched, std::int64_t levels,
                   double contrast, bool clean, double clean_beta, const OptionalArray& segments,
                   const std::optional<Results<std::int32_t>>& segments_out, std::int64_t most_pixels, int threads) {
  SepImage image = sep_image(data, mask, mask_threshold);
  image.noise = plane_of(noise);
  image.noise_of_all = noise_of_all;
  image.noise_is_variance = noise_is_variance;
  const ExtractOptions options{threshold, gain,  min_area,   matched,     levels,
                               contrast,  clean, clean_beta, most_pixels, threads};
  auto rows = std::make_unique<std::vector<SepObject>>();
  do_watchfully([&] {
    Extraction extraction(image, kernel, options);
    SepObjects objects = extraction.run(segments ? static_cast<const std::int32_t*>(segments->data()) : nullptr);
    if (segments_out) draw(objects, image.shape, segments_out->data(), Cpu{threads});
    *rows = std::move(objects.rows);
  });
  auto* const bytes = reinterpret_cast<std::uint8_t*>(rows->data());
  const std::size_t size = rows->size() * sizeof(SepObject);
  return numpy_array(std::move(rows), bytes, {size});
}

}  // namespace

void bind_sep_extract(nb::module_& module) {
  module.def("sep_extract", &extract, nb::arg("data"), nb::arg("threshold"), nb::arg("noise").none(),
             nb::arg("noise_of_all"), nb::arg("noise_is_variance"), nb::arg("gain"), nb::arg("mask").none(),
             nb::arg("mask_threshold"), nb::arg("min_area"), nb::arg("kernel").none(), nb::arg("matched"),
             nb::arg("levels"), nb::arg("contrast"), nb::arg("clean"), nb::arg("clean_beta"),
             nb::arg("segments").none(), nb::arg("segments_out").none(), nb::arg("most_pixels"), nb::arg("threads"));
}

}  // namespace srcextract::python
