#include "pipeline/engine/detector.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "cuda/ingest/ingest.hpp"
#include "pipeline/chain/plan_memory.hpp"
#include "pipeline/engine/extractor.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Device memory in bytes that deblending needs for the pixel trees of islands (connected groups of pixels), and CLEAN
/// for its runs.
std::int64_t deblending_memory(const Shape& shape, const Config& config, const Capacity& room) {
  constexpr std::int64_t pixel_bytes = 25, run_bytes = 400;
  const bool divides = config.deblend.method != DeblendMethod::none;
  return (divides ? std::min(room.pixels, shape.count()) * pixel_bytes : 0) +
         (cleans_sources(config) ? room.runs * run_bytes : 0);
}

/// Device memory in bytes for an image with a usual number of sources: for its large buffers and for all others.
struct Needed {
  std::int64_t large = 0, small = 0;

  std::int64_t all() const { return large + small; }
};

/// Large buffers: the image, the pixels that the sky clip keeps, and `beside` bytes that stages keep. Small buffers:
/// foreground bits, one bit per four pixels (BrightQuads), runs, sources, pixels of islands, and the buffers for
/// copying the file's pixels to the device.
Needed memory_needed(const Shape& shape, const Config& config, const Capacity& room, std::int64_t beside) {
  constexpr std::int64_t run_bytes = 48;  // the run, its label, and memory to label and measure the run
  constexpr std::int64_t source_bytes = sizeof(SourceSums);
  const std::int64_t words = (shape.width + 31) / 32 * shape.height;
  // Smallest size of the clip's buffers (cuda/sky/background.cu): twice all pixels of a small image, or two tiles of
  // pixels for each thread block.
  constexpr std::int64_t least_kept = std::int64_t{40} << 20;
  const std::int64_t kept_by_clip = std::max(shape.count() * 4 * 47 / 100, std::min(shape.count() * 8, least_kept));
  const std::int64_t bright_quads = shape.count() / 32;  // one bit for every four pixels
  return {shape.count() * 4 + kept_by_clip + beside,
          words * 4 + bright_quads + room.runs * run_bytes + room.sources * source_bytes +
              deblending_memory(shape, config, room) + Ingester::most_device_bytes};
}

/// Capacities that images of a given shape and configuration have needed in this process. Later extractors start with
/// these, since increasing a capacity frees memory, and freeing waits for the whole device. The last 16 combinations of
/// shape and configuration are kept.
class KnownCapacities {
 public:
  std::optional<Capacity> of(const Shape& shape, const Config& config) {
    const std::lock_guard lock(mutex_);
    const auto found = find(shape, config);
    return found == known_.end() ? std::nullopt : std::optional(found->capacity);
  }
  void add(const Shape& shape, const Config& config, const Capacity& capacity) {
    const std::lock_guard lock(mutex_);
    const auto found = find(shape, config);
    if (found != known_.end()) {
      Capacity& known = found->capacity;
      known = Capacity{std::max(known.runs, capacity.runs), std::max(known.sources, capacity.sources)}.with_pixels();
      return;
    }
    constexpr std::size_t most = 16;
    if (known_.size() == most) known_.pop_front();
    known_.push_back({shape, config.settings(), capacity});
  }

 private:
  struct Known {
    Shape shape;
    Settings settings;
    Capacity capacity;
  };

  std::deque<Known>::iterator find(const Shape& shape, const Config& config) {
    return std::ranges::find_if(
        known_, [&](const Known& known) { return known.shape == shape && known.settings == config.settings(); });
  }

  std::mutex mutex_;
  std::deque<Known> known_;
};

/// Never destroyed, since other threads may still use it when the process ends.
KnownCapacities& known_capacities() {
  static KnownCapacities& known = *new KnownCapacities;
  return known;
}

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

/// Capacities for an image of a new shape: the probable one, and the least to start with, since capacities can be
/// increased.
struct Rooms {
  Capacity probable, least;
};

Rooms rooms_for(const Shape& shape, const Config& config) {
  const std::optional<Capacity> known = known_capacities().of(shape, config);
  if (known) return {*known, *known};
  return {initial_capacity(shape, config), least_capacity(shape)};
}

}  // namespace

DeviceNeeds CudaExtractor::memory_needed(const Plan& plan) {
  DeviceNeeds needs;
  for (const Config* config : {&plan.config, plan.found_in}) {
    if (config == nullptr) continue;
    const Rooms rooms = rooms_for(plan.shape, *config);
    const auto with = [&](const Capacity& room) {
      return srcextract::memory_needed(plan.shape, *config, room, device_memory_beside(plan)).all();
    };
    needs = {std::max(needs.probable, with(rooms.probable)), std::max(needs.least, with(rooms.least))};
  }
  return needs;
}

void Detector::prepare(const Shape& shape, const Config& config, std::int64_t beside) {
  if (has(shape) && stream_.host_share().most == host_memory_) return;
  forget();
  host_memory_ = stream_.host_share().most;
  choose_room(shape, config, beside);
  shape_ = shape;
  pixels_.emplace(shape, stream_.where());
}

void Detector::choose_room(const Shape& shape, const Config& config, std::int64_t beside) {
  const Rooms rooms = rooms_for(shape, config);
  const std::int64_t probable = memory_needed(shape, config, rooms.probable, beside).all();
  HostShare& host = stream_.host_share();
  host.large = host.for_small = 0;
  capacity_ = rooms.probable;
  if (probable <= free_device_memory()) return;
  stream_.give_back_kept_memory();
  const std::int64_t free = free_device_memory();
  if (probable <= free) return;
  capacity_ = rooms.least;
  const Needed needed = memory_needed(shape, config, rooms.least, beside);
  if (needed.all() <= free) return;
  if (needed.all() > free + host.most)
    throw Error(ErrorKind::device, "GPU " + std::to_string(stream_.where().device) +
                                       " is short of memory: this image needs " + megabytes(needed.all()) + ", " +
                                       megabytes(free) +
                                       " are free; free some, choose another GPU with --device, or use --backend cpu");
  host.large = needed.large / 8;
  host.for_small = needed.small;
}

void Detector::forget() noexcept {
  graph_.reset();
  pixels_.reset();
}

bool Detector::may_be_reused(const Config& config) const {
  return graph_ && config.settings() == captured_.settings() && pixels_->noise.pixels.data() == captured_noise_ &&
         pixels_->variance.pixels.data() == captured_variance_ && pixels_->kept.pixels.data() == captured_kept_ &&
         pixels_->star.in_middle == captured_filter_ && pixels_->star.view() == captured_star_ &&
         pixels_->numbers == captured_numbers_ && pixels_->negated == captured_negated_;
}

void Detector::grow(const Capacity& needed) {
  capacity_ = grown_capacity(capacity_, needed.runs, needed.sources);
  known_capacities().add(shape_, captured_, capacity_);
}

void Detector::capture(const Config& config) {
  graph_.reset();  // frees the old graph's memory before the new graph allocates
  is_new_ = true;
  Gpu with_room = stream_.where();
  with_room.capacity = capacity_;
  graph_.emplace(*pixels_, config, with_room, DetectionGraph::Timing::every_stage);
  captured_ = config;
  captured_noise_ = pixels_->noise.pixels.data();
  captured_variance_ = pixels_->variance.pixels.data();
  captured_kept_ = pixels_->kept.pixels.data();
  captured_star_ = pixels_->star.view();
  captured_filter_ = pixels_->star.in_middle;
  captured_numbers_ = pixels_->numbers;
  captured_negated_ = pixels_->negated;
}

}  // namespace srcextract
