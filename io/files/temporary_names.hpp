#pragma once

#include <functional>
#include <string>

namespace srcextract {

/// A name in the directory, ".srcextract.TAG.0.tmp", that this process has not used before. Another process with the
/// same tag may use it, so create the file exclusively (O_EXCL).
std::string next_temporary_name(const std::string& directory);

/// Sets the tag of later names; the default is the process id. Call it before threads write files.
void tag_temporaries(const std::string& tag);

/// Removes temporary files in and below the directory whose tag `is_stale` reports as abandoned. Failures are ignored.
void remove_temporaries(const std::string& directory, const std::function<bool(const std::string& tag)>& is_stale);

}  // namespace srcextract
