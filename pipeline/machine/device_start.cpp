#include "pipeline/machine/device_start.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "pipeline/chain/stage_list.hpp"
#include "pipeline/log/seconds_since.hpp"
#include "pipeline/machine/backend.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

using Clock = std::chrono::steady_clock;

/// A GPU that nobody else uses has zeros of 16384 x 16384 on it, and is done with them, in 30 ms.
constexpr double quick = 0.1;  // s

/// What images are like.
struct Sample {
  Shape shape;
  PixelFormat format;
  std::shared_ptr<const ImageConfig> config;
};

/// Threads that may be in the driver still, for which a process waits that ends in the usual way.
class Threads {
 public:
  template <class Work>
  void start(Work work) {
    const std::lock_guard lock(mutex_);
    std::erase_if(threads_, [](const Started& started) { return started.over->load(); });
    const auto over = std::make_shared<std::atomic<bool>>(false);
    std::jthread thread([work = std::move(work), over] {
      work();
      *over = true;
    });
    threads_.push_back({over, std::move(thread)});
  }

 private:
  struct Started {
    std::shared_ptr<std::atomic<bool>> over;
    std::jthread thread;
  };
  std::mutex mutex_;
  std::vector<Started> threads_;
};

Threads& threads() {
  // What they write to the log with ends after them: statics end in the reverse of the order in which they began.
  spdlog::default_logger_raw();
  static Threads all;
  return all;
}

}  // namespace

/// What the threads have in common with who started them, and may outlive.
struct DeviceStart::State {
  /// One device, from its context to the last extractor.
  void start(int index);

  /// All of them.
  void start_all(const std::shared_ptr<State>& self);

  /// Waits for somebody to tell; false if nobody will.
  std::optional<Sample> wait_for_sample();

  bool add(const CudaDevice& device, bool tried);
  void tell();
  bool claim_one(int device);
  void end_one();
  void prepare(const CudaDevice& device);

  std::mutex mutex;
  std::condition_variable changed;
  Clock::time_point begin = Clock::now();
  std::optional<Sample> sample;
  std::vector<Ready> ready;
  std::map<int, std::vector<std::shared_ptr<CudaExtractor>>> prepared;
  GpuCalls calls;
  std::int64_t image_bytes = 1;
  std::map<int, std::int64_t> wanted;  ///< extractors of a device that are still to be made
  int workers = 0, devices = 1, under_way = 1, usable = 0;
  int told = 0;         ///< of what wait() waits for
  bool waiting = true;  ///< somebody may
  std::optional<Error> failure;
  bool left = false;  ///< nobody takes what becomes ready
};

std::optional<Sample> DeviceStart::State::wait_for_sample() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return sample || left; });
  return left ? std::nullopt : sample;
}

/// False if nobody wants it.
bool DeviceStart::State::add(const CudaDevice& device, bool tried) {
  const std::lock_guard lock(mutex);
  if (left) return false;
  ready.push_back({device, tried});
  spdlog::info("back end: CUDA device {}, {}, joins the CPU after {:.3f} s", device.index, device.name,
               seconds_since(begin));
  return true;
}

void DeviceStart::State::tell() {
  const std::lock_guard lock(mutex);
  ++told;
  changed.notify_all();
}

void DeviceStart::State::prepare(const CudaDevice& device) {
  const std::optional<Sample> like = wait_for_sample();
  if (!like) return;
  const Config& config = like->config->config;
  if (images_in_a_launch(like->shape, config) > 1) {
    add(device, false);
    tell();
    return;
  }
  {
    // Workers come to all of them: each has its share, if there is room for so many.
    const std::lock_guard lock(mutex);
    const std::int64_t share = (workers + devices - 1) / devices;
    wanted[device.index] = std::clamp<std::int64_t>(room_on(device, image_bytes), 1, share);
  }
  for (int made = 0; claim_one(device.index); ++made) {
    auto extractor = std::make_shared<CudaExtractor>(device.index, Cpu{1});
    calls.prepare(*extractor, like->shape, like->format, config);
    if (made == 0) {
      const auto again = Clock::now();
      calls.prepare(*extractor, like->shape, like->format, config);
      if (!add(device, seconds_since(again) < quick)) return;
    }
    const std::lock_guard lock(mutex);
    if (left || !waiting) return;
    prepared[device.index].push_back(std::move(extractor));
    ++told;
    changed.notify_all();
    spdlog::debug("CUDA device {}: ready for {} after {:.3f} s", device.index, counted(made + 1, "worker"),
                  seconds_since(begin));
  }
}

