#include "pipeline/extract.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <new>

#include "io/wcs.hpp"
#include "pipeline/observer.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// The image itself, and half as much again for the work of the stages.
std::string memory_needed(const Shape& shape) {
  const double bytes = 1.5 * sizeof(float) * static_cast<double>(shape.count());
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

Extraction extract_cpu(const PixelSource& source, const Config& config, const Cpu& where, const Observer& observer) {
  try {
    return run_stages(source, config, where, ObservingTap(observer));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::internal,
                fmt::format("not enough memory: an image of {} x {} pixels needs about {}; free some, or use a machine "
                            "that has more",
                            source.shape.width, source.shape.height, memory_needed(source.shape)));
  }
}

/// One image on its way through the back ends.
class ImageRun {
 public:
  ImageRun(const ImageInput& input, const Config& config, const Execution& execution, Progress& progress)
      : input_(input), config_(config), execution_(execution), progress_(progress) {}

  ImageResult on_cpu() const {
    ImageResult result;
    result.backend = "cpu";
    result.extraction = extract_cpu(input_.pixels, config_, execution_.cpu, observer(result));
    return result;
  }

  ImageResult on_cuda() const {
    ImageResult result;
    result.backend = "cuda";
    result.extraction = execution_.extractor->extract(input_.pixels, config_, observer(result));
    return result;
  }

  ImageResult on_cuda_or_cpu() const {
    try {
      return on_cuda();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device) throw;
      spdlog::warn("{}: extracted on the CPU, because the GPU cannot: {}", input_.name, error.what());
    }
    return on_cpu();
  }

  ImageResult on_both() const {
    StageRecord cpu_record, cuda_record;
    ImageResult result;
    result.backend = "cpu";
    result.extraction = extract_cpu(input_.pixels, config_, execution_.cpu, observer(result, &cpu_record));
    ImageResult unused;
    unused.backend = "cuda";
    execution_.extractor->extract(input_.pixels, config_, observer(unused, &cuda_record));
    result.comparison = compare_records(cpu_record, cuda_record);
    return result;
  }

 private:
  Observer observer(ImageResult& result, StageRecord* record = nullptr) const {
    const auto on_stage = [&](const char* stage, double seconds) {
      progress_.stage_done(stage);
      spdlog::debug("{}: {} {} {:.6f} s", input_.name, result.backend, stage, seconds);
      result.times.push_back({stage, seconds});
    };
    return {on_stage, record};
  }

  const ImageInput& input_;
  const Config& config_;
  const Execution& execution_;
  Progress& progress_;
};

}  // namespace

ImageResult extract_image(const ImageInput& input, const Config& config, const Execution& execution,
                          Progress& progress) {
  const ImageRun run(input, config, execution, progress);
  ImageResult result = !execution.device         ? run.on_cpu()
                       : execution.compare       ? run.on_both()
                       : execution.may_fall_back ? run.on_cuda_or_cpu()
                                                 : run.on_cuda();
  const auto begin = std::chrono::steady_clock::now();
  result.no_sky_reason = add_sky_positions(input.image.header(), result.extraction.sources, execution.cpu);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  result.times.push_back({"sky", elapsed.count()});
  return result;
}

}  // namespace srcextract
