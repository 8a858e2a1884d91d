#include "pipeline/machine/backend.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "io/fits/versions.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// Whether an NVIDIA driver is installed (natively, or under Windows for WSL). Checks device files only; a call to CUDA
/// would take time to start the driver.
bool has_gpu_driver() {
  return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/// The devices with these indices; all devices if `indices` is empty.
std::vector<CudaDevice> find_devices(const std::vector<int>& indices) {
  if (indices.empty()) return find_cuda_devices();
  std::vector<CudaDevice> devices;
  for (const int index : indices) devices.push_back(find_cuda_device(index));
  return devices;
}

std::vector<CudaDevice> usable_devices(const std::vector<int>& indices, bool named) {
  try {
    return find_devices(indices);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    tell_of_no_gpu(error, named);
    return {};
  }
}

std::string describe(const Workload& work, const TimeEstimate& times, int threads) {
  return fmt::format("{:.1f} MB of pixels take about {:.3f} s on {}, and {:.3f} s with a GPU and its start",
                     static_cast<double>(work.pixel_bytes) / 1e6, times.cpu, counted(threads, "CPU thread"), times.gpu);
}

/// Devices for Backend::automatic. If the CPU extracts the first images until the GPUs are ready, sets
/// machine.devices_join and returns none.
std::vector<CudaDevice> worthwhile_devices(const MachineWish& wish, const std::vector<int>& indices,
                                           const Workload& work, Machine& machine) {
  if (!wish.devices.empty()) return usable_devices(indices, true);
  const int threads = machine.cpu.threads;
  const TimeEstimate times = estimate_times(work, threads);
  if (!times.favours_gpu()) {
    spdlog::debug("back end: CPU: {}; --backend cuda takes one all the same", describe(work, times, threads));
    return {};
  }
  machine.devices_join = cuda_built() && times.cpu_begins && cfitsio_has_locks();
  if (machine.devices_join) return {};
  std::vector<CudaDevice> devices = usable_devices(indices, false);
  if (!devices.empty()) spdlog::debug("back end: CUDA: {}", describe(work, times, threads));
  return devices;
}

/// Returns a Cpu with `wanted` threads, or with fewer if the system does not let this process start that many.
Cpu usable_threads(int wanted) {
  const int threads = startable_threads(wanted);
  if (threads < wanted) {
    spdlog::warn("only {} of {} threads can be started here (a limit on processes or memory, see ulimit -a)", threads,
                 wanted);
  }
  return {threads};
}

/// Estimates the number of images in all files. Returns `enough` if the configuration selects several HDUs of a file,
/// since their number is unknown until the file is opened.
std::int64_t count_images(const PlannedFiles& files, std::int64_t enough) {
  const auto of_several = [](const PlannedFile& planned) { return planned.file.config->config.input.hdu.several(); };
  return std::ranges::any_of(files, of_several) ? enough : static_cast<std::int64_t>(files.size());
}

/// Number of workers that extract images on GPUs. If no more than half of the threads would be workers, at most one
/// worker per GPU.
std::int64_t count_workers(const Machine& machine, const PlannedFiles& files) {
  const auto devices = std::ssize(machine.devices);
  const std::int64_t threads = machine.cpu.threads;
  const std::int64_t image_bytes = room_for_any(files);
  std::int64_t on_devices = 0;
  for (const CudaDevice& device : machine.devices) on_devices += room_on(device, image_bytes);
  const std::int64_t workers = std::min({threads, count_images(files, threads), on_devices});
  return workers > threads / 2 ? workers : std::min<std::int64_t>(devices, std::max<std::int64_t>(1, workers));
}

}  // namespace

void tell_of_no_gpu(const Error& error, bool named) {
  const bool expected = cuda_built() && has_gpu_driver();
  spdlog::log(named      ? spdlog::level::warn
              : expected ? spdlog::level::info
                         : spdlog::level::debug,
              "back end: CPU, because no GPU can be used: {}", error.what());
}

Machine choose_machine(const MachineWish& wish, const Workload& work) {
  Machine machine;
  machine.cpu = usable_threads(wish.threads);
  machine.compare = wish.backend == Backend::compare;
  machine.may_fall_back = wish.backend == Backend::automatic;
  if (wish.device_memory) limit_device_memory(*wish.device_memory);
  const std::vector<int> first = {0};
  const std::vector<int>& devices = wish.devices.empty() && !work.several_images ? first : wish.devices;
  if (wish.backend == Backend::automatic) machine.devices = worthwhile_devices(wish, devices, work, machine);
  if (wish.backend == Backend::cuda || machine.compare) machine.devices = find_devices(devices);
  for (const CudaDevice& device : machine.devices)
    spdlog::debug("back end: CUDA device {}, {}", device.index, device.name);
  return machine;
}

Execution on_device(const Machine& machine, const std::optional<CudaDevice>& device, int threads) {
  Execution execution{{threads}, device, nullptr, machine.compare, machine.may_fall_back};
  if (device) execution.extractor = std::make_shared<CudaExtractor>(device->index, execution.cpu);
  return execution;
}

std::vector<Execution> share_out(const Machine& machine, const PlannedFiles& files) {
  const int threads = machine.cpu.threads;
  const std::optional<CudaDevice> first =
      machine.devices.empty() ? std::nullopt : std::optional(machine.devices.front());
  if (machine.compare || machine.one_by_one || !cfitsio_has_locks()) return {on_device(machine, first, threads)};
  std::vector<Execution> shares;
  if (!first) {
    const std::int64_t workers = std::min<std::int64_t>(threads, count_images(files, threads));
    for (std::int64_t worker = 0; worker < workers; ++worker) shares.push_back(on_device(machine, first, threads));
    return shares;
  }
  const std::int64_t workers = count_workers(machine, files);
  const bool few = workers <= threads / 2;
  const std::int64_t devices = std::ssize(machine.devices), on_each = (workers + devices - 1) / devices;
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    CudaDevice device = machine.devices[static_cast<std::size_t>(worker % devices)];
    device.free_memory /= on_each;
    shares.push_back(on_device(machine, device, few ? std::max(1, threads / static_cast<int>(workers)) : 1));
  }
  return shares;
}

std::int64_t room_for_any(const PlannedFiles& files) {
  std::int64_t largest = 1;
  for (const PlannedFile& planned : files)
    largest = std::max(largest, (planned.file.detection() != nullptr ? 2 : 1) * pixel_bytes(planned.file));
  return 2 * static_cast<std::int64_t>(sizeof(float)) * largest;
}

std::int64_t room_on(const CudaDevice& device, std::int64_t image_bytes) {
  return device.free_memory / image_bytes;
}

bool is_lost(const CudaDevice& device) {
  return !device_works(device.index);
}

bool falls_back(const Execution& execution, const Error& error, const std::string& name) {
  if (!execution.device || !execution.may_fall_back || error.kind() != ErrorKind::device || is_lost(*execution.device))
    return false;
  spdlog::warn("{}: extracted on the CPU, because the GPU cannot: {}", name, error.what());
  return true;
}

}  // namespace srcextract