/// Whether another extractor of the device is to be made.
bool DeviceStart::State::claim_one(int device) {
  const std::lock_guard lock(mutex);
  return !left && waiting && wanted[device]-- > 0;
}

void DeviceStart::State::start(int index) {
  std::optional<Error> error;
  try {
    const CudaDevice device = calls.start(index);
    spdlog::debug("CUDA device {}: has a context after {:.3f} s", index, seconds_since(begin));
    {
      const std::lock_guard lock(mutex);
      ++usable;
    }
    prepare(device);
  } catch (const Error& caught) {
    error = caught;
  } catch (const std::exception& caught) {
    error = Error(ErrorKind::device, caught.what());
  }
  const std::lock_guard lock(mutex);
  if (error && usable > 0 && !left) spdlog::info("back end: CUDA device {}: {}", index, error->what());
  if (!failure) failure = std::move(error);
  end_one();
}

void DeviceStart::State::end_one() {
  if (--under_way == 0 && usable == 0 && !left) tell_of_no_gpu(*failure, false);
  changed.notify_all();
}

void DeviceStart::State::start_all(const std::shared_ptr<State>& self) {
  int count = 0;
  try {
    count = calls.count();
  } catch (const Error& error) {
    const std::lock_guard lock(mutex);
    failure = error;
    return end_one();
  }
  {
    const std::lock_guard lock(mutex);
    devices = under_way = count;
  }
  std::vector<std::jthread> others;
  for (int index = 1; index < count; ++index) {
    try {
      others.emplace_back([self, index] { self->start(index); });
    } catch (const std::system_error&) {
      const std::lock_guard lock(mutex);
      --under_way;  // no more threads are to be had; the first device is still to come
    }
  }
  start(0);
}

bool has_gpu_driver() {
  return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

void tell_of_no_gpu(const Error& error, bool named) {
  const bool expected = cuda_built() && has_gpu_driver();
  spdlog::log(named      ? spdlog::level::warn
              : expected ? spdlog::level::info
                         : spdlog::level::debug,
              "back end: CPU, because no GPU can be used: {}", error.what());
}

DeviceStart::DeviceStart(int workers, std::int64_t image_bytes, GpuCalls calls) : state_(std::make_shared<State>()) {
  state_->workers = workers;
  state_->image_bytes = image_bytes;
  state_->calls = std::move(calls);
  try {
    threads().start([state = state_] { state->start_all(state); });
  } catch (const std::system_error&) {
    state_->under_way = 0;  // no more threads are to be had: the CPU does it all
  }
}

DeviceStart::~DeviceStart() {
  const std::lock_guard lock(state_->mutex);
  state_->left = true;
  state_->changed.notify_all();
}

void DeviceStart::show(const PixelSource& image, const std::shared_ptr<const ImageConfig>& config) {
  const std::lock_guard lock(state_->mutex);
  if (state_->sample) return;
  state_->sample = {image.shape, image.format, config};
  state_->changed.notify_all();
}

std::vector<DeviceStart::Ready> DeviceStart::take_ready() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->ready, {});
}

std::shared_ptr<CudaExtractor> DeviceStart::take_extractor(int device) {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::shared_ptr<CudaExtractor>>& extractors = state_->prepared[device];
  if (extractors.empty()) {
    --state_->wanted[device];
    return nullptr;
  }
  std::shared_ptr<CudaExtractor> extractor = std::move(extractors.back());
  extractors.pop_back();
  return extractor;
}

bool DeviceStart::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->told > 0 || state_->under_way == 0 || !state_->waiting; });
  if (state_->told == 0 || !state_->waiting) return false;
  --state_->told;
  return true;
}

void DeviceStart::end_waiting() {
  const std::lock_guard lock(state_->mutex);
  state_->waiting = false;
  state_->prepared.clear();  // of workers who never came
  state_->changed.notify_all();
}

}  // namespace srcextract
