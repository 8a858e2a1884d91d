#include "pipeline/machine/backend.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>

#include "io/fits/versions.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// The devices of these indices, or all that there are.
std::vector<CudaDevice> find_devices(const std::vector<int>& indices) {
  if (indices.empty()) return find_cuda_devices();
  std::vector<CudaDevice> devices;
  for (const int index : indices) devices.push_back(find_cuda_device(index));
  return devices;
}

std::vector<CudaDevice> usable_devices(const std::vector<int>& indices) {
  try {
    return find_devices(indices);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    spdlog::info("back end: CPU, because no GPU can be used: {}", error.what());
    return {};
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

/// Device memory for the largest of the images: twice what its pixels take as float32, when the file has a byte for
/// each and, if it is compressed, shrank to a quarter.
std::int64_t room_for_any(std::span<const PlannedFile> files) {
  std::int64_t largest = 1;
  for (const PlannedFile& planned : files) {
    const std::string& path = planned.file.path;
    const bool compressed = path.ends_with("z") || path.ends_with("Z");
    largest = std::max(largest, compressed ? 4 * planned.file.bytes : planned.file.bytes);
  }
  return 2 * static_cast<std::int64_t>(sizeof(float)) * largest;
}

/// A guess: how many images of a file there are is known when it is opened.
std::int64_t count_images(std::span<const PlannedFile> files, std::int64_t enough) {
  const auto of_several = [](const PlannedFile& planned) { return planned.file.config->config.input.hdu == "all"; };
  return std::ranges::any_of(files, of_several) ? enough : std::ssize(files);
}

/// How many work at the same time with GPUs.
std::int64_t count_workers(const Machine& machine, std::span<const PlannedFile> files) {
  const auto devices = std::ssize(machine.devices);
  const std::int64_t threads = machine.cpu.threads;
  std::int64_t on_devices = 0;
  for (const CudaDevice& device : machine.devices) on_devices += device.free_memory / room_for_any(files);
  const std::int64_t workers = std::min({threads, count_images(files, threads), on_devices});
  return workers > threads / 2 ? workers : std::min<std::int64_t>(devices, std::max<std::int64_t>(1, workers));
}

}  // namespace

Machine choose_machine(Backend wanted, const std::vector<int>& devices, int threads) {
  Machine machine;
  machine.cpu = usable_threads(threads);
  machine.compare = wanted == Backend::compare;
  machine.may_fall_back = wanted == Backend::automatic;
  if (wanted == Backend::automatic) machine.devices = usable_devices(devices);
  if (wanted == Backend::cuda || wanted == Backend::compare) machine.devices = find_devices(devices);
  for (const CudaDevice& device : machine.devices)
    spdlog::info("back end: CUDA device {}, {}", device.index, device.name);
  return machine;
}

Execution on_device(const Machine& machine, const std::optional<CudaDevice>& device, int threads) {
  Execution execution{{threads}, device, nullptr, machine.compare, machine.may_fall_back};
  if (device) execution.extractor = std::make_shared<CudaExtractor>(device->index, execution.cpu);
  return execution;
}

std::vector<Execution> share_out(const Machine& machine, std::span<const PlannedFile> files) {
  const int threads = machine.cpu.threads;
  const std::optional<CudaDevice> first =
      machine.devices.empty() ? std::nullopt : std::optional(machine.devices.front());
  if (machine.compare || !cfitsio_has_locks()) return {on_device(machine, first, threads)};
  std::vector<Execution> shares;
  if (!first) {
    const std::int64_t workers = std::min<std::int64_t>(threads, count_images(files, threads));
    for (std::int64_t worker = 0; worker < workers; ++worker) shares.push_back(on_device(machine, first, threads));
    return shares;
  }
  const std::int64_t workers = count_workers(machine, files);
  const bool few = workers <= threads / 2;
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    const CudaDevice& device = machine.devices[static_cast<std::size_t>(worker) % machine.devices.size()];
    shares.push_back(on_device(machine, device, few ? std::max(1, threads / static_cast<int>(workers)) : 1));
  }
  return shares;
}

bool is_lost(const CudaDevice& device) {
  return !device_works(device.index);
}

}  // namespace srcextract
