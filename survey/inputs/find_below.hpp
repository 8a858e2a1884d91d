#pragma once

#include <functional>
#include <string>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// Calls on_file for every image in a directory and below it, in no order, and on_unreadable(path, name, reason) for
/// every directory there that cannot be read; its own name is empty. Every directory is read once, also where links
/// lead to it: under its own name if it has one here, else under the first in the order of names. A file is looked at
/// once, and many at the same time; on_file is called by this thread alone.
void find_below(const std::string& directory, const std::function<void(ImageFile)>& on_file,
                const std::function<void(const std::string& path, const std::string& name, const std::string& reason)>&
                    on_unreadable);

}  // namespace srcextract
