#include "pipeline/chain/stage_list.hpp"

#include <algorithm>
#include <iterator>

#include "pipeline/chain/add_aperture_noise.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/clean/clean_limit.hpp"
#include "stages/clean/clean_profile.hpp"
#include "stages/core/address_space.hpp"
#include "stages/measure/measure.hpp"
#include "stages/photometry/families.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {
namespace {

constexpr auto pixel_bytes = static_cast<std::int64_t>(sizeof(float));

/// Number of float32 images of the extracted image's shape that are kept in host and in GPU memory, in addition to that
/// image.
struct Images {
  std::int64_t host = 0, device = 0;
};

struct Stage {
  const char* name;
  bool is_used;
  Images keeps;
};

/// The memory of all stages that a run uses. `stages` lists every stage that keeps images. The comments there name the
/// images that are counted.
Images memory_of_stages(const RunPlan& plan) {
  const Config& config = plan.config;
  const WeightsConfig& weights = config.weights;
  const bool twice = extracts_twice(config, plan.of_difference());
  const bool by_mesh = config.background.method == BackgroundMethod::mesh;
  const bool mapped = has_map(weights);
  // Number of images for a weight map: the map, and in some configurations the image before the map masked pixels.
  const std::int64_t map = keeps_pixels(weights) ? 2 : 1;
  // With a gain, a difference also has an image of its noise, and an image of the difference divided by that noise.
  const bool has_gain = config.measurement.gain > 0 || config.measurement.gain_keyword != "none";
  const bool fits = plan.of_difference() && config.difference.kernel == MatchingKernel::fitted;
  const bool convolved = config.convolve.kernel != KernelShape::none || fits;
  // Number of images for a detection image: the image and its filtered copy; its weight map; image and weights with
  // gaps filled.
  const std::int64_t found = 2 + (mapped ? 1 + map : 0) + (interpolates(weights) ? 2 : 0);
  const bool combines_found = plan.found_in != nullptr && plan.found_in->combine.method != CombineMethod::none;
  const Stage stages[] = {
      // The image minus the sky. On the host, it reuses the memory of the image, unless the image is read again.
      {"subtract", by_mesh, {.host = twice || mapped ? 1 : 0, .device = 1}},
      // The image without its sources. A device also has a map of the sources.
      {"second sky", by_mesh && config.background.refine > 1, {.host = 1, .device = 2}},
      {"combine", config.combine.method != CombineMethod::none, {.host = plan.planes, .device = plan.planes}},
      {"mask", has_mask(config.mask), {.host = 1, .device = 1}},
      // The weight map. The host keeps it for check images; a device needs the memory while it estimates the map's
      // scale.
      {"weights", mapped, {.host = map, .device = map}},
      {"interpolate", interpolates(weights), {.host = 2, .device = 2}},
      {"level", has_level(config.given_sky), {.host = 1, .device = 1}},
      // The reference and the new frame. A device also keeps the results of the steps align, match_width, weigh and
      // variance.
      {"difference", plan.of_difference(), {.host = has_gain ? 4 : 2, .device = 6 + plan.reference_planes}},
      // The noise of the difference, and the sums over the stars' cut-outs. A device also has light and variance of a
      // frame; for a device, the host fits the kernel to copies of both frames.
      {"fit", fits, {.host = 2, .device = 5}},
      // The weight maps of both frames, two images of the difference's noise, and the difference divided by its noise.
      {"noise of frames", plan.frames_have_maps, {.host = 5, .device = 5}},
      // The matched reference, the noise of both frames, and the reference minus its sky mesh.
      {"stars of frames",
       fits && ColumnChoice(config.output.columns).needs(StarFramesFamily::name),
       {.host = 4, .device = 4}},
      // The images in `found`, and on the host the planes that are combined. A device also keeps the filtered image and
      // the image minus the mesh.
      {"detection image",
       plan.found_in != nullptr,
       {.host = found + (combines_found ? plan.found_planes : 0),
        .device = found + (convolved ? 1 : 0) + (by_mesh ? 1 : 0)}},
      // The image minus the sky, and the filtered image.
      {"check images", shows_pixels(config), {.host = 2}},
      // A plane of the cube minus its sky, and the plane without its sources.
      {"cube", measures_cube(config), {.host = 2}},
      // Copies of both frames, for cut-outs.
      {"alerts", plan.of_difference() && !config.output.alerts.empty(), {.host = 2}},
      // The image without the copies of its stars, and the image with them.
      {"completeness", config.output.report_copies > 0, {.host = 2}},
      // Check images of the first extraction, which are kept during the second.
      {"fainter side", twice, {.host = (shows_pixels(config) ? 2 : 0) + (shows_variance(config) ? 2 : 0)}},
      {"convolve", convolved, {.host = 1, .device = 1}},
      {"convolve variance", convolves_variance(config), {.host = 1, .device = 1}},
      // Both sums of the matched filter, and the terms that pixels add to these sums.
      {"match", config.convolve.filter == Filter::matched, {.host = 3, .device = 3}},
      // Model, residual and weights; three images of significance; and which pixels are good. The host also has two
      // copies of the image.
      {"crowd", fits_crowd(config), {.host = 9, .device = 7}},
      // The map of owners: the source that each pixel belongs to.
      {"photometry", measures_photometry(config) || !config.output.alerts.empty(), {.host = 1, .device = 1}},
      // The map of owners with the pixels of sources that CLEAN merged into others.
      {"local sky", FrameSkyFamily::is_known(config) && cleans_sources(config), {.host = 1, .device = 1}},
      // Copies of the image and of its variance. Empty apertures are measured on the host for both back ends.
      {"aperture noise", measures_aperture_noise(config), {.host = mapped || plan.of_difference() ? 2 : 1}},
      // Heaps for CLEAN on a device. Further memory depends on the size of islands (connected groups of pixels): see
      // deblend_memory for the host and Detector for a device.
      {"clean sources", config.deblend.clean && config.detection.min_area > most_in_closed_form, {.device = 1}},
  };
  Images all;
  for (const Stage& stage : stages)
    if (stage.is_used) all = {all.host + stage.keeps.host, all.device + stage.keeps.device};
  return all;
}

/// Number of nodes of the background mesh; 0 if the sky is one level.
std::int64_t meshes_of(const RunPlan& plan) {
  const BackgroundConfig& background = plan.config.background;
  return background.method == BackgroundMethod::mesh ? mesh_grid(plan.shape, mesh_sides(background)).nodes.count() : 0;
}

/// Bytes for the work on an image: half as much as its pixels. Narrow images or small meshes take more: one bit per
/// pixel of the foreground, the start of each row's runs, and 400 bytes for each mesh (measured).
std::int64_t work_memory(const RunPlan& plan) {
  constexpr std::int64_t row_bytes = 8, word_bytes = 4, word_pixels = 32, mesh_bytes = 400;
  const auto [width, height] = plan.shape;
  const std::int64_t of_rows = height * (row_bytes + word_bytes * ((width + word_pixels - 1) / word_pixels));
  return std::max(plan.shape.count() * pixel_bytes / 2, of_rows + mesh_bytes * meshes_of(plan));
}

/// Bytes for alerts: 1000 bytes of numbers for each alert, and the cut-outs of the alerts that are written together.
/// Each alert has three cut-outs of 63 x 63 pixels, in memory both as pixels and compressed. The Parquet writer keeps
/// two groups of rows.
std::int64_t alerts_memory(std::int64_t alerts, const Config& config) {
  constexpr std::int64_t number_bytes = 1000, stamp_bytes = std::int64_t{2} * 3 * 63 * 63 * pixel_bytes, together = 256,
                         groups_bytes = std::int64_t{2} << 26;
  if (config.output.alerts.empty()) return 0;
  const bool in_groups = std::ranges::count(config.output.alerts, AlertFormat::parquet) > 0;
  return alerts * number_bytes +
         std::min(alerts * stamp_bytes, together * stamp_bytes + (in_groups ? groups_bytes : 0));
}

}  // namespace

