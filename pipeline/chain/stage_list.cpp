#include "pipeline/chain/stage_list.hpp"

#include <algorithm>
#include <iterator>

#include "pipeline/chain/aperture_noise.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/clean/find_eaters.hpp"
#include "stages/measure/measure.hpp"
#include "stages/photometry/families.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {
namespace {

std::int64_t none(const RunPlan&) {
  return 0;
}
std::int64_t one(const RunPlan&) {
  return 1;
}

std::int64_t three(const RunPlan&) {
  return 3;
}

std::int64_t seven(const RunPlan&) {
  return 7;
}

std::int64_t two(const RunPlan&) {
  return 2;
}

/// The map of weights and, if they are kept, the pixels that it masks only for the sky.
std::int64_t of_weights(const RunPlan& plan) {
  return 1 + (keeps_pixels(plan.config.weights) ? 1 : 0);
}

/// On the host, the image above the sky takes the memory of an image that is not read again.
std::int64_t one_if_read_again(const RunPlan& plan) {
  return extracts_twice(plan.config, plan.of_difference()) || has_map(plan.config.weights) ? 1 : 0;
}

std::int64_t of_detection_image(const RunPlan& plan) {
  const WeightsConfig& weights = plan.config.weights;
  return 2 + (has_map(weights) ? 1 + of_weights(plan) : 0) + (interpolates(weights) ? 2 : 0);
}

constexpr StageCost stages[] = {
    // subtract
    {[](const RunPlan& plan) { return plan.config.background.method == BackgroundMethod::mesh; }, one_if_read_again,
     one},
    // combine
    {[](const RunPlan& plan) { return plan.config.combine.method != CombineMethod::none; },
     [](const RunPlan& plan) { return plan.planes; }, [](const RunPlan& plan) { return plan.planes; }},
    // mask: its map
    {[](const RunPlan& plan) { return has_mask(plan.config.mask); }, one, one},
    // weights: the map, which check images keep on the host; on a device the memory of its estimate
    {[](const RunPlan& plan) { return has_map(plan.config.weights); }, of_weights, of_weights},
    // interpolate: the image and its variance without gaps
    {[](const RunPlan& plan) { return interpolates(plan.config.weights); }, two, two},
    // level: its map
    {[](const RunPlan& plan) { return has_level(plan.config.given_sky); }, one, one},
    // difference, with align, match_width, weigh and variance. The host has both frames; with a gain also the noise,
    // and the image weighed by it. A device also keeps the result of each step.
    {[](const RunPlan& plan) { return plan.of_difference(); },
     [](const RunPlan& plan) -> std::int64_t {
       const MeasurementConfig& config = plan.config.measurement;
       return config.gain > 0 || config.gain_keyword != "none" ? 4 : 2;
     },
     [](const RunPlan& plan) { return 6 + plan.reference_planes; }},
    // detection image: the image, its weights, and the measured image with its gaps filled. A device also keeps the
    // image in which sources are found, and the image above the mesh.
    {[](const RunPlan& plan) { return plan.found_elsewhere; }, of_detection_image,
     [](const RunPlan& plan) -> std::int64_t {
       const bool convolved = plan.config.convolve.kernel != KernelShape::none;
       const bool above_mesh = plan.config.background.method == BackgroundMethod::mesh;
       return of_detection_image(plan) + (convolved ? 1 : 0) + (above_mesh ? 1 : 0);
     }},
    // check images: the host keeps the image, and the one in which sources are found
    {[](const RunPlan& plan) { return shows_pixels(plan.config); }, [](const RunPlan&) -> std::int64_t { return 2; },
     none},
    // fainter side: the check images of the other side are kept meanwhile
    {[](const RunPlan& plan) { return extracts_twice(plan.config, plan.of_difference()); },
     [](const RunPlan& plan) -> std::int64_t {
       return (shows_pixels(plan.config) ? 2 : 0) + (shows_variance(plan.config) ? 2 : 0);
     },
     none},
    // convolve, with flux
    {[](const RunPlan& plan) { return plan.config.convolve.kernel != KernelShape::none; }, one, one},
    // convolve variance
    {[](const RunPlan& plan) { return convolves_variance(plan.config); }, one, one},
    // match: what pixels add to its two sums, and the sums
    {[](const RunPlan& plan) { return plan.config.convolve.filter == Filter::matched; }, three, three},
    // photometry: the map of owners
    {[](const RunPlan& plan) { return measures_photometry(plan.config); }, one, one},
    // aperture noise: on the host; a device passes the image and its variance to it
    {[](const RunPlan& plan) { return measures_aperture_noise(plan.config); },
     [](const RunPlan& plan) -> std::int64_t { return has_map(plan.config.weights) || plan.of_difference() ? 2 : 1; },
     none},
    // deblend: on a device 25 bytes per pixel; on the host only pixels of islands count (deblend_memory)
    {[](const RunPlan& plan) { return plan.config.deblend.method != DeblendMethod::none; }, none, seven},
    // clean sources: on a device heaps, and data of runs and sources for the initial room
    {[](const RunPlan& plan) { return plan.config.deblend.clean; }, none, three},
};

constexpr auto pixel_bytes = static_cast<std::int64_t>(sizeof(float));

std::int64_t images_kept(const RunPlan& plan, std::int64_t (*StageCost::*images)(const RunPlan&)) {
  std::int64_t kept = 0;
  for (const StageCost& stage : stages)
    if (stage.is_used(plan)) kept += (stage.*images)(plan);
  return kept;
}

/// Memory for the work on an image: half as much again as its pixels. A thin image or small meshes take more: the bits
/// of each row's foreground, where its runs begin, and each mesh, as measured.
std::int64_t work_memory(const RunPlan& plan) {
  constexpr std::int64_t row_bytes = 8, word_bytes = 4, word_pixels = 32, mesh_bytes = 400;
  const auto [width, height] = plan.shape;
  const std::int64_t of_rows = height * (row_bytes + word_bytes * ((width + word_pixels - 1) / word_pixels));
  const bool by_mesh = plan.config.background.method == BackgroundMethod::mesh;
  const std::int64_t meshes = by_mesh ? mesh_grid(plan.shape, mesh_sides(plan.config.background)).nodes.count() : 0;
  return std::max(plan.shape.count() * pixel_bytes / 2, of_rows + mesh_bytes * meshes);
}

}  // namespace

