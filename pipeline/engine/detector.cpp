#include "pipeline/engine/detector.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "cuda/ingest/ingest.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Device memory in bytes for the trees of islands, and for CLEAN's data of runs.
std::int64_t deblending_memory(const Shape& shape, const Config& config, const Capacity& room) {
  constexpr std::int64_t pixel_bytes = 25, run_bytes = 400;
  const bool divides = config.deblend.method != DeblendMethod::none;
  return (divides ? std::min(room.pixels, shape.count()) * pixel_bytes : 0) +
         (cleans_sources(config) ? room.runs * run_bytes : 0);
}

/// Device memory in bytes for an image that is not crowded. It is the sum of pixels, pixels that the clip keeps,
/// foreground bits, a bit for every four pixels, and room for runs, sources and pixels of islands.
std::int64_t memory_needed(const Shape& shape, const Config& config, const Capacity& room) {
  constexpr std::int64_t run_bytes = 48;  // run, label, and memory to label and measure the run
  constexpr std::int64_t source_bytes = sizeof(SourceSums);
  const std::int64_t words = (shape.width + 31) / 32 * shape.height;
  // Least bytes that cuda/sky/background.cu takes for the clip: a small image keeps all pixels twice, or two tiles a
  // block.
  constexpr std::int64_t least_kept = std::int64_t{40} << 20;
  const std::int64_t kept_by_clip = std::max(shape.count() * 4 * 47 / 100, std::min(shape.count() * 8, least_kept));
  const std::int64_t bright_quads = shape.count() / 32;  // a bit each
  return shape.count() * 4 + kept_by_clip + words * 4 + bright_quads + room.runs * run_bytes +
         room.sources * source_bytes + deblending_memory(shape, config, room);
}

/// Capacities that images of a shape and configuration have needed in this process. Later extractors start with enough
/// room: growing frees memory, for which the whole device waits. The last few kinds of images are remembered.
class KnownCapacities {
 public:
  Capacity of(const Shape& shape, const Config& config) {
    const std::lock_guard lock(mutex_);
    const auto found = find(shape, config);
    return found == known_.end() ? initial_capacity(shape, config) : found->capacity;
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

/// Never destroyed: threads may prepare for images when the process ends.
KnownCapacities& known_capacities() {
  static KnownCapacities& known = *new KnownCapacities;
  return known;
}

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

/// Checks that the device has free memory for an image, for `beside` bytes of other users, and for the buffers of the
/// copy. Frees cached memory before it throws Error{device}.
void require_memory(const Shape& shape, const Config& config, const Capacity& room, std::int64_t beside,
                    Stream& stream) {
  const std::int64_t needed = memory_needed(shape, config, room) + beside + Ingester::most_device_bytes;
  if (needed <= free_device_memory()) return;
  stream.give_back_kept_memory();
  const std::int64_t free = free_device_memory();
  if (needed <= free) return;
  throw Error(ErrorKind::device, "GPU " + std::to_string(stream.where().device) +
                                     " is short of memory: this image needs " + megabytes(needed) + ", " +
                                     megabytes(free) +
                                     " are free; free some, choose another GPU with --device, or use --backend cpu");
}

}  // namespace

void Detector::prepare(const Shape& shape, const Config& config, std::int64_t beside) {
  if (has(shape)) return;
  graph_.reset();
  pixels_.reset();
  capacity_ = known_capacities().of(shape, config);
  require_memory(shape, config, capacity_, beside, stream_);
  shape_ = shape;
  pixels_.emplace(shape, stream_.where());
}

bool Detector::may_be_reused(const Config& config) const {
  return graph_ && config.settings() == captured_.settings() && pixels_->noise.pixels.data() == captured_noise_ &&
         pixels_->variance.pixels.data() == captured_variance_ && pixels_->kept.pixels.data() == captured_kept_ &&
         pixels_->star.in_middle == captured_filter_ && pixels_->star.view() == captured_star_ &&
         pixels_->numbers == captured_numbers_;
}

void Detector::grow(const Capacity& needed) {
  capacity_ = grown_capacity(capacity_, needed.runs, needed.sources);
  known_capacities().add(shape_, captured_, capacity_);
}

void Detector::capture(const Config& config) {
  graph_.reset();  // frees its memory before the new graph takes some
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
}

}  // namespace srcextract
