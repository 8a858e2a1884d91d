#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/combine/combine.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/exposure.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/difference/difference.hpp"
#include "stages/difference/resample.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/columns.hpp"
#include "stages/measure/measure.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Stands for a result of which no record is kept.
struct Unrecorded {};

/// Reads the planes of a frame, and combines them if they are to be: read(source, pixels) reads one of them.
template <class Where, class Read, class Tap>
void read_frame(std::span<const PixelSource> planes, const Config& config, Pixels<Where>& pixels, const Where& where,
                Read&& read, Tap&& tap) {
  if (config.combine.method == CombineMethod::none) {
    read(planes.front(), pixels);
    tap("ingest", pixels);
    return;
  }
  check_plane_count(planes.size(), config.combine);
  std::vector<Pixels<Where>> frames;
  std::vector<Value<Background, Where>> skies;
  for (const PixelSource& plane : planes) read(plane, frames.emplace_back(plane.shape, where));
  tap("ingest", frames.back());
  if (needs_skies(config.combine.method))
    for (const Pixels<Where>& frame : frames)
      skies.push_back(estimate_background(frame.image, config.background, where));
  combine_planes(frames, skies, config.combine, pixels, where);
  tap("combine", pixels);
}

/// How two frames compared before one was subtracted from the other. Without match_flux there are no ratios.
template <class Where>
struct FrameMatch {
  FrameSkies<Where> skies;
  Value<Background, Where> ratios;
};

/// What the new frame has that the reference has not, and what it lacks, in `difference`. Both frames are on the pixels
/// of the new one in the end, and as wide as each other if their widths are known.
template <class Where, class Tap>
FrameMatch<Where> subtract_reference(Pixels<Where>& reference, const PixelMap* map, Pixels<Where>& fresh,
                                     const Config& config, Pixels<Where>& difference, const Where& where, Tap&& tap) {
  const DifferenceConfig& how = config.difference;
  if (map != nullptr) {
    reference.image = resample(reference.image, *map, how.interpolation, where);
    tap("align", Unrecorded{});
  }
  const auto sky_of = [&](const Pixels<Where>& frame) {
    return estimate_background(frame.image, config.background, where);
  };
  FrameMatch<Where> match{{sky_of(reference), sky_of(fresh)}, Value<Background, Where>(where)};
  FrameSkies<Where>& skies = match.skies;
  const auto widen = [&](Pixels<Where>& frame, Value<Background, Where>& sky, double from, double to) {
    frame.image = convolve(frame.image, make_matching_kernel(from, to), Edges::nearest, sky, where);
    sky = sky_of(frame);
    tap("match_width", Unrecorded{});
  };
  if (how.reference_fwhm < how.new_fwhm) widen(reference, skies.reference, how.reference_fwhm, how.new_fwhm);
  if (how.new_fwhm < how.reference_fwhm) widen(fresh, skies.fresh, how.new_fwhm, how.reference_fwhm);

  if (how.match_flux) {
    match.ratios =
        estimate_background(flux_ratios(reference.image, fresh.image, skies, where), config.background, where);
  }
  subtract_frames(reference.image, fresh.image, skies, match.ratios, how, config.measurement.gain, difference, where);
  tap("difference", difference);
  return match;
}

/// The same on the host, for the report.
template <class Where>
DifferenceFacts describe(const FrameMatch<Where>& match, const DifferenceConfig& how, const Where& where) {
  DifferenceFacts facts{fetch(match.skies.reference, where).clipped, fetch(match.skies.fresh, where).clipped, 0, 1};
  if (!how.match_flux) return facts;
  const Background ratios = fetch(match.ratios, where);
  facts.ratios = ratios.clipped.count;
  facts.scale = flux_scale(ratios, how.match_flux);
  return facts;
}

/// The sums over the sources in the image that is measured, where they were found in another; else none.
template <class Where>
struct FluxSums {
  Buffer<SourceSums, Where> of_source;
};

/// What the steps find in an image, where they ran.
template <class Where>
struct Detection {
  Value<Background, Where> background;
  Image<float, Where> image;  ///< in which sources were found, unless it is the image itself
  Value<Levels, Where> levels;
  Runs<Where> thresholded;  ///< before they were cleaned, if they were
  Runs<Where> runs;
  Components<Where> components;
  Buffer<SourceSums, Where> sums;
  FluxSums<Where> fluxes;
};

/// Makes the image in which sources are found, if it is not the image itself: as noisy as its sky all over, convolved.
template <class Where, class Tap>
void make_detection_image(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
                          const Where& where, Tap&& tap) {
  if (!pixels.noise.pixels.empty()) {
    found.image = weigh_pixels(pixels.image, pixels.noise, found.background, where);
    tap("weigh", found.image);
  }
  if (config.convolve.kernel != KernelShape::none) {
    const Image<float, Where>& image = found.image.pixels.empty() ? pixels.image : found.image;
    found.image = convolve(image, make_kernel(config.convolve), config.convolve.edges, found.background, where);
    tap("convolve", found.image);
  }
}

