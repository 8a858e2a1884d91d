#pragma once

#include <functional>
#include <vector>

#include "config/config.hpp"
#include "cuda/device/timing.hpp"
#include "cuda/device/workspace.hpp"
#include "pipeline/chain/detect_sources.hpp"

struct CUgraphExec_st;

namespace srcextract {

/// Room for the runs and sources of a normal field, and for the noise that such thresholds let pass.
Capacity initial_capacity(const Shape& shape, const Config& config);

/// No less than `capacity`, and room for half as much again as was needed.
Capacity grown_capacity(const Capacity& capacity, std::int64_t runs, std::int64_t sources);

/// The detection steps on the memory of an image as one CUDA graph: launched again and again, whatever is in the image
/// by then, without a word from the host and without an allocation.
class DetectionGraph {
 public:
  enum class Timing { none, every_stage };

  /// The image's pixels must stay where they are. where.capacity says for how many runs and sources there is room.
  DetectionGraph(const Pixels<Gpu>& image, const Config& config, const Gpu& where, Timing timing = Timing::none);
  ~DetectionGraph();
  DetectionGraph(const DetectionGraph&) = delete;
  DetectionGraph& operator=(const DetectionGraph&) = delete;

  /// Queues the detection steps.
  void launch();

  /// What the last launch found: where found().runs has more runs, or found().components more sources, than capacity()
  /// they are not complete.
  const Detection<Gpu>& found() const { return found_; }
  const Capacity& capacity() const { return where_.capacity; }

  /// Tells how long every stage of the last launch took, the first from `begin` on, if they are timed. The launch must
  /// be complete.
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