RunPlan plan_of(const Exposure& exposure, const Config& config) {
  RunPlan plan{config, exposure.shape(), std::ssize(exposure.planes),
               exposure.reference ? std::ssize(exposure.reference->planes) : 0};
  plan.frames_have_maps = plan.of_difference() && frames_have_maps(config);
  return plan;
}

namespace {

/// Number of planes that the section `combine` of a configuration names, or a guess of 3 if it names none.
std::int64_t planes_named(const CombineConfig& combine) {
  constexpr std::int64_t usual_planes = 3;
  const auto named = std::ssize(combine.planes) + std::ssize(combine.hdus) +
                     (combine.files.empty() ? 0 : std::ssize(combine.files) + 1);
  return named > 0 ? named : usual_planes;
}

}  // namespace

RunPlan plan_of(const Shape& shape, const Config& config, bool of_difference, const Config* found_in) {
  RunPlan plan{config, shape, planes_named(config.combine), of_difference ? 1 : 0, found_in};
  if (found_in != nullptr) plan.found_planes = planes_named(found_in->combine);
  return plan;
}

bool extracts_twice(const Config& config, bool of_difference) {
  return of_difference || config.detection.sign != DetectionSign::positive;
}

std::int64_t host_memory(const RunPlan& plan) {
  constexpr std::int64_t records = 4;  // each of the two back ends keeps results besides its own images
  const std::int64_t of_stages =
      (1 + memory_of_stages(plan).host) * plan.shape.count() * pixel_bytes + work_memory(plan);
  return plan.beside + (plan.compares ? records : 1) * of_stages;
}

