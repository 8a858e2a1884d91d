#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/chain/detect_sources.hpp"
#include "python/core/stages/stages.hpp"
#include "stages/core/error.hpp"
#include "stages/detect/label_image.hpp"

/// The stages one by one, for results that a caller passes from one to the next. The results are those of
/// pipeline/chain with the same configuration, on host and device.
namespace srcextract::python {

/// A host value, copied to where the work runs.
template <class T>
Value<T, Cpu> value_at(const T& value, const Cpu&) {
  return value;
}

template <class T>
Value<T, Gpu> value_at(const T& value, const Gpu& where);

/// Shrinks runs to their size; the stage that made them may have left room for more.
inline void leave_no_room(Runs<Cpu>&, const Cpu&) {}
void leave_no_room(Runs<Gpu>& runs, const Gpu& where);

template <class Where>
SkyMesh<Where> copy_of_mesh(const SkyMesh<Where>& mesh, const Where& where) {
  return {mesh.grid, copy_of(mesh.level, where), copy_of(mesh.rms, where), copy_of(mesh.level_bend, where),
          copy_of(mesh.rms_bend, where)};
}

template <class Where>
void find_sky(const HeldImage<Where>& image, const Config& config, HeldSky<Where>& sky) {
  const Where& where = sky.place.where;
  const GivenSky given = given_sky(config.given_sky);
  if (given.level)
    throw Error(ErrorKind::config,
                "background.level: a level that is known is subtracted from the array before it "
                "comes here; background.rms can be given");
  if (config.background.method == BackgroundMethod::constant) {
    sky.whole = estimate_background(image.pixels.image, config.background, where);
    if (given.any()) give_sky(given, sky.whole, where);
    sky.above = copy_of(sky.whole, where);
    give_sky(GivenSky{.level = true}, sky.above, where);
  } else {
    MeshSky<Where> meshes = estimate_mesh(image.pixels.image, config.background, where);
    if (given.any()) give_sky(given, meshes, where);
    sky.mesh = std::move(meshes.mesh);
    sky.whole = std::move(meshes.background);
    sky.above = std::move(meshes.above);
  }
  sky.facts = fetch(sky.whole, where);
}

/// The sky for an image, or for the image after it was subtracted.
template <class Where>
struct SkyOf {
  const HeldSky<Where>& sky;
  bool subtracted;

  bool of_mesh() const { return !sky.mesh.level.empty(); }
  /// Statistics of the image that the stages work on.
  const Value<Background, Where>& background() const { return subtracted || of_mesh() ? sky.above : sky.whole; }
};

/// The image that the stages work on: as it is, or with a mesh subtracted here.
template <class Where>
class Worked {
 public:
  Worked(const HeldImage<Where>& image, const SkyOf<Where>& sky, const Where& where) : held_(image) {
    if (!(image.pixels.image.shape == sky.sky.shape))
      throw Error(ErrorKind::input, "the image and its background are of different shapes");
    if (sky.of_mesh() && !sky.subtracted) above_ = subtract_sky(image.pixels.image, sky.sky.mesh, where);
  }

  const Image<float, Where>& image() const { return above_.pixels.empty() ? held_.pixels.image : above_; }
  const Value<MaskCounts, Where>& masked() const { return held_.pixels.masked; }

 private:
  const HeldImage<Where>& held_;
  Image<float, Where> above_;
};

template <class Where>
NoiseMap<Where> noise_of(const SkyOf<Where>& sky, const Config& config) {
  return {.mesh = noise_varies(config) && sky.of_mesh() ? &sky.sky.mesh : nullptr};
}

/// Resolves thresholds for a detection image. In units of a convolved image's noise, that noise is measured in the
/// image.
template <class Where>
class StageLevels {
 public:
  StageLevels(const Image<float, Where>& image, const SkyOf<Where>& sky, const Config& config, const Where& where)
      : sky_(sky),
        config_(config),
        where_(where),
        in_own_noise_(config.convolve.kernel != KernelShape::none &&
                      config.detection.threshold_unit == ThresholdUnit::detection_sigma) {
    if (in_own_noise_) own_ = estimate_background(image, config.background, where);
  }

  Value<Levels, Where> operator()(double threshold) const {
    return resolve_levels(sky_.background(), in_own_noise_ ? own_ : sky_.background(),
                          with_threshold(config_, threshold), where_);
  }

