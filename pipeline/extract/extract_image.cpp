#include "pipeline/extract/extract_image.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "pipeline/chain/fit_models.hpp"
#include "pipeline/chain/fit_sources.hpp"
#include "pipeline/chain/plan_memory.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "pipeline/extract/add_sky_columns.hpp"
#include "pipeline/extract/find_psf.hpp"
#include "pipeline/extract/local_beams_of.hpp"
#include "pipeline/extract/measure_cube.hpp"
#include "pipeline/extract/precision.hpp"
#include "pipeline/extract/restore_level.hpp"
#include "pipeline/log/seconds_since.hpp"
#include "pipeline/resolve/resolve.hpp"
#include "stages/core/error.hpp"
#include "stages/detect/no_sky.hpp"
#include "stages/measure/saturation.hpp"
#include "stages/measure/source_flags.hpp"

namespace srcextract {
namespace {

/// Returns an error whose message tells how much memory the image needs.
Error out_of_memory(const ImageInput& input) {
  Plan plan = plan_of(input.exposure, input.config());
  if (input.detection != nullptr) {
    plan.found_in = &input.detection->task.config();
    plan.found_planes = std::ssize(input.detection->exposure().planes);
  }
  const Shape& shape = input.exposure.shape();
  return {ErrorKind::memory,
          fmt::format("not enough memory: an image of {} x {} pixels needs about {} MB; free some, or use a "
                      "machine that has more",
                      shape.width, shape.height, host_memory(plan) / 1'000'000 + 1)};
}

/// Extracts one image on one or both back ends.
class ImageRun {
 public:
  ImageRun(const ImageInput& input, const Execution& execution, Progress& progress, FoundOnce& once)
      : input_(input), config_(input.config()), execution_(execution), progress_(progress), once_(once) {}

  Extraction extract_cuda(const Observer& observe) const {
    const auto at = positions();
    return execution_.extractor->extract(input_.exposure, config_, observe, found_on_device(observe),
                                         at ? &*at : nullptr);
  }

  Extraction extract_cpu(const Observer& observe) const {
    try {
      const auto at = positions();
      return extract_on_host(input_.exposure, config_, execution_.cpu, observe, found_elsewhere(observe),
                             at ? &*at : nullptr, execution_.row_memory);
    } catch (const std::bad_alloc&) {
      throw out_of_memory(input_);
    }
  }

  Observer observer(ImageResult& result, StageRecord* record = nullptr) const {
    const auto on_stage = [&](const char* stage, double seconds) {
      progress_.stage_done(stage);
      spdlog::debug("{}: {} {} {:.6f} s", input_.name, result.backend, stage, seconds);
      result.times.push_back({stage, seconds});
    };
    return {on_stage, record, [this](std::int64_t sources) { require_room_for(sources); },
            [this](std::int64_t bytes) { require_room(bytes, "deblending its sources needs"); },
            [this](std::int64_t bytes) {
              require_room(bytes, "the fit of its crowd needs",
                           "set crowd.tile_size, as to 1024: tiles take their memory one after the other");
            }};
  }

  /// Extracts the image on both back ends and compares their results and times. `result` gets the extraction of the
  /// CPU.
  void compare(ImageResult& result) const {
    StageRecord cpu_record = std::exchange(once_.cpu_record, {}), cuda_record = std::exchange(once_.cuda_record, {});
    result.backend = "cpu";
    result.extraction = extract_cpu(observer(result, &cpu_record));
    ImageResult unused;
    unused.backend = "cuda";
    extract_cuda(observer(unused, &cuda_record));
    result.comparison.stages = compare_records(cpu_record, cuda_record);
    result.comparison.cpu = quickest([&](const Observer& observe) { extract_cpu(observe); });
    result.comparison.cuda = quickest([&](const Observer& observe) { extract_cuda(observe); });
    result.times = result.comparison.cpu.steps;
  }

  /// Dual-image mode: finds the sources to be measured in other images, on the back end of the execution or on both.
  FoundTimes find() const {
    ImageResult result;
    result.backend = execution_.device && !execution_.compare ? "cuda" : "cpu";
    if (execution_.compare) {
      found_elsewhere(observer(result, &once_.cpu_record));
      ImageResult unused;
      unused.backend = "cuda";
      found_on_device(observer(unused, &once_.cuda_record));
    } else if (execution_.device) {
      found_on_device(observer(result));
    } else {
      found_elsewhere(observer(result));
    }
    return {result.backend, std::move(result.times)};
  }

