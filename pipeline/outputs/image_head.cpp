#include "pipeline/outputs/image_head.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "io/catalog/ldac_head.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/machine/versions.hpp"

namespace srcextract {

std::string image_head(const ImageInput& input, const Extraction& extraction, const Config& config) {
  const MeasurementConfig& measured = input.config().measurement;
  std::vector<HeadCard> cards;
  const auto add = [&](const char* keyword, KeywordValue value, const char* comment) {
    cards.push_back({{keyword, std::move(value)}, comment});
  };
  add("FITSFILE", printable_name(input.file.path), "file of the image");
  add("SEXVERS", "srcextract " + program_version(), "extraction software");
  add("SEXBKGND", extraction.sky_level(), "median of the clipped pixels");
  add("SEXBKDEV", extraction.background.clipped.sigma, "their standard deviation");
  if (std::isfinite(extraction.levels.detection))
    add("SEXTHLD", extraction.levels.detection - extraction.levels.background, "threshold above the sky");
  add("SEXNFIN", extraction.sources.size(), "sources");
  add("SEXGAIN", measured.gain, "e-/count; 0: infinite");
  add("SEXMINAR", config.detection.min_area, "least pixels of a source");
  for (std::size_t i = 0; i < std::min<std::size_t>(measured.apertures.size(), 9); ++i)
    cards.push_back({{"SEXAPED" + std::to_string(i + 1), measured.apertures[i]}, "diameter of a circle (pixels)"});
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i + 1);
    cards.push_back({{"SEXAUTP" + n, measured.kron[i]}, "of FLUX_AUTO"});
    cards.push_back({{"SEXPETP" + n, measured.petrosian[i]}, "of FLUX_PETRO"});
  }
  add("SEXSATLV", input.config().resources.saturation, "saturation level; 0: none");
  add("SEXMGZPT", measured.zero_point, "magnitude of one count");
  return ldac_head(input.header(), input.frame.image().primary_header(), cards);
}

}  // namespace srcextract
