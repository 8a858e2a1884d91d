#include "pipeline/batch/places.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "pipeline/log/seconds_since.hpp"

namespace srcextract {
namespace {

/// Whether those who were sent to GPUs may have the CPU as well: not where it was ruled out, and not where few have all
/// threads to feed a GPU with.
bool may_choose(const Machine& machine, std::span<const Execution> executions) {
  if (machine.devices_join) return true;
  return machine.may_fall_back && !machine.compare && !machine.devices.empty() && executions.size() > 1 &&
         executions.front().cpu.threads == 1;
}

}  // namespace

Places::Places(const Machine& machine, const PlannedFiles& files, std::span<const Execution> executions)
    : machine_(machine), image_bytes_(room_for_any(files)) {
  if (may_choose(machine, executions)) roster_.emplace(static_cast<int>(executions.size()));
  for (const CudaDevice& device : machine.devices) add(device, false);
  if (machine.devices_join) start_ = std::make_unique<DeviceStart>(static_cast<int>(executions.size()), image_bytes_);
}

void Places::add(const CudaDevice& device, bool tried) {
  devices_.push_back(device);
  if (roster_) roster_->add(device.index, std::max<std::int64_t>(1, room_on(device, image_bytes_)), tried);
}

Places::Turn Places::take(Worker& worker, std::size_t left) {
  if (!roster_) return {worker.sent_to_};
  const std::lock_guard lock(mutex_);
  if (start_)
    for (const auto& [device, tried] : start_->take_ready()) add(device, tried);
  const Roster::Place place =
      roster_->choose([&](int device) { return worker.on_devices_.contains(device); }, static_cast<std::int64_t>(left));
  if (!place) {
    Execution on_cpu = worker.sent_to_;
    on_cpu.cpu = machine_.cpu;
    on_cpu.device = std::nullopt;
    on_cpu.extractor = nullptr;
    if (worker.on_devices_.empty()) ++on_cpu_;
    return {std::move(on_cpu)};
  }
  const auto known = worker.on_devices_.find(*place);
  if (known != worker.on_devices_.end()) return {known->second, place};
  Execution execution = on_device(machine_, *std::ranges::find(devices_, *place, &CudaDevice::index), 1);
  const std::shared_ptr<CudaExtractor> prepared = start_ ? start_->take_extractor(*place) : nullptr;
  if (prepared) execution.extractor = prepared;
  return {worker.on_devices_.emplace(*place, std::move(execution)).first->second, place, true};
}

void Places::show(const PixelSource& image, const std::shared_ptr<const ImageConfig>& config) {
  if (start_) start_->show(image, config);
}

void Places::begin(Turn& turn) {
  turn.begin = std::chrono::steady_clock::now();
}

bool Places::end(Worker& worker, Turn&& turn, std::int64_t images, std::int64_t pixels) {
  if (!roster_) {
    worker.sent_to_ = std::move(turn.execution);
    return false;
  }
  roster_->done({.place = turn.place,
                 .images = images,
                 .pixels = static_cast<double>(pixels),
                 .seconds = images > 0 ? seconds_since(turn.begin) : 0,
                 .first = turn.first});
  if (turn.place || !worker.on_devices_.empty()) return false;
  const std::lock_guard lock(mutex_);
  --on_cpu_;
  return go();
}

/// Whether one of those is to go in whose place others have come.
bool Places::go() {
  if (replaced_ == 0) return false;
  --replaced_;
  return true;
}

bool Places::wait_for_vacancy() {
  while (start_ && start_->wait()) {
    const std::lock_guard lock(mutex_);
    if (replaced_ >= on_cpu_) continue;
    ++replaced_;
    return true;
  }
  return false;
}

void Places::end_waiting() {
  if (start_) start_->end_waiting();
}

bool Places::withdraw(const Turn& turn) {
  if (!roster_ || turn.place) return false;
  {
    const std::lock_guard lock(mutex_);
    if (!go()) return false;
    --on_cpu_;
  }
  roster_->done({});
  return true;
}

bool Places::keep() {
  const std::lock_guard lock(mutex_);
  return go();
}

void Places::replace(Execution& execution, const Error& error) {
  const int lost = execution.device->index;
  const std::lock_guard lock(mutex_);
  const bool first_to_know =
      std::erase_if(devices_, [&](const CudaDevice& device) { return device.index == lost; }) > 0;
  if (roster_) roster_->remove(lost);
  const bool on_cpu = devices_.empty();
  if (on_cpu && (!machine_.may_fall_back || machine_.compare))
    throw Error(ErrorKind::device, fmt::format("GPU {} is lost, and there is no other: {}", lost, error.what()));
  if (first_to_know)
    spdlog::warn("GPU {} is lost ({}); its work goes to {}", lost, error.what(), on_cpu ? "the CPU" : "the others");
  const std::optional<CudaDevice> next =
      on_cpu ? std::nullopt : std::optional(devices_[next_device_++ % devices_.size()]);
  execution = on_device(machine_, next, execution.cpu.threads);
}

}  // namespace srcextract
