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

/// What the user may ask for.
enum class Backend { automatic, cpu, cuda, compare };

/// What was decided once per run of the program.
struct Machine {
  Cpu cpu;
  std::vector<CudaDevice> devices;  ///< none: the CPU alone
  bool devices_join = false;        ///< others are found, and take part, while the CPU is at work
  bool compare = false;             ///< run both and compare them; needs a device
  bool may_fall_back = false;       ///< what the devices cannot take goes to the CPU
  bool one_by_one = false;          ///< images one after the other, each with all threads
};

/// Where one worker extracts its images, one after the other.
struct Execution {
  Cpu cpu;
  std::optional<CudaDevice> device;          ///< absent: the CPU alone
  std::shared_ptr<CudaExtractor> extractor;  ///< on that device, kept from image to image
  bool compare = false;
  bool may_fall_back = false;
};

/// What the user asked for.
struct MachineWish {
  Backend backend = Backend::automatic;
  std::vector<int> devices = {};  ///< named by the user
  int threads = 1;
};

/// Logs why there is no GPU: as a warning to a user who named one, with --verbose to one who has a driver or none.
void tell_of_no_gpu(const Error& error, bool named);

/// Turns the wish into a decision, and logs it. `automatic` takes the devices that are usable if they were named or if
/// the work is done sooner with them (estimate_times); where it is not no GPU is started. Where there are many images
/// the CPU begins, and devices that were not named join it when they are ready. `cuda` and `compare` throw
/// Error{device} if one is not usable. No `devices` means all that there are, of which one image needs the first alone.
Machine choose_machine(const MachineWish& wish, const Workload& work);

/// An execution on that device, or on the CPU if there is none.
Execution on_device(const Machine& machine, const std::optional<CudaDevice>& device, int threads);

/// The executions of those who work at the same time. On the CPU every thread has images of its own (who has one of few
/// left may use more threads for it). So it is with GPUs, which take turns: a GPU is done with an image long before a
/// thread has read the next; but only as far as the device has memory, and where there are few images each GPU has one
/// worker, who has all threads. One in which the sources of another are found takes as much memory there again.
std::vector<Execution> share_out(const Machine& machine, const PlannedFiles& files);

/// Device memory for the largest of the images: twice what its pixels take as float32, when the file has a byte for
/// each and, if it is compressed, shrank to a quarter. Twice that if sources are found in another of its shape.
std::int64_t room_for_any(const PlannedFiles& files);

/// How many who have images of their own the device has memory for, if one takes so many bytes.
std::int64_t room_on(const CudaDevice& device, std::int64_t image_bytes);

/// Whether this process can use the device no more.
bool is_lost(const CudaDevice& device);

}  // namespace srcextract
