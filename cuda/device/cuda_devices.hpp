#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

/// A GPU as the CUDA runtime reports it. free_memory is the number of bytes that this process may still allocate:
/// within limit_device_memory(), and less the memory that this process already holds.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::int64_t free_memory = 0;
};

/// Whether this build has the CUDA back end.
bool cuda_built();

/// Version of the CUDA toolkit with which this program was built, or "not built".
std::string cuda_version();

/// Limits the bytes that this process allocates on each device. The CUDA context and the kernels' code do not count.
void limit_device_memory(std::int64_t bytes);

/// Returns the device with this index. Throws Error{device}, with cause and remedy, if the device cannot be used: back
/// end not built, no driver, no device, index out of range, or a GPU older than compute capability 8.0.
CudaDevice find_cuda_device(int index);

/// Starts the driver and a CUDA context on the device, which takes long, and returns the device. From then on, host
/// threads that wait for the device sleep, so that other threads can use their cores. The start holds for this process
/// only.
CudaDevice start_cuda_device(int index);

/// Returns the number of devices, usable or not. Throws Error{device} if there is none. The first call starts the
/// driver.
int count_cuda_devices();

/// Returns all usable devices, by index. If no device is usable, throws the error of find_cuda_device() for the last
/// device.
std::vector<CudaDevice> find_cuda_devices();

/// Whether this process can still use the device. After a fault of a kernel or of the hardware, every CUDA call on the
/// device fails until the process ends; only destructors of objects on the device still work. After the fault of a
/// kernel, CUDA also refuses every other device to the process (seen with driver 580).
bool device_works(int device);

}  // namespace srcextract
