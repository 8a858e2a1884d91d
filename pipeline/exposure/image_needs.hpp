#pragma once

#include "config/config.hpp"
#include "io/fits/hdu_selection.hpp"

namespace srcextract {

/// What the configuration requires of the images that input.hdu selects by `auto`, `all` or a pattern: two dimensions,
/// and sides that are not shorter than those of the kernel.
ImageNeeds image_needs(const Config& config);

/// The same for maps, which may also be arrays of one value.
ImageNeeds map_needs(const Config& config);

}  // namespace srcextract
