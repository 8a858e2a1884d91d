#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "config/config.hpp"
#include "pipeline/chain/plan.hpp"
#include "stages/clean/clean_sources.hpp"
#include "stages/convolve/detection_filter.hpp"
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

/// Images that have only the pixels of the runs (pixels_of_runs); a run is a row of consecutive foreground pixels. Made
/// only on the host, if the rows of the images are computed on demand (stages/core/rows_on_demand.hpp). In other cases
/// the images are empty.
template <class Where>
struct ImagesOfRuns {
  Image<float, Where> found, measured;  ///< from the image in which sources were found, and from the measured image
  Image<float, Where> found_noise, measured_noise;  ///< variances of the same pixels; empty without a weight map
};

/// Results of the steps for one image, in the memory of the back end `Where`. A member that no step made is empty.
template <class Where>
struct Detection {
  Value<Background, Where> background;  ///< sky of the image; with a mesh, sky of the image minus the mesh
  BrightQuads<Where> bright;       ///< which groups of four pixels contain a bright pixel; made if the sky is one level
  SkyMesh<Where> mesh;             ///< sky level and noise on a grid of nodes; empty if the sky is one level
  Value<Background, Where> whole;  ///< with a mesh: sky of the image before the mesh was subtracted
  Image<float, Where> above;  ///< with a mesh: the image minus the mesh, which later steps use instead of the image
  Value<double, Where> noise_scale;  ///< factor that converts the roots of a weight map's relative variances to noise
  Interpolated<Where> filled;  ///< image and variance with masked gaps filled by interpolation, which later steps use;
                               ///< empty if not configured
  Image<float, Where> image;   ///< image in which sources were found; empty if sources were found in the measured image
  SkyMesh<Where> filtered;     ///< noise of that image at each node, in the unit of lower_noise(); empty unless
                               ///< thresholds are multiples of it
  Image<float, Where>
      match;  ///< result of the matched filter, in which sources were found; empty if another filter or none is used
  Image<float, Where>
      variance;  ///< variance after convolution with the image's filter, for thresholds; empty if not convolved
  ImagesOfRuns<Where> of_runs;
  Value<Levels, Where> levels;
  Runs<Where> thresholded;  ///< foreground before the morphological operation; empty without such an operation
  Runs<Where> runs;
  Runs<Where> seeds;     ///< pixels above detection.seed; empty if sources need no seed
  Runs<Where> analysed;  ///< pixels of the measured image above detection.analysis_threshold; empty if there is none
  Components<Where> components;
  Runs<Where>
      island_runs;  ///< runs and components (connected groups of runs) before deblending; empty without deblending
  Components<Where> islands;
  Buffer<Parentage, Where> parentage;  ///< per source: the component and the core from which deblending or CLEAN made
                                       ///< it; empty if neither ran
  CorePixels<Where> core_pixels;       ///< input of CLEAN from deblending; empty unless both are used
  Cleaned<Where> cleaned;  ///< results of CLEAN; `components` and `parentage` are moved to the members of Detection
                           ///< with these names
  Buffer<SourceSums, Where> sums;
  Buffer<SourceSums, Where> fluxes;  ///< sums in the measured image; empty if sources were found in that image
  Buffer<SourceSums, Where>
      variances;  ///< per source: sum of the variances of its pixels; empty if the variances of pixels are not known
  /// Per source: the smallest variance of its pixels; empty unless thresholds follow the noise of each pixel. The
  /// pixels are those of the image in which sources were found. If another image is measured and has a mesh, the
  /// variances are of that image.
  Buffer<double, Where> least_variance;
  Buffer<std::int64_t, Where> areas;   ///< per source: number of its pixels that are also in `analysed`
  Photometry<Where> photometry;        ///< results of the families (groups of columns) that the configuration asks for
  std::optional<ApertureNoise> noise;  ///< noise of sums over empty apertures; null if not asked for
  std::optional<CrowdFit> crowd;       ///< result of fitting all stars at once; null if not asked for
  /// Dual-image mode: sky of the image in which sources were found, since `background`, `levels` and so on are of the
  /// measured image. Null in other modes.
  const FoundSky* found_in = nullptr;
};

