#include "pipeline/engine/detection_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cuda/device/check.hpp"

namespace srcextract {

namespace {

/// Usual images: buffers hold one run per 128 pixels. Small images have relatively more runs.
constexpr std::int64_t pixels_per_run = 128;
constexpr std::int64_t pixels_per_run_of_small = 8;
constexpr std::int64_t least_runs = 256;
constexpr std::int64_t least_runs_unless_small = 4096;

/// Records the work that is queued in a stream as a CUDA graph, until instantiate() or the destructor ends the
/// recording.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    // With other modes, the allocations of the workspace in this and other threads would make the capture fail.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  }
  ~Capture() {
    if (!ended_) cudaStreamEndCapture(stream_, &graph_);
    cudaGetLastError();  // clears the error of a failed capture, which was reported where it occurred
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  cudaGraphExec_t instantiate() {
    ended_ = true;
    check(cudaStreamEndCapture(stream_, &graph_));
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, graph_, 0));
    return executable;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  bool ended_ = false;
};

/// Fraction of the pixels of pure white noise that are above the thresholds; 0 if thresholds are not in sigma. In a
/// convolved image the noise is lower by an unknown factor, so only the analysis threshold counts.
double noise_above_thresholds(const Config& config) {
  const DetectionConfig& detection = config.detection;
  if (!counts_in_sigmas(detection) || controls_false_discoveries(detection)) return 0;
  const auto share = [](double sigmas) { return sigmas > 0 ? std::erfc(sigmas * std::numbers::sqrt2 / 2) / 2 : 0; };
  const double detected = config.convolve.filters() ? 0 : share(detection.threshold);
  return std::max(detected, share(detection.analysis_threshold));
}

std::int64_t half_as_much_again(std::int64_t count) {
  return std::min<std::int64_t>(count + count / 2 + 1, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Capacity least_capacity(const Shape& shape) {
  const std::int64_t of_small =
      std::clamp(shape.count() / pixels_per_run_of_small, least_runs, least_runs_unless_small);
  const std::int64_t runs = std::max(of_small, shape.count() / pixels_per_run);
  return Capacity{runs, runs / 2}.with_pixels();
}

Capacity initial_capacity(const Shape& shape, const Config& config) {
  const Capacity least = least_capacity(shape);
  const auto noise = static_cast<std::int64_t>(noise_above_thresholds(config) * static_cast<double>(shape.count()));
  return Capacity{least.runs + noise, least.sources}.with_pixels();
}

Capacity grown_capacity(const Capacity& capacity, std::int64_t runs, std::int64_t sources) {
  return Capacity{runs > capacity.runs ? half_as_much_again(runs) : capacity.runs,
                  sources > capacity.sources ? half_as_much_again(sources) : capacity.sources}
      .with_pixels();
}

DetectionGraph::DetectionGraph(const Pixels<Gpu>& image, const Config& config, const Gpu& where, Timing timing)
    : where_(where), workspace_(where.workspace->host()) {
  Gpu with_workspace = where_;
  with_workspace.workspace = &workspace_;
  const auto note_end = [&](const char* stage) {
    if (timing == Timing::none) return;
    ends_.push_back({stage, TimedEvent()});
    ends_.back().event.record_in_graph(where_.stream);
  };
  Capture capture(where_.stream);
  found_ = detect_sources(image, config, with_workspace, note_end);
  graph_ = capture.instantiate();
}

DetectionGraph::~DetectionGraph() {
  cudaStreamSynchronize(where_.stream);
  cudaGraphExecDestroy(graph_);
}

void DetectionGraph::launch() {
  check(cudaGraphLaunch(graph_, where_.stream));
}

}  // namespace srcextract
