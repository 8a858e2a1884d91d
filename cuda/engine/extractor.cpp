#include "cuda/engine/extractor.hpp"

#include <optional>
#include <span>
#include <utility>

#include "cuda/engine/image_group.hpp"
#include "cuda/engine/stage_events.hpp"
#include "cuda/ingest/ingest.hpp"
#include "pipeline/chain/aperture_noise.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "pipeline/chain/run_stages.hpp"
#include "pipeline/chain/stage_list.hpp"

namespace srcextract {

/// What is kept between images.
class CudaExtractor::Session {
 public:
  Session(int device, const Cpu& host) : host_(host), stream_(device, host.threads) {}

  Extraction extract(const Exposure& exposure, const Config& config, const Observer& observer);

 private:
  class Engine;

  const Gpu& where() const { return stream_.where(); }
  Pixels<Gpu>& pixels() { return detector_.pixels().front(); }

  Cpu host_;
  Stream stream_;
  Ingester ingester_{stream_.where()};
  HostResults results_;
  Detector detector_{stream_, DetectionGraph::Timing::every_stage};
};

/// The device as run_stages wants it, for one image.
class CudaExtractor::Session::Engine {
 public:
  using Where = Gpu;

  Engine(Session& session, const Config& config, const Observer& observer)
      : session_(session), config_(config), observer_(observer), events_(session.where()) {}

  const Gpu& where() const { return session_.where(); }
  Pixels<Gpu>& pixels() { return session_.pixels(); }
  void read(const PixelSource& source, Pixels<Gpu>& pixels) { session_.ingester_.ingest(source, pixels); }

  template <class Result>
  void done(const char* stage, const Result& result) {
    events_.done(stage);
    record(stage, result);
  }

  /// Of what the host has.
  template <class Result>
  void record(const char* stage, const Result& result) {
    if (observer_.record != nullptr) record_stage(stage, result, *observer_.record);
  }
  /// Of what the device has.
  void record(const char* stage, const Image<float, Gpu>& image) {
    if (observer_.record != nullptr) record_stage(stage, to_host(image, where()), *observer_.record);
  }
  void record(const char* stage, const Pixels<Gpu>& pixels) {
    if (observer_.record != nullptr) record_stage(stage, to_host(pixels, where()), *observer_.record);
  }

  Extraction extract() {
    const ImageSummary& summary = detect();
    const Detection<Gpu>& there = session_.detector_.graph().found();
    if (observer_.on_stage) {
      events_.report_times(observer_.on_stage);
      session_.detector_.graph().report_times(events_.last(), observer_.on_stage);
    }
    const bool between_sources = measures_aperture_noise(config_);
    Detection<Cpu> found = to_host(summary, there, keeps_segmentation(config_) || between_sources, where());
    const std::span<const SourceSums> sums = session_.results_.sums(there, where());
    found.fluxes = rows_to_host(there.fluxes, summary, where());
    found.variances = rows_to_host(there.variances, summary, where());
    found.areas = rows_to_host(there.areas, summary, where());
    found.parentage = rows_to_host(there.parentage, summary, where());
    found.cleaned.own_sums = rows_to_host(there.cleaned.own_sums, summary, where());
    found.photometry = rows_to_host(there.photometry, summary, where());
    if (observer_.record != nullptr) record_detection(all_to_host(summary, there, where()), *observer_.record);
    if (shows_pixels(config_)) {
      found.above = to_host(measured_image(pixels(), there), where());
      found.image = to_host(there.image, where());
    }
    StageClock clock(observer_);
    if (between_sources) {
      const Image<float, Gpu>& noise = measured_noise(pixels(), there);
      add_aperture_noise(to_host(measured_image(pixels(), there), where()),
                         noise.pixels.empty() ? Image<float, Cpu>() : to_host(noise, where()), config_, found,
                         aperture_noise_, session_.host_, clock);
    }
    Extraction extraction =
        make_catalog(std::move(found), sums, summary.masked, pixels().image.shape, config_, session_.host_, clock);
    if (shows_variance(config_)) extraction.check.variance = to_host(measured_variance(pixels(), there), where());
    events_.begin_again();
    return extraction;
  }

 private:
  /// The steps of the graph.
  const ImageSummary& detect() {
    const ImageSummary* summary = nullptr;
    session_.detector_.detect(config_, [&](const DetectionGraph& graph, bool first) {
      if (first) session_.results_.forget_rows();
      summary = &session_.results_.receive(pixels(), graph.found(), where());
      check_run_count(summary->needed().runs);
      return summary->needed();
    });
    return *summary;
  }

  Session& session_;
  const Config& config_;
  const Observer& observer_;
  StageEvents events_;
  std::optional<ApertureNoise> aperture_noise_;
};

Extraction CudaExtractor::Session::extract(const Exposure& exposure, const Config& config, const Observer& observer) {
  const StreamEnd end(where());  // what the bus reads must outlive this call, whatever becomes of it
  detector_.prepare(exposure.shape(), 1, device_memory_beside(plan_of(exposure, config)));
  pixels().noise = {};
  pixels().variance = {};
  pixels().kept = {};
  Engine engine(*this, config, observer);
  return run_stages(exposure, config, engine);
}

CudaExtractor::CudaExtractor(int device, const Cpu& host) : device_(device), host_(host) {}

CudaExtractor::~CudaExtractor() {
  if (!session_ && !group_) return;
  cudaSetDevice(device_);
  session_.reset();
  group_.reset();
  cudaGetLastError();  // of a device that is lost
}

Extraction CudaExtractor::extract(const Exposure& exposure, const Config& config, const Observer& observer) {
  use_device(device_);
  if (!session_) session_ = std::make_unique<Session>(device_, host_);
  return session_->extract(exposure, config, observer);
}

std::vector<Extracted> CudaExtractor::extract_together(std::span<const PixelSource> sources, const Config& config) {
  use_device(device_);
  if (!group_) group_ = std::make_unique<Group>(device_, host_);
  return group_->extract(sources, config);
}

}  // namespace srcextract
