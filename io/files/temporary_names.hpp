#pragma once

#include <functional>
#include <string>

namespace srcextract {

/// Returns a path in the directory, ".srcextract.TAG.N.tmp", with an N that this process has not used before. Another
/// process with the same tag may use the same name, so the caller must create the file exclusively (O_EXCL).
std::string next_temporary_name(const std::string& directory);

/// Sets the tag of all later temporary names; the default is the process id. Must be called before threads create
/// files.
void tag_temporaries(const std::string& tag);

/// Removes the temporary files in and below the directory for whose tag `is_stale` returns true. Ignores failures.
void remove_temporaries(const std::string& directory, const std::function<bool(const std::string& tag)>& is_stale);

}  // namespace srcextract
