#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

/// A GPU as the CUDA runtime sees it. Free memory is in bytes, without the memory that this process keeps from earlier
/// images.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::int64_t free_memory = 0;
};

/// Whether this build has the CUDA back end.
bool cuda_built();

/// Version of the CUDA toolkit of this build, or "not built".
std::string cuda_version();

/// The device with this index, if it can be used. Throws Error{device} that names the cause and a remedy. Causes: back
/// end not built, no driver, no device, index out of range, or a device older than the kernels.
CudaDevice find_cuda_device(int index);

/// Makes the device ready for work and returns it. Threads that wait for the device sleep and leave their cores to
/// others. Starting the driver and making a context take long, and other processes do not profit from them.
CudaDevice start_cuda_device(int index);

/// Number of devices, usable or not. Throws Error{device} if there is none. The first call starts the driver.
int count_cuda_devices();

/// All usable devices, by index. Throws Error{device} as find_cuda_device() does if there is none.
std::vector<CudaDevice> find_cuda_devices();

/// Whether this process can use the device. After a fault of a kernel or of the hardware every call fails. The process
/// cannot get the device back, and objects made on it can only be destroyed. After the fault of a kernel CUDA refuses
/// the process every other device as well (seen with driver 580).
bool device_works(int device);

}  // namespace srcextract
