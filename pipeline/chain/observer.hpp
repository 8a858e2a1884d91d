#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

#include "pipeline/chain/run_stages.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/exec.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/measure.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Host copies of what every stage made of one image, for the comparison of back ends.
struct StageRecord {
  Pixels<Cpu> pixels;
  Background background;
  Image<float, Cpu> image;  ///< in which sources were found, if that is another
  Runs<Cpu> runs;
  Components<Cpu> components;
  Buffer<SourceSums, Cpu> sums;
  FluxSums<Cpu> fluxes;
  Picture picture;
  Sources sources;
};

/// What someone outside the pipeline may learn of a run: on the host as it goes on, from a GPU when it is done.
struct Observer {
  std::function<void(const char* stage, double seconds)> on_stage;  ///< called for every stage
  StageRecord* record = nullptr;                                    ///< if set, receives every stage's result
};

template <class T>
Buffer<T, Cpu> copy_of(const Buffer<T, Cpu>& buffer) {
  Buffer<T, Cpu> copy(buffer.size(), Cpu{});
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}

template <class T>
Image<T, Cpu> copy_of(const Image<T, Cpu>& image) {
  Image<T, Cpu> copy;
  copy.shape = image.shape;
  copy.pixels = copy_of(image.pixels);
  return copy;
}

/// Copies the result of a stage into the record; where there are several of a kind, the last stays.
inline void keep(const Pixels<Cpu>& pixels, StageRecord& record) {
  record.pixels.image = copy_of(pixels.image);
  record.pixels.noise = copy_of(pixels.noise);
  record.pixels.masked = pixels.masked;
}
inline void keep(const Unrecorded&, StageRecord&) {}
inline void keep(const Image<float, Cpu>& image, StageRecord& record) {
  record.image = copy_of(image);
}
inline void keep(const FluxSums<Cpu>& fluxes, StageRecord& record) {
  record.fluxes.of_source = copy_of(fluxes.of_source);
}
inline void keep(const Picture& picture, StageRecord& record) {
  record.picture = {copy_of(picture.grey), picture.factor, picture.range};
}
inline void keep(const Value<Background, Cpu>& background, StageRecord& record) {
  record.background = *background;
}
inline void keep(const Runs<Cpu>& runs, StageRecord& record) {
  record.runs = {runs.shape, copy_of(runs.runs), copy_of(runs.row_begin)};
}
inline void keep(const Components<Cpu>& components, StageRecord& record) {
  record.components = {copy_of(components.label), components.counts};
}
inline void keep(const Buffer<SourceSums, Cpu>& sums, StageRecord& record) {
  record.sums = copy_of(sums);
}
inline void keep(const Sources& sources, StageRecord& record) {
  record.sources = sources;
}

/// The tap of run_stages that serves an Observer. A stage's time is wall time until its work is complete, without the
/// copies made for the record.
class ObservingTap {
 public:
  explicit ObservingTap(const Observer& observer) : observer_(observer) {}

  template <class Result>
  void operator()(const char* stage, const Result& result) {
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    if (observer_.on_stage) observer_.on_stage(stage, elapsed.count());
    if (observer_.record) keep(result, *observer_.record);
    begin_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Observer& observer_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace srcextract
