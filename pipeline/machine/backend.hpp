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

/// The back ends that a user can choose.
enum class Backend { automatic, cpu, cuda, compare };

/// The hardware of a run, decided once.
struct Machine {
  Cpu cpu;
  std::vector<CudaDevice> devices;  ///< empty: the CPU alone
  bool devices_join = false;        ///< GPUs are started while the CPU is at work, and join it
  bool compare = false;             ///< run both and compare them; needs a device
  bool may_fall_back = false;       ///< work that the devices cannot take goes to the CPU
  bool one_by_one = false;          ///< images one after the other, each with all threads
};

/// The device, or the CPU threads, on which one worker extracts its images one after the other.
struct Execution {
  Cpu cpu;
  std::optional<CudaDevice> device;          ///< absent: the CPU alone
  std::shared_ptr<CudaExtractor> extractor;  ///< on that device, kept from image to image
  bool compare = false;
  bool may_fall_back = false;
  std::shared_ptr<RowMemory> row_memory = nullptr;  ///< for rows of images that the host is not to hold as a whole;
                                                    ///< null: it holds them
  /// Bytes that sources may take beyond OpenFrame::most_inflated(); may be negative.
  std::int64_t left_beside = 0;
};

/// The user's choice of hardware.
struct MachineWish {
  Backend backend = Backend::automatic;
  std::vector<int> devices = {};  ///< named by the user
  int threads = 1;
  std::optional<std::int64_t> device_memory = {};  ///< most bytes that the run takes of each device
};

/// Logs why no GPU is used. This is a warning if the user named one, and info if there is a driver; else --verbose
/// alone shows it.
void tell_of_no_gpu(const Error& error, bool named);

/// Chooses the devices of a run from the user's wish, and logs the choice. `automatic` takes usable devices if the user
/// named them or if they finish the work sooner (estimate_times); otherwise no GPU is started. With many images the CPU
/// begins, and devices that were not named join when ready. `cuda` and `compare` throw Error{device} if a device is not
/// usable. Empty `devices` means all GPUs; one image uses only the first.
Machine choose_machine(const MachineWish& wish, const Workload& work);

/// Whether work that failed with that error on a device is to go to the CPU: it may, and the device works otherwise.
/// Then warns of `name`.
bool falls_back(const Execution& execution, const Error& error, const std::string& name);

/// Runs `work` with an execution, and again on the CPU if falls_back().
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

/// An execution on that device, or on the CPU if there is none.
Execution on_device(const Machine& machine, const std::optional<CudaDevice>& device, int threads);

/// Makes the executions of parallel workers. On the CPU each worker has its own images; workers with the last images
/// may use more threads. Workers share a GPU in turn: a GPU finishes an image long before a thread has read the next
/// one. Device memory limits their number. With few images each GPU has one worker, and the workers divide the threads.
/// A detection image takes as much device memory again. Workers of one GPU divide its free memory.
std::vector<Execution> share_out(const Machine& machine, const PlannedFiles& files);

/// Device memory for the largest image: eight times the bytes of its pixels as float32, which pixel_bytes estimates.
/// Doubled if sources are detected in another image.
std::int64_t room_for_any(const PlannedFiles& files);

/// How many parallel images of `image_bytes` fit into the device's free memory.
std::int64_t room_on(const CudaDevice& device, std::int64_t image_bytes);

/// Whether this process can no longer use the device.
bool is_lost(const CudaDevice& device);

}  // namespace srcextract
