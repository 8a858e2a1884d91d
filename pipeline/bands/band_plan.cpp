#include "pipeline/bands/band_plan.hpp"

#include "survey/inputs/file_status.hpp"

namespace srcextract {

std::vector<Band> bands_of(const ImageFile& file) {
  std::vector<Band> bands;
  for (const BandFile& option : file.beside->bands) {
    Band& band = bands.emplace_back(Band{option, {look_at(option.path, file.name), {}}});
    band.planned.file.config = option.given;
    band.planned.file.beside = file.beside;
  }
  return bands;
}

}  // namespace srcextract
