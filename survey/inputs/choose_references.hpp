#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Replaces each FilesBeside::reference that is a folder by a reference frame from the folder or below it. By the WCS
/// of both, the frame that covers most of the image is taken. If several frames cover equally much, the frame with the
/// nearest centre is taken, then the first by name. The image itself is never taken. If input.hdu may select several
/// HDUs, an HDU of a frame counts only for the HDU of the same number in the image, since these two are subtracted.
///
/// Reads the headers of the images, and those of each folder once for each selection of HDUs. If no frame can be chosen
/// for an image, the folder stays and FilesBeside::no_reference says why. Else FilesBeside::hash also covers name, size
/// and modification time of the chosen frame.
///
/// A gzipped file that inflates to more than `most_held` bytes cannot be used.
///
/// Appends to `notes` a message about frames that cannot be used. Throws Error{input} if a folder cannot be read.
/// Throws PassingError if a frame is temporarily unreadable, since another frame would else be chosen without notice.
ImageFiles choose_references(ImageFiles files, std::vector<std::string>& notes,
                             std::int64_t most_held = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