/// The steps from pixels to sums over sources, on `Where`; on a device nothing waits. After each step
/// `tap(name, result)` is called: the one hook for timing, progress and the comparison of back ends.
template <class Where, class Tap>
Detection<Where> detect_sources(const Pixels<Where>& pixels, const Config& config, const Where& where, Tap&& tap) {
  Detection<Where> found;
  found.background = estimate_background(pixels.image, config.background, where);
  tap("background", found.background);

  make_detection_image(pixels, config, found, where, tap);
  const bool in_another = !found.image.pixels.empty();
  const Image<float, Where>& image = in_another ? found.image : pixels.image;
  if (in_another && config.detection.threshold_unit == ThresholdUnit::detection_sigma) {
    const auto background = estimate_background(image, config.background, where);
    found.levels = resolve_levels(found.background, background, config, where);
  } else {
    found.levels = resolve_levels(found.background, config, where);
  }
  found.runs = find_runs(image, found.levels, where);
  tap("threshold", found.runs);
  if (config.clean.operation != CleanOperation::none) {
    found.thresholded = std::exchange(found.runs, clean_runs(found.runs, config.clean, where));
    tap("clean", found.runs);
  }

  found.components = label_components(found.runs, config.detection, where);
  tap("label", found.components);

  found.sums = measure_sources(image, found.runs, found.components, found.levels, pixels.masked, where);
  tap("measure", found.sums);
  if (in_another) {
    found.fluxes.of_source =
        measure_sources(pixels.image, found.runs, found.components, found.levels, pixels.masked, where);
    tap("flux", found.fluxes);
  }
  return found;
}

/// Whether an output shows which pixels were detected.
inline bool keeps_segmentation(const Config& config) {
  return config.output.segmentation || (config.output.quicklook && config.quicklook.overlay == Overlay::pixels);
}

/// The last stage, on the host for both back ends: from what was found in an image of that shape, and the sums over its
/// sources, to the catalogue. Throws Error{input} if the image has no background to speak of.
template <class Tap>
Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, std::span<const SourceSums> fluxes,
                        const MaskCounts& masked, const Shape& shape, const Config& config, const Cpu& where,
                        Tap&& tap) {
  check_background(*found.background, config);
  Extraction out;
  out.background = *found.background;
  out.levels = *found.levels;
  out.masked_nan = masked.nan;
  out.masked_infinite = masked.infinite;
  out.masked_blank = masked.blank;
  out.detected = found.components.counts->found;
  out.sources = derive_columns(sums, fluxes, shape, out.levels, config.measurement, where);
  tap("columns", out.sources);
  if (keeps_segmentation(config)) {
    out.runs = std::move(found.runs);
    out.label = std::move(found.components.label);
  }
  return out;
}

/// The pipeline, from stored pixels to the catalogue, on the host; CudaExtractor (cuda/engine/extractor.hpp) is its
/// twin.
template <class Tap>
Extraction run_stages(const Exposure& exposure, const Config& config, const Cpu& where, Tap&& tap) {
  const auto read = [&](const PixelSource& source, Pixels<Cpu>& pixels) { ingest(source, pixels, where); };
  const auto extract = [&](const Pixels<Cpu>& pixels) {
    Detection<Cpu> found = detect_sources(pixels, config, where, tap);
    return make_catalog(std::move(found), found.sums, found.fluxes.of_source, *pixels.masked, exposure.shape(), config,
                        where, tap);
  };
  Pixels<Cpu> pixels(exposure.shape(), where);
  read_frame(exposure.planes, config, pixels, where, read, tap);
  std::optional<Picture> picture;
  if (config.output.quicklook) {
    picture = render_picture(pixels.image, config.quicklook, where);
    tap("picture", *picture);
  }
  Extraction extraction;
  if (exposure.reference) {
    Pixels<Cpu> reference(exposure.reference->planes.front().shape, where);
    read_frame(exposure.reference->planes, config, reference, where, read, tap);
    Pixels<Cpu> difference(exposure.shape(), where);
    const auto match =
        subtract_reference(reference, exposure.reference->map.get(), pixels, config, difference, where, tap);
    Extraction brighter = extract(difference);
    negate(difference.image, where);
    extraction = join_sides(std::move(brighter), extract(difference));
    extraction.difference = describe(match, config.difference, where);
  } else {
    extraction = extract(pixels);
  }
  extraction.picture = std::move(picture);
  return extraction;
}

}  // namespace srcextract