 private:
  /// Extracts three times without recording results, and returns the times of the fastest run.
  template <class Extract>
  BackendTimes quickest(const Extract& extract) const {
    BackendTimes best;
    for (int run = 0; run < 3; ++run) {
      BackendTimes times;
      Observer observe{[&](const char* stage, double seconds) { times.steps.push_back({stage, seconds}); }};
      const auto begin = std::chrono::steady_clock::now();
      extract(observe);
      times.seconds = seconds_since(begin);
      if (run == 0 || times.seconds < best.seconds) best = std::move(times);
    }
    return best;
  }

  /// The positions to measure, or nullopt if none are given. Throws NoRoom if there is not enough memory for their
  /// rows.
  std::optional<ForcedPositions> positions() const {
    if (input_.positions == nullptr) return std::nullopt;
    const std::int64_t rows = input_.positions->list.rows;
    require_room(sources_memory(rows, config_), fmt::format("its {} positions need", rows),
                 "give it a table of fewer positions");
    return input_.positions->forced();
  }

  /// Throws NoRoom if the sources need more memory than is left beside the image.
  void require_room_for(std::int64_t sources) const {
    if (is_unlimited()) return;
    require_room(once_.images * sources_memory(sources, config_),
                 fmt::format("it has {} sources, which need", sources));
  }

  bool is_unlimited() const { return input_.frame.most_inflated() == std::numeric_limits<std::int64_t>::max(); }

  void require_room(std::int64_t needed, const std::string& what) const {
    const bool by_rate = controls_false_discoveries(config_.detection);
    require_room(needed, what,
                 std::string("raise detection.min_area, ") +
                     (by_rate ? "lower detection.false_discovery_rate" : "raise detection.threshold"));
  }

  /// Throws NoRoom if `needed` bytes are more than the memory left beside the image. For the message: `what` tells what
  /// needs the memory, and `remedy` how to need less. Never throws for 1 MiB or less.
  void require_room(std::int64_t needed, const std::string& what, const std::string& remedy) const {
    const std::int64_t left = input_.frame.most_inflated();
    constexpr std::int64_t not_counted = std::int64_t{1} << 20;
    if (needed <= not_counted || needed - execution_.left_beside <= left) return;
    throw NoRoom(
        fmt::format("{} about {} MB of memory, and beside the image there are {} MB", what, needed / 1'000'000 + 1,
                    std::max<std::int64_t>(0, left + execution_.left_beside) / 1'000'000),
        remedy);
  }

  /// The detection image with its resolved configuration, made at the first call and used by both back ends.
  const DetectionImage& found_in() const {
    if (!once_.image)
      once_.image = std::make_unique<const DetectionImage>(
          DetectionImage{input_.detection->exposure(),
                         resolve_detection(input_.detection->task.config(), input_.exposure.shape(), config_)});
    return *once_.image;
  }

  /// The sources of the detection image, found at the first call; null if there is no detection image.
  const FoundElsewhere<Cpu>* found_elsewhere(const Observer& observe) const {
    if (input_.detection == nullptr) return nullptr;
    try {
      if (!once_.sources) once_.sources = find_on_host(found_in(), execution_.cpu, observe, execution_.row_memory);
    } catch (const std::bad_alloc&) {
      throw out_of_memory(input_);
    }
    return &*once_.sources;
  }

  /// Like found_elsewhere(), but on the GPU.
  const CudaExtractor::Found* found_on_device(const Observer& observe) const {
    if (input_.detection == nullptr) return nullptr;
    if (!once_.on_device) once_.on_device = execution_.extractor->find(found_in(), observe);
    return once_.on_device.get();
  }

