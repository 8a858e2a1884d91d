#pragma once

#include <functional>
#include <vector>

#include "config/config.hpp"
#include "cuda/device/timing.hpp"
#include "cuda/device/workspace.hpp"
#include "pipeline/chain/detect_sources.hpp"

struct CUgraphExec_st;

namespace srcextract {

/// Room for the runs and sources of a normal field.
Capacity least_capacity(const Shape& shape);

/// least_capacity(), and room for noise pixels that exceed the thresholds of `config`.
Capacity initial_capacity(const Shape& shape, const Config& config);

/// Returns a capacity of at least `capacity`. If `runs` or `sources` exceeds its room, that room becomes 1.5 times the
/// count.
Capacity grown_capacity(const Capacity& capacity, std::int64_t runs, std::int64_t sources);

/// The detection steps on the memory of one image as a CUDA graph. A launch processes the image's current pixels,
/// without action by the host and without allocation.
class DetectionGraph {
 public:
  enum class Timing { none, every_stage };

  /// The image's pixels must stay where they are. where.capacity is the room for runs and sources.
  DetectionGraph(const Pixels<Gpu>& image, const Config& config, const Gpu& where, Timing timing = Timing::none);
  ~DetectionGraph();
  DetectionGraph(const DetectionGraph&) = delete;
  DetectionGraph& operator=(const DetectionGraph&) = delete;

  /// Queues the detection steps.
  void launch();

  /// Results of the last launch. The results are incomplete if found().runs has more runs, or found().components more
  /// sources, than capacity().
  const Detection<Gpu>& found() const { return found_; }
  const Capacity& capacity() const { return where_.capacity; }

  /// Reports the duration of every stage of the last launch, if stages are timed; the first stage counts from `begin`.
  /// The launch must be complete.
  void report_times(const TimedEvent& begin, const std::function<void(const char*, double)>& on_stage) const;

 private:
  struct StageEnd {
    const char* stage;
    TimedEvent event;
  };

  Gpu where_;
  Workspace workspace_;
  Detection<Gpu> found_;
  std::vector<StageEnd> ends_;
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace srcextract