 private:
  const SkyOf<Where>& sky_;
  const Config& config_;
  const Where& where_;
  bool in_own_noise_;
  Value<Background, Where> own_;
};

/// Throws Error{config} for settings that these functions do not support.
void check_stage_config(const Config& config);

template <class Where>
HeldForeground<Where> find_pixels(const HeldImage<Where>& image, const SkyOf<Where>& sky, const Config& config,
                                  const Place<Where>& place) {
  const Where& where = place.where;
  check_background(sky.sky.facts, config);
  const Worked<Where> worked(image, sky, where);
  const StageLevels<Where> levels_at(worked.image(), sky, config, where);
  const NoiseMap<Where> noise = noise_of(sky, config);
  const bool by_rate = controls_false_discoveries(config.detection);
  Value<Levels, Where> levels = levels_at(by_rate ? 1 : config.detection.threshold);
  if (by_rate)
    raise_levels(levels, false_discovery_threshold(worked.image(), levels, noise, config.detection, where), where);
  HeldForeground<Where> found{place, {}};
  Runs<Where> runs = threshold(worked.image(), levels, noise, {}, where);
  if (config.detection.seed != 0)
    found.seeds = threshold(worked.image(), levels_at(config.detection.seed), noise, {}, where);
  if (config.morphology.operation != MorphologicalOperation::none)
    runs = apply_morphology(runs, config.morphology, where);
  leave_no_room(runs, where);
  found.runs = std::make_shared<const Runs<Where>>(std::move(runs));
  found.levels = fetch(levels, where);
  return found;
}

template <class Where>
HeldLabels<Where> join_pixels(const HeldForeground<Where>& found, const DetectionConfig& config,
                              const Place<Where>& place) {
  const Runs<Where>* const seeds = found.seeds ? &*found.seeds : nullptr;
  HeldLabels<Where> labels{place, found.runs, label_components(*found.runs, config, place.where, seeds)};
  const ComponentCounts counts = fetch(labels.components.counts, place.where);
  labels.kept = counts.kept;
  labels.found = counts.found;
  labels.levels = found.levels;
  return labels;
}

/// The levels of sources. For labels made elsewhere they follow from the configuration.
template <class Where>
Levels levels_of_sources(const HeldLabels<Where>& labels, const Image<float, Where>& image, const SkyOf<Where>& sky,
                         const Config& config, const Where& where) {
  const bool by_rate = controls_false_discoveries(config.detection);
  if (labels.levels) return *labels.levels;
  if (by_rate)
    throw Error(ErrorKind::config,
                "detection.false_discovery_rate: tells the threshold of threshold(); of labels from "
                "elsewhere say detection.threshold");
  return fetch(StageLevels<Where>(image, sky, config, where)(config.detection.threshold), where);
}

/// The measured image and the detection image, which may be the same.
template <class Where>
struct MeasuredAndFound {
  Worked<Where> measured;
  std::optional<Worked<Where>> other = {};

