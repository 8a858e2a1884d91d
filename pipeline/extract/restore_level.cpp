#include "pipeline/extract/restore_level.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "stages/core/nearest_pixel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

/// The sky level that was subtracted at a pixel: from the map, or `number` everywhere if `map` is null.
struct LevelAt {
  const Image<float, Cpu>* map;
  float number;

  float operator()(std::int64_t x, std::int64_t y) const {
    if (map == nullptr) return number;
    const HeldRows held(*map, y, y + 1);
    return map->pixels[y * map->shape.width + x];
  }
};

/// The pixel, from 0, that contains a position, from 1. The position is first limited to [least, most].
std::int64_t pixel_in(double position, std::int32_t least, std::int32_t most) {
  if (!(position > least)) return least - 1;
  return position < most ? static_cast<std::int64_t>(position + 0.5) - 1 : most - 1;
}

void restore_at_sources(const LevelAt& level, Sources& catalogue) {
  if (catalogue.size() == 0) return;  // an image that shows no sky has no columns
  const UsualValues sources(catalogue);
  std::vector<double>& background = catalogue[columns::background];
  for (std::size_t row = 0; row < background.size(); ++row) {
    const std::int64_t x = pixel_in(sources.x_image[row], sources.xmin_image[row], sources.xmax_image[row]);
    const std::int64_t y = pixel_in(sources.y_image[row], sources.ymin_image[row], sources.ymax_image[row]);
    const float central = level(x, y);
    const float found =
        central == central ? central : level(sources.xpeak_image[row] - 1, sources.ypeak_image[row] - 1);
    background[row] += static_cast<double>(found);
  }
}

void restore_at_components(const LevelAt& level, FittedIslands& fitted) {
  const Shape& shape = fitted.shape;
  for (std::vector<ComponentRow>* rows : {&fitted.gaussians, &fitted.sources})
    for (ComponentRow& row : *rows)
      row.of_island.level +=
          static_cast<double>(level(nearest_pixel(row.x, shape.width), nearest_pixel(row.y, shape.height)));
}

GivenLevel summary_of(const Image<float, Cpu>& map) {
  constexpr std::int64_t sampled = 1 << 16;
  const std::int64_t count = map.shape.count(), step = std::max<std::int64_t>(1, count / sampled);
  std::vector<float> sample;
  float least = HUGE_VALF, most = -HUGE_VALF;
  for (std::int64_t y = 0, i = 0; y < map.shape.height; ++y) {
    const HeldRows held(map, y, y + 1);
    for (const std::int64_t end = i + map.shape.width; i < end; ++i) {
      const float level = map.pixels[i];
      least = level < least ? level : least;
      most = level > most ? level : most;
      if (i % step == 0 && level == level) sample.push_back(level);
    }
  }
  if (sample.empty()) return {};
  const auto middle = sample.begin() + std::ssize(sample) / 2;
  std::nth_element(sample.begin(), middle, sample.end());
  return {*middle, least, most};
}

bool shows_level(const Config& config) {
  return config.kept.sky || config.output.report ||
         std::ranges::count(config.output.check_images, CheckImage::background) > 0;
}

}  // namespace

void restore_level(const ImageInput& input, const Cpu& where, Extraction& extraction,
                   const std::shared_ptr<RowMemory>& row_memory) {
  if (!input.exposure.level) return;
  const Config& config = input.file.config->config;
  Image<float, Cpu> map;
  LevelAt level{nullptr, static_cast<float>(given_number(config.given_sky.level).value_or(0))};
  if (input.level != nullptr) {
    map = ingest_image(*input.exposure.level, where, row_memory);
    level.map = &map;
    extraction.given_level = summary_of(map);
  } else {
    extraction.given_level = {level.number, level.number, level.number};
  }
  restore_at_sources(level, extraction.sources);
  if (extraction.fitted) restore_at_components(level, *extraction.fitted);
  for (BrightPixel& pixel : extraction.brightest) pixel.value += level(pixel.x, pixel.y);
  if (input.level != nullptr && shows_level(config)) extraction.check.level = std::move(map);
}

}  // namespace srcextract
