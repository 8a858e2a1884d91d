#include "cuda/extract.hpp"

#include <string>

#include "cuda/device.hpp"
#include "cuda/memory.hpp"
#include "pipeline/observer.hpp"
#include "pipeline/run_stages.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Device memory that an image takes whatever is on it: its pixels, the foreground as bits with a running count for
/// every 32 pixels, and the buffers of the copy. Runs and sources come on top; a normal field has few.
std::int64_t memory_needed(const Shape& shape) {
  constexpr std::int64_t copy_buffers = std::int64_t{64} << 20;
  const std::int64_t words = (shape.width + 31) / 32 * shape.height;
  return shape.count() * 4 + words * 12 + copy_buffers;
}

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

void require_memory(const Shape& shape, int device) {
  const std::int64_t needed = memory_needed(shape);
  if (needed <= find_cuda_device(device).free_memory) return;
  give_back_kept_memory(device);
  const std::int64_t free = find_cuda_device(device).free_memory;
  if (needed <= free) return;
  throw Error(ErrorKind::device, "GPU " + std::to_string(device) + " is short of memory: this image needs " +
                                     megabytes(needed) + ", " + megabytes(free) +
                                     " are free; free some, choose another GPU with --device, or use --backend cpu");
}

}  // namespace

Extraction extract_cuda(const PixelSource& source, const Config& config, int device, const Cpu& host,
                        const Observer& observer) {
  require_memory(source.shape, device);
  const Stream stream(device, host.threads);
  return run_stages(source, config, stream.where(), ObservingTap<Gpu>(observer, stream.where()));
}

}  // namespace srcextract
