#pragma once

#include <string>
#include <vector>

#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Where FilesBeside::reference is a folder, replaces it by the frame in it or below it that covers most of the image,
/// by the WCS of both. Of equals that is the frame whose middle is nearest, then the first by name. The image itself is
/// none. If input.hdu may select several HDUs, those with the same number are compared, as they are subtracted.
///
/// Reads headers: those of each folder once, and those of the images. Where no frame can be chosen the folder stays,
/// and FilesBeside::no_reference is the reason. The hash covers name, size and time of the frame that is chosen.
///
/// `notes` gets which frames of a folder cannot be used. Throws Error{input} if a folder cannot be read, or
/// PassingError if a frame cannot be read just now: another one would be chosen without a word.
ImageFiles choose_references(ImageFiles files, std::vector<std::string>& notes);

}  // namespace srcextract