namespace {

/// Whether all outputs that show pixels can be written row by row.
bool writes_by_rows(const OutputConfig& output) {
  return output.alerts.empty() && output.report_copies == 0;
}

/// Whether the sources of an image can be found with only some rows in memory.
bool finds_by_rows(const Config& config) {
  return config.background.refine == 1 && config.convolve.filter != Filter::matched &&
         !controls_false_discoveries(config.detection);
}

/// Largest number of images of which a thread needs rows at the same time: the image, its planes and maps, and images
/// computed from these.
std::int64_t images_at_once(const Config& config, std::int64_t planes) {
  return 4 + (config.combine.method != CombineMethod::none ? planes : 0) + (has_mask(config.mask) ? 1 : 0) +
         (has_map(config.weights) ? 2 : 0) + (keeps_pixels(config.weights) ? 1 : 0) +
         (interpolates(config.weights) ? 2 : 0) + (has_level(config.given_sky) ? 1 : 0) +
         (convolves_variance(config) ? 1 : 0) + (config.detection.sign != DetectionSign::positive ? 1 : 0);
}

}  // namespace

bool goes_by_rows(const RunPlan& plan) {
  // Rows on demand take the addresses of whole images, but only the memory of some rows.
  constexpr std::int64_t images_to_memory = 2;
  if (left_of_address_space() / images_to_memory < host_memory(plan)) return false;
  const Config& config = plan.config;
  return !plan.compares && !plan.of_difference() && finds_by_rows(config) &&
         (plan.found_in == nullptr || finds_by_rows(*plan.found_in)) && !fits_crowd(config) &&
         !fits_gaussians(config) && !measures_aperture_noise(config) && config.psf.method != PsfMethod::fit &&
         writes_by_rows(config.output);
}

HostMemory host_memory_within(const RunPlan& plan, std::int64_t most) {
  const std::int64_t whole = host_memory(plan);
  if (whole + sources_memory(plan.shape.count() / 1000, plan.config) <= most || !goes_by_rows(plan)) return {whole};
  // Rows that a thread needs of the image and of each image computed from it: 64 rows, for apertures, or twice the
  // height of a mesh.
  constexpr std::int64_t enough = std::int64_t{1} << 29;
  std::int64_t mesh = mesh_sides(plan.config.background).height;
  std::int64_t images = images_at_once(plan.config, plan.planes);
  if (plan.found_in != nullptr) {
    mesh = std::max(mesh, mesh_sides(plan.found_in->background).height);
    images = std::max(images, images_at_once(*plan.found_in, plan.found_planes)) + 4;
  }
  const std::int64_t least = images * std::max<std::int64_t>(64, 2 * mesh) * plan.shape.width * pixel_bytes;
  const std::int64_t rows = std::max(least, std::min((most - plan.beside) / 4, enough));
  // Measured in an image with few pixels in sources: bytes that are kept for each mesh, and number of pixels for each
  // byte of runs and labels.
  constexpr std::int64_t kept_mesh_bytes = 64, pixels_of_a_byte = 16;
  const std::int64_t by_rows =
      plan.beside + rows + meshes_of(plan) * kept_mesh_bytes + plan.shape.count() / pixels_of_a_byte;
  return by_rows < whole ? HostMemory{by_rows, rows} : HostMemory{whole};
}

std::int64_t sources_memory(std::int64_t sources, const Config& config) {
  // Measured: bytes per source for the columns, one set of sums, and the memory of the catalogue writer.
  constexpr std::int64_t source_bytes = 300;
  // The sums before CLEAN, two copies of the sources' profiles (sorted by number and by position), and the list of
  // merged sources.
  constexpr std::int64_t clean_bytes = sizeof(SourceSums) + sizeof(Parentage) + 3 * sizeof(CleanCandidate);
  const std::int64_t more_sums =
      (config.convolve.kernel != KernelShape::none ? 1 : 0) + (has_map(config.weights) ? 1 : 0);
  const bool deblended = config.deblend.method != DeblendMethod::none;
  const VignetSize vignet = vignet_size(config.output.columns);
  const std::int64_t vignet_bytes = std::int64_t{vignet.width} * vignet.height * pixel_bytes;
  return alerts_memory(sources, config) +
         sources * (source_bytes + photometry_bytes(config) + vignet_bytes +
                    more_sums * static_cast<std::int64_t>(sizeof(SourceSums)) +
                    (deblended ? static_cast<std::int64_t>(sizeof(Parentage) + sizeof(Run)) : 0) +
                    (cleans_sources(config) ? clean_bytes : 0));
}

std::int64_t device_memory_beside(const RunPlan& plan) {
  return memory_of_stages(plan).device * plan.shape.count() * pixel_bytes;
}

}  // namespace srcextract
