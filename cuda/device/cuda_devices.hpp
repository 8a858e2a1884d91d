#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

/// A GPU as the CUDA runtime sees it; memory in bytes, without what this process keeps from earlier images.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::int64_t free_memory = 0;
};

/// Whether this build has the CUDA back end.
bool cuda_built();

/// Version of the CUDA toolkit it was built with, or "not built".
std::string cuda_version();

/// The device with this index if it can be used. Throws Error{device} that says which of these is the case and what to
/// try: back end not built, no driver, no device, index out of range, a device older than the kernels.
CudaDevice find_cuda_device(int index);

/// The same, after it has been made ready for work, so that threads that wait for it sleep and leave their cores to
/// others. What takes long is the driver and a context, of which no other process has use.
CudaDevice start_cuda_device(int index);

/// How many devices there are, usable or not. Throws Error{device} if there is none. The first call starts the driver.
int count_cuda_devices();

/// All devices that can be used, by index. Throws Error{device} as find_cuda_device() does if there is none.
std::vector<CudaDevice> find_cuda_devices();

/// Whether this process can use the device. Once a fault of a kernel or of the hardware has ended what it did there,
/// every call fails: the process cannot have the device back, and what was made on it is only fit to be destroyed.
/// After the fault of a kernel CUDA refuses the process every other device as well (seen with driver 580).
bool device_works(int device);

}  // namespace srcextract
