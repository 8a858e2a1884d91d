#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/extract.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// What the user may ask for.
enum class Backend { automatic, cpu, cuda, compare };

/// Where images are extracted, decided once per run of the program.
struct Execution {
  Cpu cpu;
  std::optional<CudaDevice> device;          ///< absent: the CPU alone
  std::shared_ptr<CudaExtractor> extractor;  ///< on that device, kept from image to image
  bool compare = false;                      ///< run both and compare them; needs a device
  bool may_fall_back = false;                ///< an image that the device cannot take goes to the CPU
};

/// Turns the wish into a decision. `automatic` takes the device if it is usable and logs what it decided and why;
/// `cuda` and `compare` throw Error{device} if it is not.
Execution choose_execution(Backend wanted, int device, int threads);

/// The executions of those who work at the same time. With a GPU, which is done with an image long before a thread has
/// read the next, every thread has images of its own, as far as there are images for all and memory for them; else,
/// and on the CPU, images take turns and have all threads.
std::vector<Execution> share_out(const Execution& execution, const std::vector<std::string>& images);

}  // namespace srcextract
