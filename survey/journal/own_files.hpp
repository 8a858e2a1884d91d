#pragma once

#include <string>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// Each of these functions throws Error{output} if `path` exists and is a link, is no regular file, or was not written
/// by srcextract as a file of that kind: notes of files under way, or list of failures. Missing and empty files are
/// accepted. Nothing is changed.
void require_own_notes(const std::string& path);
void require_own_failures(const std::string& path);

/// Checks journal, lock file, notes and list of failures of a shard in a directory in the same way.
void require_own_files(const std::string& directory, const Shard& shard);

}  // namespace srcextract
