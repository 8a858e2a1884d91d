#include "pipeline/image/file_memory.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>

#include "io/files/input_file.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/core/keep_buffers.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {
namespace {

Plan plan_of(const Shape& shape, const ImageFile& file) {
  const Config* found_in = file.detection() == nullptr ? nullptr : &file.detection()->config();
  Plan plan = plan_of(shape, file.config->config, file.has_reference(), found_in);
  const auto is_mapped = [](const ImageConfig& config) { return has_map(config.config.weights); };
  plan.frames_have_maps =
      file.has_reference() &&
      (is_mapped(*file.config) || (file.beside->of_reference && is_mapped(*file.beside->of_reference)));
  return plan;
}

/// Bytes for reading the maps of an image. Their files in memory are not counted.
std::int64_t loaded_bytes(const SelectedMaps& maps) {
  std::int64_t bytes = 0;
  const auto add = [&](const SelectedMap& map) { bytes += map ? map->loaded_bytes : 0; };
  add(maps.weights), add(maps.mask), add(maps.level);
  std::ranges::for_each(maps.flags, add);
  return bytes;
}

/// Lets the CPU extract an image by rows. Logs `why` for `name` if the execution uses no GPU.
void go_by_rows(const HostMemory& memory, const std::string& name, const std::string& why, Execution& execution) {
  constexpr int most_threads = 4;  // more threads would wait for each other
  execution.row_memory = std::make_shared<RowMemory>(memory.rows);
  execution.cpu.threads = std::min(execution.cpu.threads, most_threads);
  if (!execution.device) spdlog::info("{}: {}; its rows are read several times instead", name, why);
}

}  // namespace

Plan plan_of(const SelectedImage& image, const SelectedMaps& maps, const ImageFile& file, bool compares) {
  Plan plan = plan_of(image.shape, file);
  plan.compares = compares;
  plan.beside = image.loaded_bytes + loaded_bytes(maps) + gzipped_sizes(files_beside(file));
  return plan;
}

std::int64_t most_needed(std::int64_t inflated, const ImageFile& file) {
  return inflated + host_memory(plan_of(Shape{inflated, 1}, file));
}

void go_by_rows(const Plan& plan, const HostMemory& memory, const std::string& name, Execution& execution) {
  if (memory.rows == 0) return;
  const std::int64_t megabytes = host_memory(plan) / 1'000'000 + 1;
  go_by_rows(memory, name, fmt::format("the whole image would need about {} MB of memory", megabytes), execution);
}

void within_memory(const HostMemory& memory, const HostMemory& less, const std::string& name, Execution& execution,
                   const std::function<void()>& extract) {
  try {
    return extract();
  } catch (const NoRoom& error) {
    if (memory.rows > 0 || less.rows == 0 || execution.device) throw;
    execution.left_beside += memory.bytes - less.bytes;
    go_by_rows(less, name, error.lack(), execution);
  }
  drop_kept_buffers();
  extract();
}

AllowedMemory allow_host_memory(const Plan& plan, const std::string& name, std::int64_t most,
                                const Execution& execution) {
  if (!execution.device || execution.may_fall_back) return {};
  const DeviceNeeds needs = CudaExtractor::memory_needed(plan);
  const std::int64_t free = execution.device->free_memory;
  if (needs.probable <= free || most <= 0 || needs.least - free > most) return {};
  const std::int64_t bytes = std::min(needs.probable, most);
  execution.extractor->allow_host_memory(bytes);
  if (needs.least > free)
    spdlog::info("{}: GPU {} has {} MB of memory and needs {}; the host's memory holds the rest", name,
                 execution.device->index, free / 1'000'000, needs.least / 1'000'000 + 1);
  return {bytes, {nullptr, [extractor = execution.extractor](void*) { extractor->allow_host_memory(0); }}};
}

std::int64_t gzipped_sizes(const std::vector<std::string>& paths) {
  return std::transform_reduce(paths.begin(), paths.end(), std::int64_t{0}, std::plus<>(), gzipped_size);
}

std::vector<std::string> files_beside(const ImageFile& file) {
  std::vector<std::string> files = file.config->config.combine.files;
  if (file.has_reference()) files.push_back(file.beside->reference);
  if (file.has_reference() && file.beside->of_reference) {
    const Config& config = file.beside->of_reference->config;
    std::ranges::copy(config.combine.files, std::back_inserter(files));
    std::ranges::copy(files_of_maps(config), std::back_inserter(files));
  }
  if (file.detection() != nullptr) std::ranges::copy(files_of(*file.detection()), std::back_inserter(files));
  return files;
}

std::vector<std::string> files_of(const DetectionTask& detection) {
  std::vector<std::string> files = detection.config().combine.files;
  files.push_back(detection.path);
  std::ranges::copy(files_of_maps(detection.config()), std::back_inserter(files));
  return files;
}

}  // namespace srcextract
