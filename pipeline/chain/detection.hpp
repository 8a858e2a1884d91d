#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "config/config.hpp"
#include "stages/clean/clean_sources.hpp"
#include "stages/convolve/kernel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/crowd/crowd_fit.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/measure/area_above.hpp"
#include "stages/measure/least_variance.hpp"
#include "stages/measure/measure.hpp"
#include "stages/photometry/families.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/weights/interpolate.hpp"

namespace srcextract {

struct FoundSky;

/// Images that have only the pixels of the runs (pixels_of_runs), on the host, where rows of images are made on demand;
/// else empty.
template <class Where>
struct ImagesOfRuns {
  Image<float, Where> found, measured;  ///< pixels of the image in which sources were found, and of the measured image
  Image<float, Where> found_noise, measured_noise;  ///< variances of these pixels, if there is a weight map
};

/// Results of the steps for an image, in the memory of the back end.
template <class Where>
struct Detection {
  Value<Background, Where> background;  ///< sky of the image; with a mesh, sky of the image minus the mesh
  BrightQuads<Where> bright;            ///< bright pixels, in groups of four, if the sky is one level
  SkyMesh<Where> mesh;                  ///< set if the background is a mesh
  Value<Background, Where> whole;       ///< with a mesh: sky of the image itself
  Image<float, Where> above;            ///< with a mesh: the image minus the mesh, which later steps use
  Value<double, Where> noise_scale;     ///< factor of the noise from a map of weights that gives only ratios
  Interpolated<Where> filled;           ///< image and variance with interpolated gaps, if asked for; later steps use
                                        ///< these
  Image<float, Where> image;            ///< image in which sources were found, unless it is the image itself
  Image<float, Where> match;            ///< result of the matched filter, in which sources were found, if used
  Image<float, Where> variance;         ///< convolved variance, by which thresholds follow, if the variance was
                                        ///< convolved
  ImagesOfRuns<Where> of_runs;
  Value<Levels, Where> levels;
  Runs<Where> thresholded;  ///< runs before morphological cleaning, if there was any
  Runs<Where> runs;
  Runs<Where> seeds;     ///< above detection.seed, if sources need a seed
  Runs<Where> analysed;  ///< pixels of the measured image above detection.analysis_threshold, if there is one
  Components<Where> components;
  Runs<Where> island_runs;  ///< runs and components before deblending, if there was any
  Components<Where> islands;
  Buffer<Parentage, Where> parentage;  ///< per source: the island and core it came from, if sources were deblended or
                                       ///< cleaned
  CorePixels<Where> core_pixels;       ///< set if sources were deblended and are to be cleaned
  Cleaned<Where> cleaned;              ///< results of CLEAN; its components and parentage move to the members above
  Buffer<SourceSums, Where> sums;
  Buffer<SourceSums, Where> fluxes;     ///< sums in the measured image, if sources were found in a convolved or other
                                        ///< image
  Buffer<SourceSums, Where> variances;  ///< per source: sum of its pixels' variances, if each pixel has its own
  /// The least variance of each source's pixels, if thresholds follow the noise of each pixel. It is taken in the image
  /// in which sources were found; for another measured image with a mesh, in that image.
  Buffer<float, Where> least_variance;
  Buffer<std::int64_t, Where> areas;   ///< number of pixels of each source in `analysed`
  Photometry<Where> photometry;        ///< results of the families that were asked for
  std::optional<ApertureNoise> noise;  ///< noise of sums over empty apertures, on the host, if asked for
  std::optional<CrowdFit> crowd;       ///< result of fitting all stars at once, on the host, if asked for
  /// For dual images: the image in which sources were found. Background, levels and so on are of the measured image.
  const FoundSky* found_in = nullptr;
};

/// The sky of the image in which sources were found, on the host, if another image is measured. The catalogue needs it.
struct FoundSky {
  Detection<Cpu> found;  ///< only the parts that are Elsewhere::on_host, and the levels
  MaskCounts masked;
  const Config* config;  ///< configuration of that image
};

/// Whether a step has made this part of a Detection.
template <class Type>
bool is_there(const Type& part) {
  if constexpr (requires { part.row_begin; })
    return !part.row_begin.empty();
  else if constexpr (requires { part.label; })
    return !part.label.empty();
  else if constexpr (requires { part.absorbed; })
    return !part.absorbed.empty();
  else if constexpr (requires { part.level; })
    return !part.level.empty();
  else if constexpr (requires { part.image; })
    return !part.image.pixels.empty();
  else if constexpr (requires { part.pixels; })
    return !part.pixels.empty();
  else
    return !part.empty();
}

/// What happens to a member of the detection image's results before other images are measured (measure_elsewhere).
enum class Elsewhere {
  dropped,
  on_host,  ///< goes to the host, for the catalogue (FoundSky)
  kept,     ///< stays where it is
  copied    ///< stays where it is; each measured image starts with a copy
};

/// Type of a member of Detection. An `image` may come with its variance; `rows` have one element per source.
enum class PartKind { value, mesh, image, runs, components, rows, cleaned, families };

/// How for_each_part's callers treat a member of Detection: its type, its fate, and its name in the record.
template <PartKind k, Elsewhere e = Elsewhere::dropped>
struct DetectionPart {
  static constexpr PartKind kind = k;
  static constexpr Elsewhere elsewhere = e;
  const char* stage = nullptr;  ///< the step's name in the record; null: record_detection has more than one name for it
  bool (*is_recorded)(const Detection<Cpu>&) = nullptr;  ///< whether the part is recorded; null: it is recorded
                                                         ///< whenever it is there
};

/// Calls f(part, members...) for each result of the steps, in the order of the record, with that member of every
/// detection. Records, copies, transfers, shrinking and summaries are made by this list. `bright`, `noise_scale`, the
/// images of runs and `core_pixels` are not listed: only the steps read them. The first runs and components are the
/// last step's; components follow their runs.
template <class F, class... Detections>
constexpr void for_each_part(F&& f, Detections&... of) {
  using enum PartKind;
  using enum Elsewhere;
  using Found = const Detection<Cpu>&;
  f(DetectionPart<value, on_host>{"background", [](Found found) { return found.mesh.level.empty(); }},
    of.background...);
  f(DetectionPart<value, on_host>{"background", [](Found found) { return !found.mesh.level.empty(); }}, of.whole...);
  f(DetectionPart<mesh, on_host>{"mesh"}, of.mesh...);
  f(DetectionPart<image, kept>{"subtract"}, of.above...);
  f(DetectionPart<image, kept>{"interpolate"}, of.filled...);
  f(DetectionPart<image, kept>{"detection image"}, of.image...);
  f(DetectionPart<image>{"match"}, of.match...);
  f(DetectionPart<image>{"convolved variance"}, of.variance...);
  f(DetectionPart<value, kept>{"levels"}, of.levels...);
  f(DetectionPart<runs, copied>{}, of.runs...);
  f(DetectionPart<components, copied>{}, of.components...);
  f(DetectionPart<runs>{}, of.thresholded...);
  f(DetectionPart<runs>{}, of.seeds...);
  f(DetectionPart<runs>{}, of.island_runs...);
  f(DetectionPart<components>{}, of.islands...);
  f(DetectionPart<rows, copied>{"parentage"}, of.parentage...);
  f(DetectionPart<cleaned, copied>{"clean sources"}, of.cleaned...);
  f(DetectionPart<rows, copied>{"measure", [](Found) { return true; }}, of.sums...);
  f(DetectionPart<rows>{"flux", [](Found found) { return is_there(found.image) || is_there(found.fluxes); }},
    of.fluxes...);
  f(DetectionPart<rows, on_host>{"variance"}, of.variances...);
  f(DetectionPart<rows, on_host>{"least variance"}, of.least_variance...);
  f(DetectionPart<runs>{"analysis"}, of.analysed...);
  f(DetectionPart<rows>{"area", [](Found found) { return is_there(found.analysed); }}, of.areas...);
  f(DetectionPart<families>{}, of.photometry...);
}

/// Number of parts of a kind.
constexpr int parts_of(PartKind kind) {
  int parts = 0;
  for_each_part([&](auto part) { parts += part.kind == kind ? 1 : 0; });
  return parts;
}

/// Makes copies in the memory of the original; an image whose rows are made on demand shares them with its copy. Copies
/// for a device are in pipeline/engine/results.hpp.
template <class T>
Value<T, Cpu> copy_of(const Value<T, Cpu>& value, const Cpu&) {
  return value;
}
template <class Where>
Image<float, Where> copy_of(const Image<float, Where>& image, const Where& where) {
  if constexpr (std::is_same_v<Where, Cpu>)
    if (is_on_demand(image)) return same_rows(image);
  Image<float, Where> copy;
  copy.shape = image.shape;
  copy.pixels = copy_of(image.pixels, where);
  return copy;
}

template <class Where>
Runs<Where> copy_of(const Runs<Where>& runs, const Where& where) {
  return {runs.shape, copy_of(runs.runs, where), copy_of(runs.row_begin, where)};
}
template <class Where>
Components<Where> copy_of(const Components<Where>& components, const Where& where) {
  return {copy_of(components.label, where), copy_of(components.counts, where)};
}
template <class Where>
Cleaned<Where> copy_of(const Cleaned<Where>& cleaned, const Where& where) {
  return {{}, copy_of(cleaned.absorbed, where), copy_of(cleaned.own, where), copy_of(cleaned.own_sums, where), {}};
}

/// Whether CLEAN has merged sources into others.
template <class Where>
bool is_cleaned(const Detection<Where>& found) {
  return !found.cleaned.own.label.empty();
}

/// The source of each run. Runs of sources that CLEAN merged into others have none.
template <class Where>
const Components<Where>& own_components(const Detection<Where>& found) {
  return is_cleaned(found) ? found.cleaned.own : found.components;
}

/// The measured image, after the last step that was applied to it.
template <class Where>
const Image<float, Where>& measured_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  if (!found.filled.image.pixels.empty()) return found.filled.image;
  if (!found.above.pixels.empty()) return found.above;
  return pixels.kept.pixels.empty() ? pixels.image : pixels.kept;
}

