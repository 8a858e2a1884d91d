#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

/// A GPU as the CUDA runtime reports it. free_memory is in bytes, within limit_device_memory(), and without memory that
/// this process keeps from earlier images.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::int64_t free_memory = 0;
};

/// Whether this build has the CUDA back end.
bool cuda_built();

/// Version of the CUDA toolkit with which this program was built, or "not built".
std::string cuda_version();

/// Limits the memory that this process takes of each device. The process's context and kernels there do not count.
void limit_device_memory(std::int64_t bytes);

/// Returns the device with this index. Throws Error{device}, with cause and remedy, if it cannot be used. Causes: back
/// end not built, no driver, no device, index out of range, or a device older than the kernels.
CudaDevice find_cuda_device(int index);

/// Starts the driver and a context on the device, which takes long, and returns the device. Threads that later wait for
/// the device sleep and leave their cores to other threads. Other processes do not profit from this start.
CudaDevice start_cuda_device(int index);

/// Number of devices, whether usable or not. Throws Error{device} if there is none. The first call starts the driver.
int count_cuda_devices();

/// All usable devices, by index. Throws the errors of find_cuda_device() if there is none.
std::vector<CudaDevice> find_cuda_devices();

/// Whether this process can still use the device. After a fault of a kernel or of the hardware every call fails. The
/// process cannot get the device back, and objects made on it can only be destroyed. After the fault of a kernel CUDA
/// refuses the process every other device as well (seen with driver 580).
bool device_works(int device);

}  // namespace srcextract
