#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cuda/device/device.hpp"
#include "cuda/device/lent.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/ingest/device_pixels.hpp"
#include "pipeline/engine/results.hpp"
#include "python/core/gil.hpp"
#include "python/core/stages/pixels.hpp"

namespace srcextract::python {

template <>
struct Place<Gpu> {
  Gpu where;
};

template <class T>
Value<T, Gpu> value_at(const T& value, const Gpu& where) {
  return to_device(value, where);
}

/// A device on which stages run one after the other, and the memory that is cached for reuse. Objects on the device
/// share ownership of the session. Using or freeing an object requires a DeviceLock.
class DeviceSession {
 public:
  explicit DeviceSession(int device) : stream_(device) {}

  int device() const { return stream_.where().device; }
  const Gpu& where() const { return stream_.where(); }
  std::mutex& mutex() { return mutex_; }
  /// Returns cached memory to the device.
  void give_back() { stream_.give_back_kept_memory(); }

 private:
  Stream stream_;
  std::mutex mutex_;
};

/// The session of a device, made at the first call and kept until the program ends. Thread-safe.
std::shared_ptr<DeviceSession> session_of(int device);

/// Gives the current thread exclusive use of a device. The destructor waits for all work on the device's stream.
class DeviceLock {
 public:
  explicit DeviceLock(DeviceSession& session) : session_(session), lock_(session.mutex()) {
    use_device(session.device());
  }
  ~DeviceLock() { wait(); }
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  const Gpu& where() const { return session_.where(); }
  void finish() const { synchronize(where()); }

 private:
  void wait() const noexcept { const StreamEnd end(where()); }

  DeviceOfThread before_;
  DeviceSession& session_;
  std::scoped_lock<std::mutex> lock_;
};

/// Owns the result of a stage in the memory of a device.
template <class Held>
struct OnDevice {
  OnDevice(std::shared_ptr<DeviceSession> of, Held&& what) : session(std::move(of)), held(std::move(what)) {}
  ~OnDevice() { free(); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  const Held& operator*() const { return *held; }
  const Held* operator->() const { return &*held; }

  /// Records that another library may have the address of the result, and may still be reading when the result is
  /// freed.
  void lend() const { is_lent = true; }

  std::shared_ptr<DeviceSession> session;
  std::optional<Held> held;
  mutable std::atomic<bool> is_lent = false;

 private:
  /// Frees the memory for reuse by the session's stream. If the result was lent, first waits for all work on the
  /// device.
  void free() noexcept;
};

template <class Held>
void OnDevice<Held>::free() noexcept {
  try {
    const DeviceLock lock(*session);
    if (is_lent) wait_for_device();
    held.reset();
  } catch (...) {  // the device and all its memory are lost
    held.reset();
  }
}

/// Runs work(place) on the device without the GIL; returns the result.
template <class Work>
auto on_device(const std::shared_ptr<DeviceSession>& session, const Work& work) {
  const WithoutGil others;
  using Held = decltype(work(std::declval<const Place<Gpu>&>()));
  const DeviceLock lock(*session);
  Held held = work(Place<Gpu>{lock.where()});
  lock.finish();
  return std::make_unique<OnDevice<Held>>(session, std::move(held));
}

using DeviceImage = OnDevice<HeldImage<Gpu>>;
using DeviceSky = OnDevice<HeldSky<Gpu>>;
using DeviceForeground = OnDevice<HeldForeground<Gpu>>;
using DeviceLabels = OnDevice<HeldLabels<Gpu>>;
using DeviceMask = OnDevice<Image<std::uint8_t, Gpu>>;
using DeviceMap = OnDevice<Image<std::int32_t, Gpu>>;

/// Throws Error{input} unless all sessions are the same.
void require_same(std::initializer_list<std::shared_ptr<DeviceSession>> sessions);

void bind_device_images(nanobind::module_& module);
void bind_device_sources(nanobind::module_& module);

}  // namespace srcextract::python