/// The variance of each pixel of the measured image, if there is a map of weights.
template <class Where>
const Image<float, Where>& measured_variance(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.filled.variance.pixels.empty() ? pixels.variance : found.filled.variance;
}

/// The image in which sources are found: the measured image, unless it was convolved or weighed.
template <class Where>
const Image<float, Where>& found_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.image.pixels.empty() ? measured_image(pixels, found) : found.image;
}

/// found_image() and measured_image(), for steps that read only the pixels of runs and their neighbours.
template <class Where>
const Image<float, Where>& found_of_runs(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.of_runs.found.pixels.empty() ? found_image(pixels, found) : found.of_runs.found;
}
template <class Where>
const Image<float, Where>& measured_of_runs(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.of_runs.measured.pixels.empty() ? measured_image(pixels, found) : found.of_runs.measured;
}

/// Whether sources of a difference are found with the score, the filter by the stars' shape, in place of the section
/// `convolve`.
inline bool is_scored(const Config& config) {
  return config.resources.has_star_profile && config.difference.detect_on == DetectOn::score &&
         counts_in_sigmas(config.detection);
}

/// The kernel with which the image is filtered before sources are found; none: it is not filtered.
template <class Where>
std::optional<Kernel> detection_kernel(const Pixels<Where>& pixels, const Config& config) {
  if (is_scored(config)) return kernel_of_weights(pixels.star.in_middle);
  if (config.convolve.kernel == KernelShape::none) return std::nullopt;
  return make_kernel(config.convolve);
}

