#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "config/config.hpp"
#include "cuda/device/timing.hpp"
#include "cuda/device/workspace.hpp"
#include "cuda/sky/following_clip.hpp"
#include "pipeline/chain/detect_sources.hpp"

struct CUgraphExec_st;

namespace srcextract {

/// Room for the runs and sources of a normal field, and for the noise that such thresholds let pass.
Capacity initial_capacity(const Shape& shape, const Config& config);

/// No less than `capacity`, and room for half as much again as was needed.
Capacity grown_capacity(const Capacity& capacity, std::int64_t runs, std::int64_t sources);

/// The detection steps on the memory of one or several images as one CUDA graph: launched again and again, whatever is
/// in the images by then, without a word from the host and without an allocation. Images do not wait for one another:
/// each is a branch of its own, with memory of its own besides the image's.
class DetectionGraph {
 public:
  enum class Timing { none, every_stage };
  /// Whether a sky that is constant is estimated by the steps alone, or can follow an image on its way to the device.
  enum class Clip { in_steps, following };

  /// The images' pixels must stay where they are. where.capacity says for how many runs and sources there is room in
  /// each. Only where there is one image can its stages be timed, and its sky follow it.
  DetectionGraph(std::span<const Pixels<Gpu>> images, const Config& config, const Gpu& where,
                 Timing timing = Timing::none, Clip clip = Clip::in_steps);
  DetectionGraph(const Pixels<Gpu>& image, const Config& config, const Gpu& where, Timing timing = Timing::none,
                 Clip clip = Clip::in_steps)
      : DetectionGraph(std::span(&image, 1), config, where, timing, clip) {}
  ~DetectionGraph();
  DetectionGraph(const DetectionGraph&) = delete;
  DetectionGraph& operator=(const DetectionGraph&) = delete;

  /// Queues the detection steps.
  void launch();

  /// What may be told of the image before launch(), once for each; null if its sky is estimated by the steps alone.
  FollowingClip* following_clip() { return clip_ ? &*clip_ : nullptr; }

  std::size_t images() const { return branches_.size(); }

  /// What the last launch found in an image: where found().runs has more runs, or found().components more sources,
  /// than capacity() they are not complete.
  const Detection<Gpu>& found(std::size_t image = 0) const { return branches_[image].found; }
  const Capacity& capacity() const { return where_.capacity; }

  /// Tells how long every stage of the last launch took, the first from `begin` on, if they are timed. The launch must
  /// be complete.
  void report_times(const TimedEvent& begin, const std::function<void(const char*, double)>& on_stage) const;

 private:
  struct Branch {
    Workspace workspace;  ///< no other's: what one branch has given back, another could not take, for both are at work
    Detection<Gpu> found;
  };
  struct StageEnd {
    const char* stage;
    TimedEvent event;
  };
  class Steps;
  void detect(const Pixels<Gpu>& image, const Config& config, Timing timing);

  Gpu where_;
  std::deque<Branch> branches_;
  Workspace clip_workspace_;
  std::optional<FollowingClip> clip_;
  std::vector<StageEnd> ends_;
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace srcextract
