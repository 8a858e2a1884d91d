#include "pipeline/backend.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "io/versions.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

std::optional<CudaDevice> usable_device(int index) {
  try {
    return find_cuda_device(index);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    spdlog::info("back end: CPU, because no GPU can be used: {}", error.what());
    return std::nullopt;
  }
}

/// So many threads, or as many as this process may have.
Cpu usable_threads(int wanted) {
  const int threads = startable_threads(wanted);
  if (threads < wanted) {
    spdlog::warn("only {} of {} threads can be started here (a limit on processes or memory, see ulimit -a)", threads,
                 wanted);
  }
  return {threads};
}

/// Room for the largest of the images, on the device and, should it go to the CPU, on the host: twice what its pixels
/// take as float32, when the file has a byte for each and, if it is compressed, shrank to a quarter.
std::int64_t room_for_any(const std::vector<std::string>& images) {
  std::uintmax_t largest = 1;
  for (const std::string& image : images) {
    std::error_code failure;  // a file that is missing is reported when its turn comes
    const std::uintmax_t bytes = std::filesystem::file_size(image, failure);
    const bool compressed = image.ends_with("z") || image.ends_with("Z");
    if (!failure) largest = std::max(largest, compressed ? 4 * bytes : bytes);
  }
  return 2 * static_cast<std::int64_t>(sizeof(float)) * static_cast<std::int64_t>(largest);
}

/// Half of the memory of this machine.
std::int64_t spare_host_memory() {
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 2;
}

}  // namespace

Execution choose_execution(Backend wanted, int device, int threads) {
  Execution execution;
  execution.cpu = usable_threads(threads);
  execution.compare = wanted == Backend::compare;
  execution.may_fall_back = wanted == Backend::automatic;
  if (wanted == Backend::automatic) execution.device = usable_device(device);
  if (wanted == Backend::cuda || wanted == Backend::compare) execution.device = find_cuda_device(device);
  if (execution.device) {
    spdlog::info("back end: CUDA device {}, {}", device, execution.device->name);
    execution.extractor = std::make_shared<CudaExtractor>(device, execution.cpu);
  }
  return execution;
}

std::vector<Execution> share_out(const Execution& execution, const std::vector<std::string>& images) {
  if (!execution.device || execution.compare || !cfitsio_has_locks()) return {execution};
  const std::int64_t memory = std::min(execution.device->free_memory, spare_host_memory());
  const std::int64_t threads = execution.cpu.threads;
  const std::int64_t workers = std::min({threads, std::ssize(images), memory / room_for_any(images)});
  if (workers <= threads / 2) return {execution};
  std::vector<Execution> shares(static_cast<std::size_t>(workers), execution);
  for (Execution& share : shares) {
    share.cpu.threads = 1;
    share.extractor = std::make_shared<CudaExtractor>(execution.device->index, share.cpu);
  }
  return shares;
}

}  // namespace srcextract
