#pragma once

#include <functional>
#include <string>

namespace srcextract {

/// A name in the directory, ".srcextract.TAG.0.tmp", that this process has not had before. Another of the same tag may
/// have it: create such a file only where there is none.
std::string next_temporary_name(const std::string& directory);

/// What those names contain from here on, in place of the number of the process. Called before threads write files.
void tag_temporaries(const std::string& tag);

/// Removes the files of such names, in the directory and below it, of whose tag `is_stale` says that those who wrote
/// them are gone. What cannot be read or removed stays.
void remove_temporaries(const std::string& directory, const std::function<bool(const std::string& tag)>& is_stale);

}  // namespace srcextract
