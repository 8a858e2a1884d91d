#include "cuda/engine/detection_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cuda/device/check.hpp"

namespace srcextract {

namespace {

/// There is room for so many pixels to a run, or fewer where the image is small.
constexpr std::int64_t pixels_per_run = 128;
constexpr std::int64_t pixels_per_run_of_small = 8;
constexpr std::int64_t least_runs = 256;
constexpr std::int64_t least_runs_unless_small = 4096;

/// A graph that is being made.
class NewGraph {
 public:
  NewGraph() { check(cudaGraphCreate(&graph_, 0)); }
  ~NewGraph() { cudaGraphDestroy(graph_); }
  NewGraph(const NewGraph&) = delete;
  NewGraph& operator=(const NewGraph&) = delete;

  cudaGraph_t get() const { return graph_; }

  cudaGraphExec_t instantiate() const {
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, graph_, 0));
    return executable;
  }

 private:
  cudaGraph_t graph_ = nullptr;
};

/// Until it ends, or is destroyed, what is given to a stream becomes a branch of a graph, beside those that it has.
class Capture {
 public:
  Capture(cudaStream_t stream, const NewGraph& graph) : stream_(stream) {
    // Relaxed: the workspace may allocate meanwhile, here and in other threads.
    check(cudaStreamBeginCaptureToGraph(stream, graph.get(), nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  }
  ~Capture() {
    if (ended_) return;
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream_, &graph);
    cudaGetLastError();  // what broke the capture off has been reported
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void end() {
    ended_ = true;
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph));
  }

 private:
  cudaStream_t stream_;
  bool ended_ = false;
};

/// The share of the pixels, of white noise alone. How much of it a convolved image has left is not known here.
double noise_above_thresholds(const Config& config) {
  const DetectionConfig& detection = config.detection;
  if (!counts_in_sigmas(detection) || controls_false_discoveries(detection)) return 0;
  const auto share = [](double sigmas) { return sigmas > 0 ? std::erfc(sigmas * std::numbers::sqrt2 / 2) / 2 : 0; };
  const double detected = config.convolve.kernel == KernelShape::none ? share(detection.threshold) : 0;
  return std::max(detected, share(detection.analysis_threshold));
}

std::int64_t half_as_much_again(std::int64_t count) {
  return std::min<std::int64_t>(count + count / 2 + 1, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Capacity initial_capacity(const Shape& shape, const Config& config) {
  const std::int64_t of_small =
      std::clamp(shape.count() / pixels_per_run_of_small, least_runs, least_runs_unless_small);
  const std::int64_t runs = std::max(of_small, shape.count() / pixels_per_run);
  const auto noise = static_cast<std::int64_t>(noise_above_thresholds(config) * static_cast<double>(shape.count()));
  return {runs + noise, runs / 2};
}

Capacity grown_capacity(const Capacity& capacity, std::int64_t runs, std::int64_t sources) {
  return {runs > capacity.runs ? half_as_much_again(runs) : capacity.runs,
          sources > capacity.sources ? half_as_much_again(sources) : capacity.sources};
}

/// What is told of the steps while they are captured.
class DetectionGraph::Steps {
 public:
  Steps(DetectionGraph& graph, const Gpu& where, Timing timing) : graph_(graph), where_(where), timing_(timing) {}

  void operator()(const char* stage) const {
    if (timing_ == Timing::none) return;
    graph_.ends_.push_back({stage, TimedEvent()});
    graph_.ends_.back().event.record_in_graph(where_.stream);
  }

  Value<Background, Gpu> constant_sky(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                      BrightQuads<Gpu>& bright, const Gpu& where) const {
    if (!graph_.clip_) return estimate_background(image, config, where, bright);
    graph_.clip_->tell(image, bright, where);
    return graph_.clip_->finish(where);
  }

 private:
  DetectionGraph& graph_;
  const Gpu& where_;
  Timing timing_;
};

DetectionGraph::DetectionGraph(std::span<const Pixels<Gpu>> images, const Config& config, const Gpu& where,
                               Timing timing, Clip clip)
    : where_(where) {
  if (clip == Clip::following) {
    Gpu of_clip = where_;
    of_clip.workspace = &clip_workspace_;
    clip_.emplace(images.front().image, config.background, of_clip);
  }
  const NewGraph graph;
  for (const Pixels<Gpu>& image : images) {
    Capture capture(where_.stream, graph);
    detect(image, config, timing);
    capture.end();
  }
  graph_ = graph.instantiate();
}

DetectionGraph::~DetectionGraph() {
  cudaStreamSynchronize(where_.stream);
  cudaGraphExecDestroy(graph_);
}

void DetectionGraph::detect(const Pixels<Gpu>& image, const Config& config, Timing timing) {
  Branch& branch = branches_.emplace_back();
  Gpu where = where_;
  where.workspace = &branch.workspace;
  branch.found = detect_sources(image, config, where, Steps(*this, where, timing));
}

void DetectionGraph::launch() {
  if (clip_) clip_->catch_up();
  check(cudaGraphLaunch(graph_, where_.stream));
  if (clip_) clip_->forget();  // the steps may have moved what it found
}

void DetectionGraph::report_times(const TimedEvent& begin,
                                  const std::function<void(const char*, double)>& on_stage) const {
  const TimedEvent* before = &begin;
  for (const StageEnd& end : ends_) {
    on_stage(end.stage, end.event.seconds_since(*before));
    before = &end.event;
  }
}

}  // namespace srcextract
