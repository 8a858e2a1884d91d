#include "pipeline/engine/host_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "pipeline/chain/add_aperture_noise.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "pipeline/chain/measure_elsewhere.hpp"
#include "pipeline/chain/measure_positions.hpp"
#include "pipeline/chain/parts.hpp"
#include "pipeline/chain/plan.hpp"
#include "pipeline/chain/run_stages.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

/// Reports the steps of detect_sources() to the observer.
struct Told {
  StageClock& clock;
  const Observer& observer;
  const Cpu& where;
  const Plan& plan;

  void operator()(const char* stage) const { clock.done(stage); }
  void on_sources(const Components<Cpu>& components) const {
    if (observer.on_sources) observer.on_sources(components.counts->kept);
  }
  void before_deblending(const Runs<Cpu>& runs, const Components<Cpu>& components) const {
    if (observer.on_deblending) observer.on_deblending(deblend_memory(runs, components, where));
  }
  bool keeps_images() const { return observer.record != nullptr || plan.keeps_images(); }
};

/// The CPU's Engine for one image, with the members that run_stages() needs.
class HostEngine {
 public:
  using Where = Cpu;

  /// `row_memory`: buffer for rows that are computed on demand; null: images are in memory as a whole. `lent`: whether
  /// the caller keeps the memory of the planes alive longer than any result made from the pixels.
  HostEngine(const Exposure& exposure, const Config& config, const Cpu& where, const Observer& observer, bool lent,
             std::shared_ptr<RowMemory> row_memory)
      : config_(config),
        plan_(plan_of(exposure, config)),
        where_(where),
        observer_(observer),
        clock_(observer),
        row_memory_(std::move(row_memory)),
        pixels_(room_for(exposure.shape())),
        extracts_once_(!plan_.extracts_twice()),
        planes_(exposure.planes),
        lent_(lent),
        writes_(exposure.mask || exposure.weights || exposure.level || plan_.extracts_twice()) {}

  const Cpu& where() const { return where_; }
  Pixels<Cpu>& pixels() { return pixels_; }
  Pixels<Cpu> room_for(const Shape& shape) const {
    if (!row_memory_) return Pixels<Cpu>(shape, where_);
    Pixels<Cpu> pixels;
    pixels.image.shape = shape;
    return pixels;
  }
  /// Reads the pixels of a source. If the planes are lent, the memory of the source may be used without a copy: for an
  /// image that no stage writes to, and for planes to be combined.
  void read(const PixelSource& source, Pixels<Cpu>& pixels) {
    const bool own = &pixels == &pixels_;
    if (row_memory_) {
      pixels.image = ingest_on_demand(source, row_memory_, own || is_combined(source) ? &*pixels_.masked : nullptr);
      return;
    }
    const bool borrowed = lent_ && (own ? !writes_ : is_combined(source)) && borrow(source, pixels, where_);
    if (own) borrowed_ = borrowed;
    if (!borrowed) ingest(source, pixels, where_);
  }

  template <class Result>
  void done(const char* stage, const Result& result) {
    clock_.done(stage, result);
  }
  template <class Result>
  void record(const char* stage, const Result& result) {
    if (observer_.record != nullptr) record_stage(stage, result, *observer_.record);
  }

  Extraction extract() {
    Detection<Cpu> found =
        detect_sources(pixels_, plan_, where_, Told{clock_, observer_, where_, plan_}, last_read(pixels_));
    if (observer_.record != nullptr) record_detection(found, *observer_.record);
    return catalogue_of(std::move(found));
  }

  /// Finds sources in this engine's pixels. Returns sources and pixels for measurement in other images.
  FoundElsewhere<Cpu> keep_found() {
    Detection<Cpu> found =
        detect_for_others(pixels_, plan_, where_, Told{clock_, observer_, where_, plan_}, last_read(pixels_));
    if (observer_.record != nullptr) record_detection(found, *observer_.record);
    FoundSky sky{{}, *pixels_.masked, &config_};
    const auto move_part = [](auto part, auto& from, auto& to) {
      if constexpr (part.elsewhere == Elsewhere::on_host) to = std::move(from);
    };
    for_each_part(move_part, found, sky.found);
    sky.found.levels = found.levels;
    check_detection_image(sky, pixels_.image.shape);
    return srcextract::keep_found(std::move(pixels_), std::move(found), std::move(sky));
  }

  /// Measures the given sources in this engine's pixels.
  Extraction extract_found(const FoundElsewhere<Cpu>& sources) {
    Detection<Cpu> found =
        measure_elsewhere(sources, pixels_, plan_, where_, Told{clock_, observer_, where_, plan_}, last_read(pixels_));
    if (observer_.record != nullptr) record_detection(found, *observer_.record);
    found.found_in = &sources.sky;
    return catalogue_of(std::move(found));
  }

