#include "pipeline/backend.hpp"

#include <spdlog/spdlog.h>

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

}  // namespace srcextract
