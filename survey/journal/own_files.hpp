#pragma once

#include <string>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// Throws Error{output} if a file of this name exists and is a link, no regular file, or not written by srcextract.
/// There is a function each for journal, lock, notes of files under way, and list of failures. Changes nothing. Missing
/// and empty files are fine.
void require_own_journal(const std::string& path);
void require_own_lock(const std::string& path);
void require_own_notes(const std::string& path);
void require_own_failures(const std::string& path);

/// Checks the journal, lock, notes and list of failures of a shard in a directory.
void require_own_files(const std::string& directory, const Shard& shard);

}  // namespace srcextract
