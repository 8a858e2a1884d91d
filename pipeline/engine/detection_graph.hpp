#pragma once

#include <functional>
#include <vector>

#include "config/config.hpp"
#include "cuda/device/workspace.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/engine/stage_events.hpp"

struct CUgraphExec_st;

namespace srcextract {

/// Number of runs and sources that buffers for a usual image of this shape should hold. A run is a row of consecutive
/// foreground pixels.
Capacity least_capacity(const Shape& shape);

/// least_capacity(), plus the runs that noise pixels above the thresholds of `config` make.
Capacity initial_capacity(const Shape& shape, const Config& config);

/// Returns a capacity of at least `capacity`. If `runs` or `sources` exceeds its capacity, the new capacity is 1.5
/// times the number.
Capacity grown_capacity(const Capacity& capacity, std::int64_t runs, std::int64_t sources);

/// The detection steps for one image as a CUDA graph. A launch processes the current pixels of the image, without host
/// code between the steps and without allocations.
class DetectionGraph {
 public:
  enum class Timing { none, every_stage };

  /// Captures the graph. The pixel buffers of `image` must keep their addresses as long as the graph is used.
  /// where.capacity: numbers of runs and sources that the result buffers hold.
  DetectionGraph(const Pixels<Gpu>& image, const Config& config, const Gpu& where, Timing timing = Timing::none);
  ~DetectionGraph();
  DetectionGraph(const DetectionGraph&) = delete;
  DetectionGraph& operator=(const DetectionGraph&) = delete;

  /// Queues the graph in the stream. Does not wait.
  void launch();

  /// Results of the last launch. The results are incomplete if found().runs has more runs, or found().components more
  /// sources, than capacity().
  const Detection<Gpu>& found() const { return found_; }
  const Capacity& capacity() const { return where_.capacity; }

  /// Calls on_stage(stage, seconds) for every stage of the last launch, which must be complete. The first stage is
  /// timed from `begin`. Reports nothing with Timing::none.
  void report_times(const TimedEvent& begin, const std::function<void(const char*, double)>& on_stage) const {
    report_stage_times(begin, ends_, on_stage);
  }

 private:
  Gpu where_;
  Workspace workspace_;
  Detection<Gpu> found_;
  std::vector<StageEnd> ends_;
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace srcextract
