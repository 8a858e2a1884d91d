#pragma once

#include <functional>
#include <string>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// Calls on_file for every image in a directory and below it, in no order. Calls on_unreadable(path, name, reason) for
/// every directory there that cannot be read; the top directory's name is empty. Every directory is read once, even if
/// links lead to it. Its name is its own below the top directory, else the first of its names in sorted order. Each
/// file's status is read once, many in parallel; on_file is called by this thread alone.
void find_below(const std::string& directory, const std::function<void(ImageFile)>& on_file,
                const std::function<void(const std::string& path, const std::string& name, const std::string& reason)>&
                    on_unreadable);

}  // namespace srcextract
