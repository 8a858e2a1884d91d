#pragma once

#include <utility>

#include "config/config.hpp"
#include "stages/combine/combine.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/difference/difference.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/measure.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

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
  Buffer<SourceSums, Where> fluxes;     ///< the sums in the image itself, where sources were found in another
  Buffer<SourceSums, Where> variances;  ///< of the noise, above the background like all sums, where it is of each pixel
};

/// Makes the image in which sources are found, if it is not the image itself: as noisy as its sky all over, convolved.
template <class Where, class Done>
void make_detection_image(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
                          const Where& where, Done&& done) {
  if (!pixels.noise.pixels.empty()) {
    found.image = weigh_pixels(pixels.image, pixels.noise, found.background, where);
    done("weigh");
  }
  if (config.convolve.kernel != KernelShape::none) {
    const Image<float, Where>& image = found.image.pixels.empty() ? pixels.image : found.image;
    found.image = convolve(image, make_kernel(config.convolve), config.convolve.edges, found.background, where);
    done("convolve");
  }
}

/// The steps from pixels to sums over sources, on `Where`; on a device nothing waits. After each step
/// `done(stage)` is called.
template <class Where, class Done>
Detection<Where> detect_sources(const Pixels<Where>& pixels, const Config& config, const Where& where, Done&& done) {
  Detection<Where> found;
  found.background = estimate_background(pixels.image, config.background, where);
  done("background");

  make_detection_image(pixels, config, found, where, done);
  const bool in_another = !found.image.pixels.empty();
  const Image<float, Where>& image = in_another ? found.image : pixels.image;
  if (in_another && config.detection.threshold_unit == ThresholdUnit::detection_sigma) {
    const auto background = estimate_background(image, config.background, where);
    found.levels = resolve_levels(found.background, background, config, where);
  } else {
    found.levels = resolve_levels(found.background, config, where);
  }
  found.runs = find_runs(image, found.levels, where);
  done("threshold");
  if (config.clean.operation != CleanOperation::none) {
    found.thresholded = std::exchange(found.runs, clean_runs(found.runs, config.clean, where));
    done("clean");
  }

  found.components = label_components(found.runs, config.detection, where);
  done("label");

  found.sums = measure_sources(image, found.runs, found.components, found.levels, pixels.masked, where);
  done("measure");
  if (in_another) {
    found.fluxes = measure_sources(pixels.image, found.runs, found.components, found.levels, pixels.masked, where);
    done("flux");
  }
  if (!pixels.noise.pixels.empty()) {
    found.variances = measure_sources(pixels.noise, found.runs, found.components, found.levels, pixels.masked, where);
    done("variance");
  }
  return found;
}

/// Appends what the steps have found to the record, stage by stage; all of it must be on the host.
inline void record_detection(const Detection<Cpu>& found, StageRecord& record) {
  record_stage("background", *found.background, record);
  if (!found.image.pixels.empty()) record_stage("detection image", found.image, record);
  record_stage("levels", *found.levels, record);
  const bool cleaned = !found.thresholded.row_begin.empty();
  record_stage("threshold", cleaned ? found.thresholded : found.runs, record);
  if (cleaned) record_stage("clean", found.runs, record);
  record_stage("label", found.components, record);
  record_stage("measure", found.sums, record);
  if (!found.image.pixels.empty()) record_stage("flux", found.fluxes, record);
  if (!found.variances.empty()) record_stage("variance", found.variances, record);
}

}  // namespace srcextract