/// Dual-image mode: the sky of the image in which sources were found, in host memory. The catalogue needs this sky
/// besides that of the measured image.
struct FoundSky {
  Detection<Cpu> found;  ///< only the members marked Elsewhere::on_host in for_each_part(), and `levels`
  MaskCounts masked;
  const Config* config;  ///< configuration of the image in which sources were found
};

/// Whether a step made this member of Detection.
template <class T, class Where>
bool is_there(const Buffer<T, Where>& rows) {
  return !rows.empty();
}
template <class Where>
bool is_there(const Image<float, Where>& image) {
  return !image.pixels.empty();
}
template <class Where>
bool is_there(const Interpolated<Where>& filled) {
  return !filled.image.pixels.empty();
}
template <class Where>
bool is_there(const SkyMesh<Where>& mesh) {
  return !mesh.level.empty();
}
template <class Where>
bool is_there(const Runs<Where>& runs) {
  return !runs.row_begin.empty();
}
template <class Where>
bool is_there(const Components<Where>& components) {
  return !components.label.empty();
}
template <class Where>
bool is_there(const Cleaned<Where>& cleaned) {
  return !cleaned.absorbed.empty();
}

/// Dual-image mode: what happens to a member of the detection image's results before other images are measured
/// (measure_elsewhere).
enum class Elsewhere {
  dropped,
  on_host,  ///< copied to host memory for the catalogue (FoundSky), and dropped from the results
  kept,     ///< kept in the back end's memory
  copied    ///< kept in the back end's memory; the results of each measured image start with a copy
};

/// The type of a member of Detection. `image`: an image, perhaps with its variance. `rows`: a buffer with one element
/// per source.
enum class PartKind { value, mesh, image, runs, components, rows, cleaned, families };

/// Tells the functions passed to for_each_part() how to treat a member of Detection: by its type, by its use in
/// dual-image mode, and under which name it is recorded. The record contains the results of all steps, for a comparison
/// of the back ends.
template <PartKind k, Elsewhere e = Elsewhere::dropped>
struct DetectionPart {
  static constexpr PartKind kind = k;
  static constexpr Elsewhere elsewhere = e;
  const char* stage = nullptr;  ///< name of the step that made the part, for the record; null: record_detection()
                                ///< records the part under several names
  bool (*is_recorded)(const Detection<Cpu>&) =
      nullptr;  ///< whether the part is recorded; null: the part is recorded unless it is empty
};

/// Calls f(part, members...) for each member of Detection, with that member of every argument in `of`. All code that
/// records, copies, transfers or shrinks results uses this list, whose order is the order of the record.
///
/// `bright`, `noise_scale`, `of_runs` and `core_pixels` are not in the list, since only the steps read them. `noise`,
/// `crowd` and `found_in` are not in the list either, since all back ends keep these results in host memory. The first
/// `runs` and `components` in the list are those of the last step. Components directly follow their runs.
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
  f(DetectionPart<mesh, on_host>{"filtered noise"}, of.filtered...);
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

constexpr int parts_of(PartKind kind) {
  int parts = 0;
  for_each_part([&](auto part) { parts += part.kind == kind ? 1 : 0; });
  return parts;
}

/// Copies in the memory of the original. If the rows of an image are computed on demand, the copy shares the rows with
/// the original. Overloads for GPU memory are in pipeline/engine/results.hpp.
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

template <class Where>
bool is_cleaned(const Detection<Where>& found) {
  return !found.cleaned.own.label.empty();
}

/// Label of each run. Runs of sources that CLEAN merged into other sources have label 0 here, and the label of the
/// other source in `components`.
template <class Where>
const Components<Where>& own_components(const Detection<Where>& found) {
  return is_cleaned(found) ? found.cleaned.own : found.components;
}

/// The measured image after the last step that changed its pixels.
template <class Where>
const Image<float, Where>& measured_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  if (!found.filled.image.pixels.empty()) return found.filled.image;
  if (!found.above.pixels.empty()) return found.above;
  return pixels.kept.pixels.empty() ? pixels.image : pixels.kept;
}

