#pragma once

#include <functional>
#include <string>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// Calls on_file for every image (is_image_name) in a directory and below it, in no particular order. Hidden
/// directories are skipped. Calls on_unreadable(path, name, reason) for each directory that cannot be read. Names are
/// paths relative to the top directory, whose own name is empty.
///
/// A directory is read once, even if links lead to it. Its name is its path without links if it is below the top
/// directory; else the first, in sorted order, of the names of links to it. The status of each file is read once, for
/// many files in parallel; on_file is called only by the calling thread.
void find_below(const std::string& directory, const std::function<void(ImageFile)>& on_file,
                const std::function<void(const std::string& path, const std::string& name, const std::string& reason)>&
                    on_unreadable);

}  // namespace srcextract