/// Whether the detection kernel is a matched filter, which weighs pixels by their noise.
inline bool is_matched(const Config& config) {
  return config.convolve.filter == Filter::matched && !is_scored(config);
}

/// Whether sources are found in another image than the measured one: weighed, or convolved.
template <class Where>
bool has_detection_image(const Pixels<Where>& pixels, const Config& config) {
  return !pixels.noise.pixels.empty() || config.convolve.kernel != KernelShape::none || is_scored(config);
}

/// The variance of each pixel of the measured image, divided by a factor. If a weight map gives the variances, the
/// factor is the square of Levels::noise_scale. In a difference it is the variance of the sky. An image without pixels
/// if there is neither a weight map nor a difference.
template <class Where>
const Image<float, Where>& measured_noise(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return pixels.variance.pixels.empty() ? pixels.noise : measured_variance(pixels, found);
}
/// measured_noise(), for steps that read only the pixels of runs.
template <class Where>
const Image<float, Where>& noise_of_runs(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.of_runs.measured_noise.pixels.empty() ? measured_noise(pixels, found) : found.of_runs.measured_noise;
}

/// Whether the background mesh gives each pixel its noise, and thresholds are multiples of that noise.
inline bool noise_varies(const Config& config) {
  return config.background.method == BackgroundMethod::mesh && config.weights.type == WeightType::background &&
         counts_in_sigmas(config.detection);
}

