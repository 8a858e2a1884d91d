#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {

/// An image in which sources are measured that were found in another image, the detection image.
struct Band {
  const BandFile& option;
  PlannedFile planned;  ///< with the band's configuration; the name is the detection image's, after which the outputs
                        ///< of all bands are named

  const ImageFile& file() const { return planned.file; }
  const Config& config() const { return planned.file.config->config; }
};

/// The bands that accompany `file`; empty if it has none. The bands hold references into `file`, which must outlive
/// them.
std::vector<Band> bands_of(const ImageFile& file);

}  // namespace srcextract
