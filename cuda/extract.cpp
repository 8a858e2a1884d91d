#include "cuda/extract.hpp"

#include <span>

#include "cuda/group.hpp"
#include "cuda/ingest.hpp"

namespace srcextract {

/// What is kept between images.
class CudaExtractor::Session {
 public:
  Session(int device, const Cpu& host) : host_(host), stream_(device, host.threads) {}

  Extraction extract(const PixelSource& source, const Config& config, const Observer& observer) {
    const StreamEnd end(where());  // what the bus reads must outlive this call, whatever becomes of it
    detector_.prepare(source.shape, 1);
    begin_.record(where().stream);
    ingester_.ingest(source, pixels());
    ingested_.record(where().stream);
    const ImageSummary& summary = detect(config);
    const DetectionGraph& graph = detector_.graph();
    if (observer.on_stage) {
      observer.on_stage("ingest", ingested_.seconds_since(begin_));
      graph.report_times(ingested_, observer.on_stage);
    }
    const bool every_run = config.output.segmentation || observer.record != nullptr;
    Detection<Cpu> found = to_host(summary, graph.found(), every_run, where());
    const std::span<const SourceSums> sums = results_.sums(graph.found(), where());
    if (observer.record) record_stages(summary, found, *observer.record);
    return make_catalog(std::move(found), sums, summary.masked, source.shape, config, host_, ObservingTap(observer));
  }

 private:
  const Gpu& where() const { return stream_.where(); }
  Pixels<Gpu>& pixels() { return detector_.pixels().front(); }

  /// The four steps.
  const ImageSummary& detect(const Config& config) {
    const ImageSummary* summary = nullptr;
    detector_.detect(config, [&](const DetectionGraph& graph, bool first) {
      if (first) results_.forget_rows();
      summary = &results_.receive(pixels(), graph.found(), where());
      check_run_count(summary->runs);
      return Capacity{summary->runs, summary->counts.kept};
    });
    return *summary;
  }

  /// All that the graph has made of the image, for the comparison of back ends.
  void record_stages(const ImageSummary& summary, const Detection<Cpu>& found, StageRecord& record) {
    record.pixels.image.shape = pixels().image.shape;
    record.pixels.image.pixels = to_host(pixels().image.pixels, where());
    record.pixels.masked = summary.masked;
    keep(found.background, record);
    keep(found.runs, record);
    keep(found.components, record);
    record.sums = to_host(detector_.graph().found().sums, summary.counts.kept, where());
  }

  Cpu host_;
  Stream stream_;
  Ingester ingester_{stream_.where()};
  TimedEvent begin_, ingested_;
  HostResults results_;
  Detector detector_{stream_, DetectionGraph::Timing::every_stage};
};

CudaExtractor::CudaExtractor(int device, const Cpu& host) : device_(device), host_(host) {}

CudaExtractor::~CudaExtractor() {
  if (!session_ && !group_) return;
  cudaSetDevice(device_);
  session_.reset();
  group_.reset();
  cudaGetLastError();  // of a device that is lost
}

Extraction CudaExtractor::extract(const PixelSource& source, const Config& config, const Observer& observer) {
  use_device(device_);
  if (!session_) session_ = std::make_unique<Session>(device_, host_);
  return session_->extract(source, config, observer);
}

std::vector<Extracted> CudaExtractor::extract_together(std::span<const PixelSource> sources, const Config& config) {
  use_device(device_);
  if (!group_) group_ = std::make_unique<Group>(device_, host_);
  return group_->extract(sources, config);
}

}  // namespace srcextract