  const Image<float, Where>& found() const { return other ? other->image() : measured.image(); }
};

template <class Where>
MeasuredAndFound<Where> both_images(const HeldImage<Where>& image, const HeldImage<Where>* found_in,
                                    const SkyOf<Where>& sky, const Where& where) {
  MeasuredAndFound<Where> both{Worked<Where>(image, sky, where)};
  if (found_in != nullptr) both.other.emplace(*found_in, sky, where);
  return both;
}

template <class Where>
void check_shape(const HeldLabels<Where>& labels, const Shape& shape) {
  if (!(labels.runs->shape == shape))
    throw Error(ErrorKind::input, "the labels are of " + std::to_string(labels.runs->shape.height) + " rows of " +
                                      std::to_string(labels.runs->shape.width) + " pixels, and the image of " +
                                      std::to_string(shape.height) + " of " + std::to_string(shape.width));
}

template <class Where>
Components<Where> copy_of_components(const Components<Where>& components, const Where& where) {
  return {copy_of(components.label, where), copy_of(components.counts, where)};
}

/// Converts labels made elsewhere to the form that label() returns.
inline Components<Cpu> islands_of(const Runs<Cpu>& runs, const Components<Cpu>& components,
                                  const DetectionConfig& config, const Cpu& where) {
  return in_one_piece(runs, components.label, config.connectivity, where);
}
Components<Gpu> islands_of(const Runs<Gpu>& runs, const Components<Gpu>& components, const DetectionConfig& config,
                           const Gpu& where);

/// Deblends and cleans sources as the configuration says.
template <class Where>
HeldLabels<Where> divide_sources(const HeldImage<Where>& image, const HeldLabels<Where>& islands,
                                 const SkyOf<Where>& sky, const HeldImage<Where>* found_in, const Config& config,
                                 const Place<Where>& place) {
  const Where& where = place.where;
  check_shape(islands, image.pixels.image.shape);
  if (!islands.parentage.empty())
    throw Error(ErrorKind::input, "these labels were deblended already; give deblend() those of label()");
  const MeasuredAndFound<Where> both = both_images(image, found_in, sky, where);
  Components<Where> pieces;
  if (!islands.levels) pieces = islands_of(*islands.runs, islands.components, config.detection, where);
  const Components<Where>& whole = islands.levels ? islands.components : pieces;
  HeldLabels<Where> out{place, islands.runs, {}};
  out.levels = levels_of_sources(islands, both.found(), sky, config, where);
  if (islands.kept == 0) {
    out.components = copy_of_components(islands.components, where);
    out.found = islands.found;
    return out;
  }
  const Value<Levels, Where> levels = value_at(*out.levels, where);
  const DeblendImages<Where> images{both.found(), both.measured.image(), levels, noise_of(sky, config)};
  CorePixels<Where> cores;
  if (config.deblend.method != DeblendMethod::none) {
    Deblended<Where> parts = deblend_sources(images, *islands.runs, whole, config, where);
    out.runs = std::make_shared<const Runs<Where>>(std::move(parts.runs));
    out.components = std::move(parts.components);
    out.parentage = std::move(parts.parentage);
    cores = std::move(parts.core_pixels);
  } else {
    out.components = copy_of_components(whole, where);
  }
  if (config.deblend.clean) {
    const Buffer<SourceSums, Where> sums =
        measure_sources(both.found(), *out.runs, out.components, levels, both.measured.masked(), where);
    const bool divided = !out.parentage.empty();
    const Uncleaned<Where> sources{*out.runs,
                                   out.components,
                                   divided ? *islands.runs : *out.runs,
                                   divided ? whole : out.components,
                                   cores,
                                   out.parentage,
                                   sums};
    const std::int64_t kernel_rows =
        config.convolve.kernel != KernelShape::none ? make_kernel(config.convolve).height : 1;
    out.cleaned = clean_sources(images, sources, config, kernel_rows, where);
    out.components = std::move(out.cleaned->components);
    out.parentage = std::move(out.cleaned->parentage);
  }
  const ComponentCounts counts = fetch(out.components.counts, where);
  out.kept = counts.kept;
  out.found = counts.found;
  return out;
}

/// Sums over sources, as from detect_sources; on a device they stay there. Runs and labels are not included.
template <class Where>
Detection<Where> sum_sources(const HeldImage<Where>& image, const HeldLabels<Where>& labels, const SkyOf<Where>& sky,
                             const HeldImage<Where>* found_in, const Config& config, const Where& where) {
  check_shape(labels, image.pixels.image.shape);
  const MeasuredAndFound<Where> both = both_images(image, found_in, sky, where);
  const Value<MaskCounts, Where>& masked = both.measured.masked();
  Detection<Where> found;
  const StageLevels<Where> levels_at(both.found(), sky, config, where);
  Levels levels = levels_of_sources(labels, both.found(), sky, config, where);
  if (config.detection.analysis_threshold != 0 && labels.levels)
    levels.analysis = fetch(levels_at(config.detection.threshold), where).analysis;
  found.levels = value_at(levels, where);
  found.sums = measure_sources(both.found(), *labels.runs, labels.components, found.levels, masked, where);
  if (both.other)
    found.fluxes = measure_sources(both.measured.image(), *labels.runs, labels.components, found.levels, masked, where);
  const Components<Where>& own = labels.cleaned ? labels.cleaned->own : labels.components;
  const bool by_mesh = noise_of(sky, config).varies();
  if (by_mesh) found.least_variance = least_variance(noise_of(sky, config), *labels.runs, own, where);
  if (config.detection.analysis_threshold != 0)
    found.areas = area_above(*labels.runs, own,
                             threshold(both.measured.image(), levels_at(config.detection.analysis_threshold),
                                       noise_of(sky, config), {}, where),
                             where);
  if (measures_photometry(config)) {
    const Image<float, Where> no_variance;
    found.photometry =
        measure_photometry(PhotometryInput<Where>{both.measured.image(), no_variance, found.levels, *labels.runs, own,
                                                  labels.cleaned ? labels.cleaned->own_sums : found.sums,
                                                  labels.parentage, labels.cleaned ? &labels.cleaned->eaten : nullptr,
                                                  nullptr, by_mesh ? &found.least_variance : nullptr},
                           config, where);
  }
  return found;
}

}  // namespace srcextract::python
