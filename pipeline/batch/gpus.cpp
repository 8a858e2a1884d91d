#include "pipeline/batch/gpus.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "pipeline/log/seconds_since.hpp"

namespace srcextract {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Runs `work` in a new thread. The thread may still be inside the GPU driver when the run is over. When the process
/// ends by exit(), the process waits for the thread.
template <class Work>
void start_thread(Work work) {
  spdlog::default_logger_raw();  // creates the logger before `threads`, so that at exit the logger is destroyed after
                                 // the threads have ended
  static std::mutex mutex;
  static std::vector<std::future<void>> threads;
  const std::lock_guard lock(mutex);
  std::erase_if(threads, [](const auto& thread) { return thread.wait_for(0s) == std::future_status::ready; });
  threads.push_back(std::async(std::launch::async, std::move(work)));
}

}  // namespace

/// State that the threads which start GPUs share with the run. A thread may still use this state after the run's end.
struct Gpus::Joining {
  void start_all();
  void start(int index);
  void add_workers(const CudaDevice& device);
  void end_one(const std::string& problem);

  Machine machine;
  GpuCalls calls;
  std::int64_t workers, image_bytes;
  Clock::time_point begin = Clock::now();
  std::mutex mutex = {};
  std::condition_variable changed = {};
  std::deque<Execution> ready = {};
  int devices = 1, starting = 1;
  bool joined = false;  ///< at least one GPU has been started and takes images
  bool over = false;    ///< the run needs no more workers
};

void Gpus::Joining::start_all() {
  try {
    const int count = calls.count();
    const std::lock_guard lock(mutex);
    devices = starting = count;
  } catch (const Error& error) {
    return end_one(error.what());
  }
  std::vector<std::jthread> others;
  for (int index = 1; index < devices; ++index) {
    try {
      others.emplace_back([this, index] { start(index); });
    } catch (const std::system_error&) {
      end_one("");  // the system allows no more threads: this GPU is not used
    }
  }
  start(0);
}

void Gpus::Joining::start(int index) {
  std::string problem;
  try {
    add_workers(calls.start(index));
  } catch (const std::exception& error) {
    problem = error.what();
  }
  end_one(problem);
}

void Gpus::Joining::add_workers(const CudaDevice& device) {
  const std::lock_guard lock(mutex);
  if (over) return;
  joined = true;
  const std::int64_t share =
      std::clamp<std::int64_t>(room_on(device, image_bytes), 1, (workers + devices - 1) / devices);
  for (std::int64_t worker = 0; worker < share; ++worker) ready.push_back(on_device(machine, device, 1));
  spdlog::info("back end: CUDA device {}, {}, joins after {:.3f} s", device.index, device.name, seconds_since(begin));
  changed.notify_all();
}

void Gpus::Joining::end_one(const std::string& problem) {
  const std::lock_guard lock(mutex);
  --starting;
  if (!problem.empty() && !over) {
    if (joined || starting > 0)
      spdlog::info("back end: a GPU does not join: {}", problem);
    else
      tell_of_no_gpu(Error(ErrorKind::device, problem), false);
  }
  changed.notify_all();
}

Gpus::Gpus(const Machine& machine, std::size_t workers, std::int64_t image_bytes, GpuCalls calls)
    : machine_(machine), devices_(machine.devices) {
  if (!machine.devices_join) return;
  joining_.reset(new Joining{machine, std::move(calls), static_cast<std::int64_t>(workers), image_bytes});
  try {
    start_thread([joining = joining_] { joining->start_all(); });
  } catch (const std::system_error&) {
    joining_->starting = 0;  // the system allows no more threads: no GPU is started, and the CPU extracts all images
  }
}

Gpus::~Gpus() {
  end_waiting();
}

std::optional<Execution> Gpus::wait() {
  if (!joining_) return std::nullopt;
  std::unique_lock lock(joining_->mutex);
  joining_->changed.wait(lock, [&] { return joining_->over || !joining_->ready.empty() || joining_->starting == 0; });
  if (joining_->over || joining_->ready.empty()) return std::nullopt;
  Execution execution = std::move(joining_->ready.front());
  joining_->ready.pop_front();
  const std::lock_guard of_devices(mutex_);
  if (std::ranges::find(devices_, execution.device->index, &CudaDevice::index) == devices_.end())
    devices_.push_back(*execution.device);
  return execution;
}

void Gpus::end_waiting() {
  if (!joining_) return;
  const std::lock_guard lock(joining_->mutex);
  joining_->over = true;
  joining_->ready.clear();  // executions for which no worker was started
  joining_->changed.notify_all();
}

void Gpus::replace(Execution& execution, const Error& error) {
  const int lost = execution.device->index;
  const std::lock_guard lock(mutex_);
  const bool first_to_know =
      std::erase_if(devices_, [&](const CudaDevice& device) { return device.index == lost; }) > 0;
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