/// The background mesh, if thresholds are multiples of the noise that it gives to each pixel; else null.
template <class Where>
const SkyMesh<Where>* noise_mesh(const Config& config, const Detection<Where>& found) {
  return noise_varies(config) && !found.mesh.level.empty() ? &found.mesh : nullptr;
}

/// The noise of each pixel of the measured image, if it is known and thresholds are multiples of it.
template <class Where>
NoiseMap<Where> noise_of_pixels(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found) {
  if (counts_in_sigmas(config.detection) && !pixels.variance.pixels.empty())
    return {.variance = &measured_variance(pixels, found)};
  return {.mesh = noise_mesh(config, found)};
}

/// Whether the variances of a weight map are convolved with the image's filter, since thresholds hold for the convolved
/// image.
inline bool convolves_variance(const Config& config) {
  return has_map(config.weights) && config.weights.convolve && config.convolve.kernel != KernelShape::none &&
         config.convolve.filter != Filter::matched && counts_in_sigmas(config.detection);
}

/// The noise of each pixel in the image in which sources are found; thresholds are multiples of it. Once runs are
/// found, steps read only their pixels.
template <class Where>
NoiseMap<Where> noise_of_found(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found) {
  if (!found.of_runs.found_noise.pixels.empty()) return {.variance = &found.of_runs.found_noise};
  if (!found.variance.pixels.empty()) return {.variance = &found.variance};
  return noise_of_pixels(pixels, config, found);
}

/// The runs that were joined into components: after morphology, and before deblending. Each step replaces `runs`;
/// deblending keeps the earlier runs in `island_runs`.
template <class Where>
const Runs<Where>& labelled_runs(const Detection<Where>& found) {
  return is_there(found.island_runs) ? found.island_runs : found.runs;
}

/// The runs above the threshold, before morphology.
template <class Where>
const Runs<Where>& thresholded_runs(const Detection<Where>& found) {
  return is_there(found.thresholded) ? found.thresholded : labelled_runs(found);
}

/// Records which pixels were found to belong to which source, under the names of the steps.
inline void record_segmentation(const Detection<Cpu>& found, StageRecord& record) {
  const bool cleaned = is_there(found.thresholded), deblended = is_there(found.island_runs);
  const Runs<Cpu>& labelled = labelled_runs(found);
  record_stage("threshold", thresholded_runs(found), record);
  if (is_there(found.seeds)) record_stage("seed", found.seeds, record);
  if (cleaned) record_stage("morphology", labelled, record);
  record_stage("label", deblended ? found.islands : found.components, record);
  if (!deblended) return;
  record_stage("deblended runs", found.runs, record);
  record_stage("deblended labels", found.components, record);
}

/// Appends the results of the steps to the record, stage by stage. All results must be on the host.
inline void record_detection(const Detection<Cpu>& found, StageRecord& record) {
  const auto record_part = [&](auto part, const auto& result) {
    if constexpr (part.kind == PartKind::families) {
      for_each_family([&]<class One>() {
        const auto& rows = result.template of<One>();
        if (rows.each > 0) record_stage(One::name, rows.rows, record);
      });
    } else if constexpr (part.kind == PartKind::value) {
      if (part.is_recorded == nullptr || part.is_recorded(found)) record_stage(part.stage, *result, record);
    } else if (part.stage == nullptr) {
      if (static_cast<const void*>(&result) == &found.runs) record_segmentation(found, record);
    } else if (part.is_recorded == nullptr ? is_there(result) : part.is_recorded(found)) {
      record_stage(part.stage, result, record);
    }
  };
  for_each_part(record_part, found);
}

}  // namespace srcextract
