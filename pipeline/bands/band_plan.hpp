#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {

/// An image in which sources found in another image are measured.
struct Band {
  const BandFile& option;
  PlannedFile planned;  ///< with the band's configuration; its name is the file's, which the outputs of all bands share

  const ImageFile& file() const { return planned.file; }
  const Config& config() const { return planned.file.config->config; }
};

/// The bands of `file`, empty if it has none. `file` must outlive them.
std::vector<Band> bands_of(const ImageFile& file);

}  // namespace srcextract
