#include "cuda/detect.hpp"

#include <algorithm>
#include <limits>

#include "cuda/check.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t least_runs = 4096;
constexpr std::int64_t pixels_per_run = 128;

/// Records what is given to a stream until it is destroyed.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    // Relaxed: the workspace may allocate meanwhile, here and in other threads.
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  }
  ~Capture() {
    if (!ended_) cudaStreamEndCapture(stream_, &graph_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    if (!ended_) cudaGetLastError();  // what broke the capture off has been reported
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

Gpu with_workspace(Gpu where, Workspace& workspace) {
  where.workspace = &workspace;
  return where;
}

std::int64_t half_as_much_again(std::int64_t count) {
  return std::min<std::int64_t>(count + count / 2 + 1, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Capacity initial_capacity(const Shape& shape) {
  const std::int64_t runs = std::max(least_runs, shape.count() / pixels_per_run);
  return {runs, runs / 2};
}

Capacity grown_capacity(const Capacity& capacity, std::int64_t runs, std::int64_t sources) {
  return {runs > capacity.runs ? half_as_much_again(runs) : capacity.runs,
          sources > capacity.sources ? half_as_much_again(sources) : capacity.sources};
}

DetectionGraph::DetectionGraph(const Pixels<Gpu>& pixels, const Config& config, const Gpu& where, Timing timing)
    : where_(with_workspace(where, workspace_)) {
  capture(pixels, config, timing);
}

DetectionGraph::~DetectionGraph() {
  cudaStreamSynchronize(where_.stream);
  cudaGraphExecDestroy(graph_);
}

void DetectionGraph::capture(const Pixels<Gpu>& pixels, const Config& config, Timing timing) {
  Capture capture(where_.stream);
  found_ = detect_sources(pixels, config, where_, [&](const char* stage, const auto&) {
    if (timing == Timing::none) return;
    ends_.push_back({stage, TimedEvent()});
    ends_.back().event.record_in_graph(where_.stream);
  });
  graph_ = capture.instantiate();
}

void DetectionGraph::launch() {
  check(cudaGraphLaunch(graph_, where_.stream));
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