  const ImageInput& input_;
  const Config& config_;
  const Execution& execution_;
  Progress& progress_;
  FoundOnce& once_;
};

void add_sky_positions(const ImageInput& input, const Execution& execution, ImageResult& result) {
  const auto begin = std::chrono::steady_clock::now();
  result.no_sky_reason = add_sky_positions(input.header(), input.exposure.shape(), result.extraction.sources,
                                           result.footprint, execution.cpu);
  if (input.positions != nullptr)
    name_sky_positions(*input.positions, result.extraction.sources);
  else
    add_sky_columns(input.header(), input.config(), result.extraction.sources, execution.cpu);
  result.times.push_back({"sky", seconds_since(begin)});
}

/// Tells of a map whose pixels differ on the sky.
void tell_of_beams(const ImageInput& input, const FittedIslands& fitted) {
  if (fitted.local_beams)
    spdlog::debug("{}: pixels differ in size or shape on the sky, so each Gaussian has the beam in pixels of its place",
                  input.name);
}

/// Fits Gaussians if the configuration asks for that, and measures them in the planes of a cube if it asks for that
/// too.
void fit_sources(const ImageInput& input, const Execution& execution, ImageResult& result) {
  if (!fits_gaussians(input.config())) return;
  const auto begin = std::chrono::steady_clock::now();
  fit_sources(input.config(), local_beams_of(input), execution.cpu, result.extraction);
  result.times.push_back({"fit", seconds_since(begin)});
  tell_of_beams(input, *result.extraction.fitted);
  if (measures_cube(input.config())) {
    const auto measuring = std::chrono::steady_clock::now();
    measure_cube(input, execution.cpu, result.extraction);
    result.times.push_back({"cube", seconds_since(measuring)});
  }
  drop_fitted_images(input.config(), result.extraction);
}

/// Calls extract(). An image that seems to have no noise may have lost it in float32; the error says so then.
template <class F>
void extract_with_noise(const ImageInput& input, F&& extract) {
  try {
    extract();
  } catch (const NoSky& error) {
    const std::string problem = lost_noise(input);
    if (problem.empty()) throw;
    throw NoSky(problem, error.sky());
  }
}

/// The level of saturation of an image: the known one, else the value at which stars are clipped, which
/// `result.clipped` gets; 0 if there is none. The values of the brightest pixels must be those of the image.
double saturation_of(const ImageInput& input, ImageResult& result) {
  if (result.psf) result.clipped = result.psf->clipped;
  double level = input.config().resources.saturation;
  if (level == 0 && input.positions == nullptr) {
    // As high above the sky as the kernel of a difference asks for: numbers of few values share their greatest, too.
    constexpr double least_significance = 100;
    const Extraction& found = result.extraction;
    const ClippedPeaks clipped = clipped_peaks(found.brightest);
    if (clipped.level > found.sky_level() + least_significance * found.background.clipped.sigma)
      result.clipped = clipped, level = clipped.level;
  }
  return level;
}

/// Sets flags of sources from maps of flags, and from the saturation level; if that is not known, from the value at
/// which stars are clipped. In a difference image, saturation is not flagged.
void flag_sources(const ImageInput& input, const Execution& execution, ImageResult& result) {
  if (!input.flags.empty()) {
    const auto begin = std::chrono::steady_clock::now();
    Extraction& found = result.extraction;
    for (const OpenFlags* map : input.flags)
      flag_sources(map->flags, found.runs, found.label, found.sources, execution.cpu);
    result.times.push_back({"flags", seconds_since(begin)});
  }
  if (input.reference != nullptr) return;
  const double level = saturation_of(input, result);
  if (level > 0) flag_saturated(result.extraction.brightest, level, result.extraction.sources);
}

/// Fits profiles of galaxies if the configuration asks for that. Clipped stars are left out, as those of a known level.
void fit_galaxies(const ImageInput& input, const Execution& execution, ImageResult& result) {
  if (!fits_galaxies(input.config())) return;
  const auto begin = std::chrono::steady_clock::now();
  Config config = input.config();
  config.resources.saturation = saturation_of(input, result);
  fit_models(config, execution.cpu, result.extraction);
  drop_fitted_images(config, result.extraction);
  result.times.push_back({"galaxies", seconds_since(begin)});
}

}  // namespace

ImageResult extract_image(const ImageInput& given, const Execution& execution, Progress& progress, FoundOnce* once) {
  FoundOnce of_this_one;
  const std::shared_ptr<const FoundPsf> psf = makes_psf(given) ? find_psf(given, execution, progress) : nullptr;
  ImageInput input = given;
  if (psf) input.resolved = &psf->config;
  const ImageRun run(input, execution, progress, once != nullptr ? *once : of_this_one);
  ImageResult result;
  extract_with_noise(input, [&] {
    if (execution.compare) return run.compare(result);
    result.backend = execution.device ? "cuda" : "cpu";
    const Observer observer = run.observer(result);
    result.extraction = execution.device ? run.extract_cuda(observer) : run.extract_cpu(observer);
  });
  if (psf) result.times.insert(result.times.begin(), {"psf", psf->seconds});
  result.psf = psf;
  fit_sources(input, execution, result);
  restore_level(input, execution.cpu, result.extraction, execution.row_memory);
  fit_galaxies(input, execution, result);
  if (input.positions != nullptr)
    name_positions(*input.positions, input.exposure.shape(), input.config(), result.extraction.sources);
  check_precision(input, result.extraction);
  flag_sources(input, execution, result);
  add_sky_positions(input, execution, result);
  return result;
}

FoundTimes find_once(const ImageInput& first, const Execution& execution, Progress& progress, FoundOnce& once) {
  return ImageRun(first, execution, progress, once).find();
}

}  // namespace srcextract
