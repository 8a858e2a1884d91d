#include <map>
#include <string>

#include "python/core/stages/device.hpp"
#include "python/core/stages/results.hpp"
#include "stages/core/error.hpp"

namespace srcextract::python {

std::shared_ptr<DeviceSession> session_of(int device) {
  // Never destroyed, since at exit the CUDA driver may be unloaded already.
  static auto* const mutex = new std::mutex;
  static auto* const sessions = new std::map<int, std::shared_ptr<DeviceSession>>;
  const std::scoped_lock lock(*mutex);
  std::shared_ptr<DeviceSession>& session = (*sessions)[device];
  if (!session) {
    const DeviceOfThread before;
    session = std::make_shared<DeviceSession>(device);
  }
  return session;
}

void require_same(std::initializer_list<std::shared_ptr<DeviceSession>> sessions) {
  for (const std::shared_ptr<DeviceSession>& one : sessions) {
    if (one == *sessions.begin()) continue;
    throw Error(ErrorKind::input, "one array lies on GPU " + std::to_string((*sessions.begin())->device()) +
                                      " and another on GPU " + std::to_string(one->device()) +
                                      "; copy them to one device");
  }
}

void bind_stage_devices(nanobind::module_& module) {
  bind_device_images(module);
  bind_device_sources(module);
}

}  // namespace srcextract::python
