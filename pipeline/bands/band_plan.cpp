#include "pipeline/bands/band_plan.hpp"

#include <memory>

#include "config/overrides.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/find_files.hpp"
#include "survey/inputs/image_config.hpp"

namespace srcextract {
namespace {

[[noreturn]] void fail(const Config& config, const std::string& key, const std::string& problem) {
  throw Error(ErrorKind::config, config.place_of(key) + ": " + problem);
}

void require_outputs_of_bands(const Config& config) {
  constexpr const char* instead = "; leave it out, or run srcextract -d DETECT CONFIG IMAGE for each";
  if (vignet_size(config.output.columns).any())
    fail(config, "output.columns",
         std::string("VIGNET shows the pixels of one image, and with --band there are several") + instead);
  if (!config.output.check_images.empty())
    fail(config, "output.check_images",
         std::string("check images are of one image, and with --band there are several") + instead);
  if (config.output.quicklook)
    fail(config, "output.quicklook",
         std::string("the picture is of one image, and with --band there are several") + instead);
}

void require_one_hdu(const Config& config) {
  if (config.input.hdu.several())
    fail(config, "input.hdu",
         "with --band one image is taken of each file, and " + config.input.hdu.text() +
             " may be several; name one, for a band alone by --band-set NAME:input.hdu=, and for DETECT by "
             "--detect-set input.hdu=");
}

}  // namespace

std::vector<Band> plan_bands(const std::vector<BandOption>& options, const Config& config,
                             std::span<const GivenConfig> configs, const std::string& output_name,
                             const std::shared_ptr<const FilesBeside>& detection) {
  require_outputs_of_bands(config);
  require_one_hdu(detection->detection->config());
  const std::shared_ptr<const ImageConfig> shared = make_image_config(config);
  std::vector<Band> bands;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const BandOption& option = options[i];
    Band& band = bands.emplace_back(Band{option, {look_at(option.path, output_name), {}}});
    band.planned.file.beside = detection;
    band.planned.file.config = option.settings.empty() ? shared : make_image_config(configs[i]);
    require_one_hdu(band.config());
  }
  return bands;
}

}  // namespace srcextract
