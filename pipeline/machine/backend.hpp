#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device/cuda_devices.hpp"
#include "pipeline/engine/extractor.hpp"
#include "pipeline/machine/backend_choice.hpp"
#include "stages/core/error.hpp"
#include "stages/core/exec.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

class RowMemory;

enum class Backend { automatic, cpu, cuda, compare };

/// The CPU threads and GPUs on which a run extracts images.
struct Machine {
  Cpu cpu;
  std::vector<CudaDevice> devices;  ///< empty: only the CPU is used
  /// The GPUs are started while the CPU extracts the first images, and then extract images too.
  bool devices_join = false;
  /// Extract on the CPU and on a device, and compare the results; requires a device.
  bool compare = false;
  bool may_fall_back = false;  ///< the CPU extracts images whose extraction on a device fails with Error{device}
  bool one_by_one = false;     ///< extract the images one after the other, each on all threads
};

/// The CPU threads, and the GPU if any, on which one worker thread extracts images one after the other.
struct Execution {
  Cpu cpu;
  std::optional<CudaDevice> device;          ///< absent: only the CPU
  std::shared_ptr<CudaExtractor> extractor;  ///< the extractor on `device`, which is reused for each image
  bool compare = false;
  bool may_fall_back = false;
  /// Keeps a limited number of rows of images that do not fit into host memory. Null: host memory holds whole images.
  std::shared_ptr<RowMemory> row_memory = nullptr;
  /// Bytes of host memory that sources may take in addition to OpenFrame::most_inflated() bytes. Negative: sources may
  /// take fewer than OpenFrame::most_inflated() bytes.
  std::int64_t left_beside = 0;
};

struct MachineWish {
  Backend backend = Backend::automatic;
  std::vector<int> devices = {};  ///< the indices that the user named; empty: none named (choose_machine)
  int threads = 1;
  std::optional<std::int64_t> device_memory = {};  ///< limit in bytes on the memory that the run takes of each device
};

/// Logs why no GPU is used: as a warning if the user named a GPU. Otherwise as info if this build has CUDA and an
/// NVIDIA driver is installed, else as debug.
void tell_of_no_gpu(const Error& error, bool named);

/// Chooses the devices of a run, and logs the choice.
/// - Backend::automatic uses the GPUs that the user named, or all GPUs if estimate_times() predicts that a GPU is
///   faster; else no GPU is started. With many images the CPU begins, and GPUs that the user did not name join later.
/// - Backend::cuda and Backend::compare throw Error{device} if a device is not usable.
///
/// If the user named no devices, several images use all GPUs, and one image uses the first GPU.
Machine choose_machine(const MachineWish& wish, const Workload& work);

/// Whether the CPU repeats work that failed on the GPU with `error`. True for Error{device} if the execution allows the
/// CPU as a substitute and the GPU still works. Then logs a warning that begins with `name`.
bool falls_back(const Execution& execution, const Error& error, const std::string& name);

/// Runs `work` with an execution. If `work` fails and falls_back() is true, runs `work` again on the CPU.
template <class Work>
auto run_or_fall_back(const Execution& execution, const std::string& name, const Work& work) {
  try {
    return work(execution);
  } catch (const Error& error) {
    if (!falls_back(execution, error, name)) throw;
  }
  Execution on_cpu = execution;
  on_cpu.device.reset();
  on_cpu.extractor.reset();
  return work(on_cpu);
}

/// Makes an execution on `device`, or on the CPU if `device` is empty.
Execution on_device(const Machine& machine, const std::optional<CudaDevice>& device, int threads);

/// Makes one execution for each worker thread; a worker extracts one image at a time.
/// - On the CPU every execution may use all threads; the workers share the threads while they run.
/// - With GPUs, the number of workers is limited by threads, images and device memory. Several workers use one GPU in
///   turn, since reading an image takes a thread longer than a GPU needs to extract the image. If at most half of the
///   threads would be workers, each GPU gets at most one worker, and the workers divide the threads.
/// - The workers of one GPU divide the free memory of the GPU.
/// - With Machine::compare or one_by_one, or if CFITSIO has no locks, one worker has all threads and the first GPU.
std::vector<Execution> share_out(const Machine& machine, const PlannedFiles& files);

/// Estimated bytes of device memory that the largest image needs: eight times pixel_bytes(), and twice that if a
/// separate detection image is used.
std::int64_t room_for_any(const PlannedFiles& files);

/// Number of images of `image_bytes` bytes each that fit into the device's free memory at the same time.
std::int64_t room_on(const CudaDevice& device, std::int64_t image_bytes);

/// Whether this process can no longer use the device, as after a CUDA error that ends the CUDA context.
bool is_lost(const CudaDevice& device);

}  // namespace srcextract
