#pragma once

#include <string>
#include <vector>

#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// If FilesBeside::reference is a folder, replaces it by the frame, in the folder or below it, that covers most of the
/// image by the WCS of both. If several cover equally much, takes the frame whose centre is nearest, then the first by
/// name. The image itself is never taken. If input.hdu may select several HDUs, HDUs with the same number are compared,
/// as they are subtracted.
/// Reads headers: those of each folder once, and those of the images. If no frame can be chosen, the folder stays, and
/// FilesBeside::no_reference is the reason. The hash covers name, size and time of the chosen frame.
/// Adds to `notes` which frames of a folder cannot be used. Throws Error{input} if a folder cannot be read. Throws
/// PassingError if a frame cannot be read just now: otherwise another frame would be chosen silently.
ImageFiles choose_references(ImageFiles files, std::vector<std::string>& notes);

}  // namespace srcextract
