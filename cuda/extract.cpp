#include "cuda/extract.hpp"

#include <optional>
#include <span>
#include <string>

#include "cuda/detect.hpp"
#include "cuda/device.hpp"
#include "cuda/ingest.hpp"
#include "cuda/memory.hpp"
#include "cuda/results.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Device memory that an image takes unless it is crowded: its pixels, what the clip keeps of them, the foreground as
/// bits, the buffers of the copy, and room for runs and sources.
std::int64_t memory_needed(const Shape& shape) {
  constexpr std::int64_t run_bytes = 48;  // itself, its label, and what labelling and measuring it take
  constexpr std::int64_t source_bytes = sizeof(SourceSums);
  const Capacity room = initial_capacity(shape);
  const std::int64_t words = (shape.width + 31) / 32 * shape.height;
  // The rooms of cuda/background.cu: of a small image all of it twice, or two tiles a block.
  constexpr std::int64_t least_kept = std::int64_t{40} << 20;
  const std::int64_t kept_by_clip = std::max(shape.count() * 4 * 47 / 100, std::min(shape.count() * 8, least_kept));
  return shape.count() * 4 + kept_by_clip + words * 4 + Ingester::most_device_bytes + room.runs * run_bytes +
         room.sources * source_bytes;
}

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

void require_memory(const Shape& shape, int device, Stream& stream) {
  const std::int64_t needed = memory_needed(shape);
  if (needed <= find_cuda_device(device).free_memory) return;
  stream.give_back_kept_memory();
  const std::int64_t free = find_cuda_device(device).free_memory;
  if (needed <= free) return;
  throw Error(ErrorKind::device, "GPU " + std::to_string(device) + " is short of memory: this image needs " +
                                     megabytes(needed) + ", " + megabytes(free) +
                                     " are free; free some, choose another GPU with --device, or use --backend cpu");
}

bool same_steps(const Config& a, const Config& b) {
  return a.background == b.background && a.detection == b.detection && a.measurement == b.measurement;
}

/// Waits for the stream when destroyed.
class StreamEnd {
 public:
  explicit StreamEnd(const Gpu& where) : stream_(where.stream) {}
  ~StreamEnd() { cudaStreamSynchronize(stream_); }
  StreamEnd(const StreamEnd&) = delete;
  StreamEnd& operator=(const StreamEnd&) = delete;

 private:
  cudaStream_t stream_;
};

}  // namespace

/// What is kept between images.
class CudaExtractor::Session {
 public:
  Session(int device, const Cpu& host) : host_(host), stream_(device, host.threads) {}

  Extraction extract(const PixelSource& source, const Config& config, const Observer& observer) {
    const StreamEnd end(where());  // what the bus reads must outlive this call, whatever becomes of it
    prepare(source.shape);
    begin_.record(where().stream);
    ingester_.ingest(source, *pixels_);
    ingested_.record(where().stream);
    const HostResults::Summary& summary = detect(config);
    if (observer.on_stage) {
      observer.on_stage("ingest", ingested_.seconds_since(begin_));
      graph_->report_times(ingested_, observer.on_stage);
    }
    const bool every_run = config.output.segmentation || observer.record != nullptr;
    Detection<Cpu> found = on_host(summary, every_run);
    const std::span<const SourceSums> sums = results_.sums(graph_->found(), where());
    if (observer.record) record_stages(summary, found, *observer.record);
    return make_catalog(std::move(found), sums, summary.masked, source.shape, config, host_, ObservingTap(observer));
  }

 private:
  const Gpu& where() const { return stream_.where(); }

  /// Memory for an image of that shape.
  void prepare(const Shape& shape) {
    if (pixels_ && pixels_->image.shape == shape) return;
    graph_.reset();
    pixels_.reset();
    require_memory(shape, where().device, stream_);
    pixels_.emplace(shape, where());
    capacity_ = initial_capacity(shape);
  }

  void capture(const Config& config) {
    graph_.reset();  // its memory first
    Gpu with_room = where();
    with_room.capacity = capacity_;
    graph_.emplace(*pixels_, config, with_room, DetectionGraph::Timing::every_stage);
    captured_ = config;
    results_.forget_rows();
  }

  /// The four steps; again with more room if there was too little.
  const HostResults::Summary& detect(const Config& config) {
    if (!graph_ || !same_steps(config, captured_)) capture(config);
    for (;;) {
      graph_->launch();
      const HostResults::Summary& summary = results_.receive(*pixels_, graph_->found(), where());
      check_run_count(summary.runs);
      if (summary.runs <= capacity_.runs && summary.counts.kept <= capacity_.sources) return summary;
      capacity_ = grown_capacity(capacity_, summary.runs, summary.counts.kept);
      capture(config);
    }
  }

  /// Without the sums, which stay where they arrive.
  Detection<Cpu> on_host(const HostResults::Summary& summary, bool every_run) const {
    const Detection<Gpu>& there = graph_->found();
    Detection<Cpu> found;
    found.background = summary.background;
    found.levels = summary.levels;
    found.components.counts = summary.counts;
    if (every_run) {
      found.runs = {there.runs.shape, to_host(there.runs.runs, summary.runs, where()),
                    to_host(there.runs.row_begin, where())};
      found.components.label = to_host(there.components.label, summary.runs, where());
    }
    return found;
  }

  /// All that the graph has made of the image, for the comparison of back ends.
  void record_stages(const HostResults::Summary& summary, const Detection<Cpu>& found, StageRecord& record) const {
    record.pixels.image.shape = pixels_->image.shape;
    record.pixels.image.pixels = to_host(pixels_->image.pixels, where());
    record.pixels.masked = summary.masked;
    keep(found.background, record);
    keep(found.runs, record);
    keep(found.components, record);
    record.sums = to_host(graph_->found().sums, summary.counts.kept, where());
  }

  Cpu host_;
  Stream stream_;
  Ingester ingester_{stream_.where()};
  TimedEvent begin_, ingested_;
  HostResults results_;
  std::optional<Pixels<Gpu>> pixels_;
  std::optional<DetectionGraph> graph_;
  Config captured_;
  Capacity capacity_;
};

CudaExtractor::CudaExtractor(int device, const Cpu& host) : device_(device), host_(host) {}

CudaExtractor::~CudaExtractor() = default;

Extraction CudaExtractor::extract(const PixelSource& source, const Config& config, const Observer& observer) {
  if (!session_) session_ = std::make_unique<Session>(device_, host_);
  return session_->extract(source, config, observer);
}

}  // namespace srcextract
