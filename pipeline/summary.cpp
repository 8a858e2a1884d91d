#include "pipeline/summary.hpp"

#include <spdlog/spdlog.h>

namespace srcextract {
namespace {

/// float32 has 24 bits of mantissa: a wider stored type loses its last digits.
bool wider_than_float32(int bitpix) {
  return bitpix == 32 || bitpix == 64 || bitpix == -64;
}

/// What did the work: "2 CPU threads", "CUDA device 0 (NVIDIA H200)".
std::string worker_name(const ImageResult& result, const Execution& execution) {
  if (result.backend == "cuda")
    return fmt::format("CUDA device {} ({})", execution.device->index, execution.device->name);
  return fmt::format("{} CPU thread{}", execution.cpu.threads, execution.cpu.threads == 1 ? "" : "s");
}

void log_statistics(const std::string& name, const std::string& when, const Statistics& s) {
  spdlog::info("{}: {}: mean {:.4g}, median {:.4g}, sigma {:.4g}, min {:.4g}, max {:.4g}, {} pixels", name, when,
               s.mean, s.median, s.sigma, s.min, s.max, s.count);
}

void log_background(const std::string& name, const Background& background) {
  log_statistics(name, "before clipping", background.all);
  const char* end = background.converged ? "" : " (stopped by background.max_iterations, not converged)";
  log_statistics(name, fmt::format("after {} rounds of clipping{}", background.iterations, end), background.clipped);
}

}  // namespace

void log_input(const ImageInput& input) {
  const FitsImage& image = input.image;
  const std::string extname = image.extname().empty() ? "" : " '" + image.extname() + "'";
  const int bitpix = input.pixels.format.bitpix;
  spdlog::info("{}: {} x {} pixels, BITPIX {}, HDU {}{}", input.name, input.pixels.shape.width,
               input.pixels.shape.height, bitpix, image.hdu(), extname);
  if (wider_than_float32(bitpix))
    spdlog::info("{}: BITPIX {} is wider than float32: pixels are scaled in double and rounded to float32", input.name,
                 bitpix);
}

void log_result(const ImageInput& input, const ImageResult& result) {
  const Extraction& e = result.extraction;
  if (e.masked_nan + e.masked_infinite + e.masked_blank > 0)
    spdlog::info("{}: masked pixels: {} NaN, {} infinite, {} BLANK", input.name, e.masked_nan, e.masked_infinite,
                 e.masked_blank);
  log_background(input.name, e.background);
  spdlog::info("{}: {} sources above {:.6g}, {} before detection.min_area", input.name, e.sources.size(),
               e.levels.detection, e.detected);
  if (!result.no_sky_reason.empty()) spdlog::info("{}: no sky positions: {}", input.name, result.no_sky_reason);
}

void log_done(const ImageInput& input, const ImageResult& result, const Execution& execution, double seconds) {
  spdlog::info("{}: done in {:.3f} s on {}", input.name, seconds, worker_name(result, execution));
}

}  // namespace srcextract