  /// Measures the light at the given positions in this engine's pixels.
  ///
  /// If the configuration asks for the fit of all stars, fits the stars at these positions. If `positions` is null,
  /// finds the stars first and fits all of them.
  Extraction extract_at(const ForcedPositions* positions) {
    const Told done{clock_, observer_, where_, plan_};
    Detection<Cpu> found = prepare_positions(pixels_, plan_, where_, done, last_read(pixels_));
    const Image<float, Cpu>&image = measured_image(pixels_, found), &noise = measured_noise(pixels_, found);
    if (FitCrowd::used(plan_))
      measure_crowd(positions, image, noise, config_, found, where_, observer_);
    else
      measure_positions(*positions, image, noise, config_, found, where_);
    done(FitCrowd::used(plan_) ? FitCrowd::name : MeasurePhotometry::name);
    if (observer_.record != nullptr) record_detection(found, *observer_.record);
    return catalogue_of(std::move(found));
  }

 private:
  bool is_combined(const PixelSource& source) const {
    const auto is_it = [&](const PixelSource& plane) { return &plane == &source; };
    return CombinePlanes::used(plan_) && std::ranges::any_of(planes_, is_it);
  }

  /// The image, if later steps may reuse its memory. Null if the image is read again or is in memory of the file.
  Image<float, Cpu>* last_read(Pixels<Cpu>& pixels) const {
    return extracts_once_ && !borrowed_ && !are_read_again(pixels) ? &pixels.image : nullptr;
  }

  Extraction catalogue_of(Detection<Cpu>&& found) {
    add_aperture_noise(measured_image(pixels_, found), measured_noise(pixels_, found), config_, found, aperture_noise_,
                       where_, clock_);
    if (plan_.shows_pixels()) keep_measured(found);
    const std::span<const SourceSums> sums(found.sums.begin(), found.sums.end());
    Image<float, Cpu> variance;
    if (plan_.shows_variance()) variance = take_variance(found);
    const Shape shape = pixels_.image.shape;
    if (extracts_once_) pixels_.image = {};  // frees the image, which was last used above
    Extraction extraction = make_catalog(std::move(found), sums, *pixels_.masked, shape, config_, where_, clock_);
    extraction.check.variance = std::move(variance);
    return extraction;
  }

  /// Makes sure that `found.above` is the measured image, by a copy if it is another image.
  void keep_measured(Detection<Cpu>& found) const {
    const Image<float, Cpu>& measured = measured_image(pixels_, found);
    if (&measured == &found.above) return;
    found.above = copy_of(measured, where_);
  }

  /// Moves the variance of the measured image out of the results. If the image is extracted a second time, returns a
  /// copy instead.
  Image<float, Cpu> take_variance(Detection<Cpu>& found) {
    if (!found.filled.variance.pixels.empty()) return std::move(found.filled.variance);
    return extracts_once_ ? std::move(pixels_.variance) : copy_of(pixels_.variance, where_);
  }

  const Config& config_;
  Plan plan_;
  Cpu where_;
  const Observer& observer_;
  StageClock clock_;
  std::shared_ptr<RowMemory> row_memory_;  ///< null: images are in memory as a whole
  Pixels<Cpu> pixels_;
  bool extracts_once_;
  std::span<const PixelSource> planes_;
  bool lent_;
  /// Whether stages would overwrite pixels that were read without a copy. The subtraction of the sky is not counted: it
  /// writes to the image only if last_read() allows that.
  bool writes_;
  bool borrowed_ = false;  ///< whether the pixels are in memory of the plane's file
  std::optional<ApertureNoise> aperture_noise_;
};

}  // namespace

Extraction extract_on_host(const Exposure& exposure, const Config& config, const Cpu& where, const Observer& observer,
                           const FoundElsewhere<Cpu>* sources, const ForcedPositions* positions,
                           const std::shared_ptr<RowMemory>& row_memory) {
  HostEngine engine(exposure, config, where, observer, true, row_memory);
  return run_stages(exposure, config, engine, sources, positions);
}

FoundElsewhere<Cpu> find_on_host(const DetectionImage& image, const Cpu& where, const Observer& observer,
                                 const std::shared_ptr<RowMemory>& row_memory) {
  HostEngine engine(image.exposure, image.config, where, observer, false, row_memory);
  return find_elsewhere(image, engine);
}

}  // namespace srcextract
