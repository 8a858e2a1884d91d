#include "cuda/engine/extractor.hpp"

#include <optional>
#include <span>
#include <utility>

#include "cuda/engine/event_tap.hpp"
#include "cuda/engine/image_group.hpp"
#include "cuda/ingest/ingest.hpp"

namespace srcextract {

/// What is kept between images.
class CudaExtractor::Session {
 public:
  Session(int device, const Cpu& host) : host_(host), stream_(device, host.threads) {}

  Extraction extract(const Exposure& exposure, const Config& config, const Observer& observer) {
    const StreamEnd end(where());  // what the bus reads must outlive this call, whatever becomes of it
    detector_.prepare(exposure.shape(), 1, memory_beside(exposure, config));
    pixels().noise = {};
    EventTap tap(where());
    if (exposure.reference) return extract_difference(exposure, config, observer, tap);
    read(exposure.planes, config, pixels(), tap);
    std::optional<Picture> picture = draw(pixels(), config, tap);
    Extraction extraction = extract_pixels(config, observer, tap, Side::first);
    if (observer.record) keep_picture(picture, *observer.record);
    extraction.picture = std::move(picture);
    return extraction;
  }

 private:
  /// What is extracted: an image, or what became brighter in a difference; or what became fainter.
  enum class Side { first, second };

  const Gpu& where() const { return stream_.where(); }
  Pixels<Gpu>& pixels() { return detector_.pixels().front(); }

  /// Images that the stages before and after the detector's pixels keep: planes, the image in which sources are found,
  /// both frames of a difference and what they are turned into.
  static std::int64_t memory_beside(const Exposure& exposure, const Config& config) {
    std::int64_t images = config.convolve.kernel == KernelShape::none ? 0 : 1;
    if (config.combine.method != CombineMethod::none) images += std::ssize(exposure.planes);
    if (exposure.reference) images += 6 + std::ssize(exposure.reference->planes);
    return images * exposure.shape().count() * static_cast<std::int64_t>(sizeof(float));
  }

  void read(std::span<const PixelSource> planes, const Config& config, Pixels<Gpu>& frame, EventTap& tap) {
    const auto read_plane = [&](const PixelSource& source, Pixels<Gpu>& to) { ingester_.ingest(source, to); };
    read_frame(planes, config, frame, where(), read_plane, tap);
  }

  std::optional<Picture> draw(const Pixels<Gpu>& frame, const Config& config, EventTap& tap) {
    if (!config.output.quicklook) return std::nullopt;
    std::optional<Picture> picture = render_picture(frame.image, config.quicklook, where());
    tap("picture", *picture);
    return picture;
  }

  /// What became brighter, and then what became fainter, in the same memory with its sign turned.
  Extraction extract_difference(const Exposure& exposure, const Config& config, const Observer& observer,
                                EventTap& tap) {
    const ReferenceFrame& frame = *exposure.reference;
    Pixels<Gpu> fresh(exposure.shape(), where()), reference(frame.planes.front().shape, where());
    read(exposure.planes, config, fresh, tap);
    std::optional<Picture> picture = draw(fresh, config, tap);
    read(frame.planes, config, reference, tap);
    const auto match = subtract_reference(reference, frame.map.get(), fresh, config, pixels(), where(), tap);
    Extraction brighter = extract_pixels(config, observer, tap, Side::first);
    EventTap again(where());
    negate(pixels().image, where());
    Extraction both = join_sides(std::move(brighter), extract_pixels(config, observer, again, Side::second));
    if (observer.record) keep_picture(picture, *observer.record);
    both.picture = std::move(picture);
    both.difference = describe(match, config.difference, where());
    return both;
  }

  static void keep_picture(const std::optional<Picture>& picture, StageRecord& record) {
    if (picture) keep(*picture, record);
  }

  /// From the pixels that the detector has to the catalogue. `before` is the work on them so far.
  Extraction extract_pixels(const Config& config, const Observer& observer, const EventTap& before, Side side) {
    const ImageSummary& summary = detect(config);
    const DetectionGraph& graph = detector_.graph();
    if (observer.on_stage) {
      before.report_times(observer.on_stage);
      graph.report_times(before.last(), observer.on_stage);
    }
    const bool every_run = keeps_segmentation(config) || observer.record != nullptr;
    Detection<Cpu> found = to_host(summary, graph.found(), every_run, where());
    const std::span<const SourceSums> sums = results_.sums(graph.found(), where());
    found.fluxes.of_source = fluxes(summary, graph.found());
    if (observer.record) record_stages(summary, found, side != Side::second, *observer.record);
    const Buffer<SourceSums, Cpu> fluxes = std::move(found.fluxes.of_source);
    return make_catalog(std::move(found), sums, {fluxes.begin(), fluxes.end()}, summary.masked, pixels().image.shape,
                        config, host_, ObservingTap(observer));
  }

  Buffer<SourceSums, Cpu> fluxes(const ImageSummary& summary, const Detection<Gpu>& found) {
    const Buffer<SourceSums, Gpu>& of_source = found.fluxes.of_source;
    return of_source.empty() ? Buffer<SourceSums, Cpu>() : to_host(of_source, summary.counts.kept, where());
  }

  /// The steps of the graph.
  const ImageSummary& detect(const Config& config) {
    const ImageSummary* summary = nullptr;
    detector_.detect(config, [&](const DetectionGraph& graph, bool first) {
      if (first) results_.forget_rows();
      summary = &results_.receive(pixels(), graph.found(), where());
      check_run_count(summary->needed().runs);
      return summary->needed();
    });
    return *summary;
  }

  /// All that the graph has made of the image, for the comparison of back ends.
  void record_stages(const ImageSummary& summary, const Detection<Cpu>& found, bool record_pixels,
                     StageRecord& record) {
    const Detection<Gpu>& there = detector_.graph().found();
    if (record_pixels) {
      record.pixels.image = image_to_host(pixels().image);
      record.pixels.noise = image_to_host(pixels().noise);
      record.pixels.masked = summary.masked;
    }
    record.image = image_to_host(there.image);
    keep(found.background, record);
    keep(found.runs, record);
    keep(found.components, record);
    keep(found.fluxes, record);
    record.sums = to_host(there.sums, summary.counts.kept, where());
  }

  Image<float, Cpu> image_to_host(const Image<float, Gpu>& image) {
    Image<float, Cpu> copy;
    copy.shape = image.shape;
    copy.pixels = to_host(image.pixels, where());
    return copy;
  }

  Cpu host_;
  Stream stream_;
  Ingester ingester_{stream_.where()};
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