RunPlan plan_of(const Exposure& exposure, const Config& config) {
  return {config, exposure.shape(), std::ssize(exposure.planes),
          exposure.reference ? std::ssize(exposure.reference->planes) : 0};
}

RunPlan plan_of(const Shape& shape, const Config& config, bool of_difference) {
  constexpr std::int64_t usual_planes = 3;
  const CombineConfig& combine = config.combine;
  const auto named = std::ssize(combine.planes) + std::ssize(combine.hdus) +
                     (combine.files.empty() ? 0 : std::ssize(combine.files) + 1);
  return {config, shape, named > 0 ? named : usual_planes, of_difference ? 1 : 0};
}

bool extracts_twice(const Config& config, bool of_difference) {
  return of_difference || config.detection.sign != DetectionSign::positive;
}

std::int64_t host_memory(const RunPlan& plan) {
  const std::int64_t images = 1 + images_kept(plan, &StageCost::host_images);
  return images * plan.shape.count() * pixel_bytes + work_memory(plan);
}

std::int64_t sources_memory(std::int64_t sources, const Config& config) {
  // Measured: the columns, one kind of sums, and the memory of a writer.
  constexpr std::int64_t source_bytes = 300;
  // The former sums, and profiles twice: by number and by brightness.
  constexpr std::int64_t clean_bytes = sizeof(SourceSums) + sizeof(Parentage) + 3 * sizeof(CleanCandidate);
  const std::int64_t more_sums =
      (config.convolve.kernel != KernelShape::none ? 1 : 0) + (has_map(config.weights) ? 1 : 0);
  const bool deblended = config.deblend.method != DeblendMethod::none;
  const VignetSize vignet = vignet_size(config.output.columns);
  const std::int64_t vignet_bytes = std::int64_t{vignet.width} * vignet.height * pixel_bytes;
  return sources * (source_bytes + photometry_bytes(config) + vignet_bytes +
                    more_sums * static_cast<std::int64_t>(sizeof(SourceSums)) +
                    (deblended ? static_cast<std::int64_t>(sizeof(Parentage) + sizeof(Run)) : 0) +
                    (config.deblend.clean ? clean_bytes : 0));
}

std::int64_t device_memory_beside(const RunPlan& plan) {
  return images_kept(plan, &StageCost::device_images) * plan.shape.count() * pixel_bytes;
}

}  // namespace srcextract
