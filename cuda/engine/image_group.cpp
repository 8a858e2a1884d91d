#include "cuda/engine/image_group.hpp"

#include <algorithm>
#include <chrono>

#include "pipeline/chain/make_catalog.hpp"
#include "pipeline/chain/stage_list.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

void require_group(std::span<const PixelSource> sources, const Config& config) {
  const Shape& shape = sources.front().shape;
  const bool same = std::all_of(sources.begin(), sources.end(), [&](const auto& s) { return s.shape == shape; });
  if (same && std::ssize(sources) <= images_in_a_launch(shape, config)) return;
  throw Error(ErrorKind::internal, "images that cannot share a launch were to be extracted in one");
}

}  // namespace

std::vector<Extracted> CudaExtractor::Group::extract(std::span<const PixelSource> sources, const Config& config) {
  if (sources.empty()) return {};
  require_group(sources, config);
  const StreamEnd end(where());  // what the bus reads must outlive this call, whatever becomes of it
  detector_.prepare(sources.front().shape, config, sources.size());
  std::vector<Reading> readings = ingester_.read(sources, detector_.pixels(), GroupIngester::Way::compressed);
  const auto begin = std::chrono::steady_clock::now();
  if (!ingester_.send(detector_.pixels())) {
    readings = ingester_.read(sources, detector_.pixels(), GroupIngester::Way::decoded);
    ingester_.send(detector_.pixels());
  }
  detect(config);
  const std::chrono::duration<double> together = std::chrono::steady_clock::now() - begin;

  std::vector<Extracted> done(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    done[i].times = {{"ingest", readings[i].seconds},
                     {"detect", together.count() / static_cast<double>(sources.size())}};
    const Observer observer{[&](const char* stage, double seconds) { done[i].times.push_back({stage, seconds}); }};
    try {
      if (readings[i].failure) std::rethrow_exception(readings[i].failure);
      done[i].extraction = finish(i, sources[i].shape, config, observer);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::device) throw;
      done[i].failure = std::current_exception();
    } catch (...) {
      done[i].failure = std::current_exception();
    }
  }
  return done;
}

/// The detection steps on all of them.
void CudaExtractor::Group::detect(const Config& config) {
  detector_.detect(config, [&](const DetectionGraph& graph, bool) {
    results_.receive(detector_.pixels(), graph, where());
    Capacity needed;
    for (std::size_t image = 0; image < graph.images(); ++image) {
      const ImageSummary& summary = results_.summary(image);
      needed.runs = std::max(needed.runs, summary.needed().runs);
      needed.sources = std::max(needed.sources, summary.needed().sources);
    }
    return needed;
  });
}

Extraction CudaExtractor::Group::finish(std::size_t image, const Shape& shape, const Config& config,
                                        const Observer& observer) {
  const ImageSummary& summary = results_.summary(image);
  Detection<Cpu> found = to_host(summary, detector_.graph().found(image), keeps_segmentation(config), where());
  found.least_variance = rows_to_host(detector_.graph().found(image).least_variance, summary, where());
  const std::span<const SourceSums> sums = results_.sums(image, detector_.graph(), where());
  StageClock clock(observer);
  return make_catalog(std::move(found), sums, summary.masked, shape, config, host_, clock);
}

}  // namespace srcextract
