#include "pipeline/chain/plan_memory.hpp"

#include <algorithm>
#include <iterator>

#include "pipeline/chain/parts.hpp"
#include "pipeline/chain/step.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/clean/clean_profile.hpp"
#include "stages/core/address_space.hpp"
#include "stages/measure/measure.hpp"
#include "stages/photometry/families.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {
namespace {

constexpr auto pixel_bytes = static_cast<std::int64_t>(sizeof(float));

/// The images of all parts that the extraction has.
KeptImages memory_of_parts(const Plan& plan) {
  KeptImages all;
  for_each_part_of(AllParts(), [&]<class Part>() {
    if (!Part::used(plan)) return;
    const KeptImages keeps = Part::keeps(plan);
    all = {all.host + keeps.host, all.device + keeps.device};
  });
  return all;
}

/// Number of images of which a thread needs rows at the same time; null if a part needs the whole image in memory.
RowsAtOnce rows_of_parts(const Plan& plan) {
  RowsAtOnce all = 1;  // of the image itself
  for_each_part_of(AllParts(), [&]<class Part>() {
    if (!all || !Part::used(plan)) return;
    const RowsAtOnce rows = Part::rows(plan);
    all = rows ? RowsAtOnce(*all + *rows) : whole_image;
  });
  return all;
}

/// Number of nodes of the background mesh; 0 if the sky is one level.
std::int64_t meshes_of(const Plan& plan) {
  const BackgroundConfig& background = plan.config.background;
  return background.method == BackgroundMethod::mesh ? mesh_grid(plan.shape, mesh_sides(background)).nodes.count() : 0;
}

/// Bytes for the work on an image: half as much as its pixels. Narrow images or small meshes take more: one bit per
/// pixel of the foreground, the start of each row's runs, and 400 bytes for each mesh (measured).
std::int64_t work_memory(const Plan& plan) {
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

std::int64_t host_memory(const Plan& plan) {
  constexpr std::int64_t records = 4;  // each of the two back ends keeps results besides its own images
  const std::int64_t of_stages =
      (1 + memory_of_parts(plan).host) * plan.shape.count() * pixel_bytes + work_memory(plan);
  return plan.beside + (plan.compares ? records : 1) * of_stages;
}

namespace {

/// The plan of the detection image, in dual-image mode.
Plan plan_of_found(const Plan& plan) {
  Plan found(*plan.found_in);
  found.shape = plan.shape;
  found.planes = plan.found_planes;
  return found;
}

}  // namespace

bool goes_by_rows(const Plan& plan) {
  // RowsAtOnce on demand take the addresses of whole images, but only the memory of some rows.
  constexpr std::int64_t images_to_memory = 2;
  if (left_of_address_space() / images_to_memory < host_memory(plan)) return false;
  return !plan.compares && rows_of_parts(plan).has_value() &&
         (plan.found_in == nullptr || rows_of_parts(plan_of_found(plan)).has_value());
}

HostMemory host_memory_within(const Plan& plan, std::int64_t most) {
  const std::int64_t whole = host_memory(plan);
  if (whole + sources_memory(plan.shape.count() / 1000, plan.config) <= most || !goes_by_rows(plan)) return {whole};
  // RowsAtOnce that a thread needs of the image and of each image computed from it: 64 rows, for apertures, or twice
  // the height of a mesh.
  constexpr std::int64_t enough = std::int64_t{1} << 29;
  std::int64_t mesh = mesh_sides(plan.config.background).height;
  std::int64_t images = rows_of_parts(plan).value_or(0);
  if (plan.found_in != nullptr) {
    mesh = std::max(mesh, mesh_sides(plan.found_in->background).height);
    images = std::max(images, rows_of_parts(plan_of_found(plan)).value_or(0)) + 4;
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
  const std::int64_t more_sums = (config.convolve.filters() ? 1 : 0) + (has_map(config.weights) ? 1 : 0);
  const bool deblended = config.deblend.method != DeblendMethod::none;
  const VignetSize vignet = vignet_size(config.output.columns);
  const std::int64_t vignet_bytes = std::int64_t{vignet.width} * vignet.height * pixel_bytes;
  return alerts_memory(sources, config) +
         sources * (source_bytes + photometry_bytes(config) + vignet_bytes +
                    more_sums * static_cast<std::int64_t>(sizeof(SourceSums)) +
                    (deblended ? static_cast<std::int64_t>(sizeof(Parentage) + sizeof(Run)) : 0) +
                    (cleans_sources(config) ? clean_bytes : 0));
}

std::int64_t device_memory_beside(const Plan& plan) {
  return memory_of_parts(plan).device * plan.shape.count() * pixel_bytes;
}

}  // namespace srcextract
