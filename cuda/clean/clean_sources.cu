#include "stages/clean/clean_sources.hpp"

#include <limits>
#include <string>

#include "cuda/deblend/device_steps.hpp"
#include "cuda/detect/noise_map.hpp"
#include "stages/clean/shared_cleaning.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

Cleaned<Gpu> clean_sources(const DeblendImages<Gpu>& images, const Uncleaned<Gpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Gpu& where) {
  const std::int64_t pixels = sources.runs.shape.count();
  if (pixels > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::device, "a GPU cleans images of less than 2^31 pixels, and this one has " +
                                       std::to_string(pixels) + "; use --backend cpu, or set deblend.clean to false");
  const NoiseRows noise(images.noise, where);
  const std::int64_t runs = sources.island_runs.runs.size();
  const std::int64_t islands = Capacity::within(where.capacity.sources, runs);
  const DeviceSteps steps(where);
  return SharedCleaning<Gpu, DeviceSteps, NoiseOfPixels>(images, sources, config, islands, noise.pixels(), steps)
      .clean(kernel_rows);
}

}  // namespace srcextract