/// The variance of each pixel of the measured image; an image without pixels if there is no weight map.
template <class Where>
const Image<float, Where>& measured_variance(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.filled.variance.pixels.empty() ? pixels.variance : found.filled.variance;
}

/// The image in which sources are found: the measured image, or the image that was convolved or divided by its noise.
template <class Where>
const Image<float, Where>& found_image(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.image.pixels.empty() ? measured_image(pixels, found) : found.image;
}

/// Like found_image() and measured_image(), for steps that read only the pixels of runs and their neighbours.
template <class Where>
const Image<float, Where>& found_of_runs(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.of_runs.found.pixels.empty() ? found_image(pixels, found) : found.of_runs.found;
}
template <class Where>
const Image<float, Where>& measured_of_runs(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.of_runs.measured.pixels.empty() ? measured_image(pixels, found) : found.of_runs.measured;
}

/// The filter of the image before sources are found.
template <class Where>
DetectionFilter detection_filter(const Pixels<Where>& pixels, const Plan& plan) {
  const ConvolveConfig& config = plan.config.convolve;
  return plan.is_scored() ? DetectionFilter{kernel_of_weights(pixels.star.in_middle), config.edges} : filter_of(config);
}

/// The variance of each pixel of the measured image, up to a constant factor. With a weight map, the factor is the
/// square of Levels::noise_scale. In a difference image, the factor is the variance of the sky. The returned image has
/// no pixels if there is neither a weight map nor a noise map of a difference (Pixels::noise).
template <class Where>
const Image<float, Where>& measured_noise(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return pixels.variance.pixels.empty() ? pixels.noise : measured_variance(pixels, found);
}
/// Like measured_noise(), for steps that read only the pixels of runs.
template <class Where>
const Image<float, Where>& noise_of_runs(const Pixels<Where>& pixels, const Detection<Where>& found) {
  return found.of_runs.measured_noise.pixels.empty() ? measured_noise(pixels, found) : found.of_runs.measured_noise;
}

/// The background mesh, if thresholds are multiples of the noise that it gives to each pixel; else null.
template <class Where>
const SkyMesh<Where>* noise_mesh(const Plan& plan, const Detection<Where>& found) {
  return plan.noise_varies() && !found.mesh.level.empty() ? &found.mesh : nullptr;
}

/// The noise of each pixel of the measured image, of which thresholds are multiples. Empty if thresholds are not in
/// sigma, or if neither a weight map nor the background mesh gives the noise.
template <class Where>
NoiseMap<Where> noise_of_pixels(const Pixels<Where>& pixels, const Plan& plan, const Detection<Where>& found) {
  if (counts_in_sigmas(plan.config.detection) && !pixels.variance.pixels.empty())
    return {.variance = &measured_variance(pixels, found)};
  return {.mesh = noise_mesh(plan, found)};
}

/// The noise of each pixel of the image in which sources are found, of which thresholds are multiples. May contain only
/// the pixels of runs (ImagesOfRuns) once these are found.
template <class Where>
NoiseMap<Where> noise_of_found(const Pixels<Where>& pixels, const Plan& plan, const Detection<Where>& found) {
  if (!found.of_runs.found_noise.pixels.empty()) return {.variance = &found.of_runs.found_noise};
  if (!found.variance.pixels.empty()) return {.variance = &found.variance};
  NoiseMap<Where> noise = noise_of_pixels(pixels, plan, found);
  if (noise.mesh != nullptr && !found.filtered.rms.empty()) noise.mesh = &found.filtered;
  return noise;
}

/// The runs that were joined into components: after the morphological operation and before deblending. Each step
/// replaces `runs`, and deblending keeps the earlier runs in `island_runs`.
template <class Where>
const Runs<Where>& labelled_runs(const Detection<Where>& found) {
  return is_there(found.island_runs) ? found.island_runs : found.runs;
}

/// The runs above the threshold, before the morphological operation.
template <class Where>
const Runs<Where>& thresholded_runs(const Detection<Where>& found) {
  return is_there(found.thresholded) ? found.thresholded : labelled_runs(found);
}

/// Records the runs and labels after each of the steps that made them.
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

/// Appends the results of all steps to the record, in the order of for_each_part(). All results must be in host memory.
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
