#pragma once

#include <string>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// Throws Error{output} if a file of this name that a run writes, cuts or removes (journal, lock, notes of what is
/// under way, list of failures) is a link, no regular file, or holds what srcextract did not write there. Nothing is
/// changed. What is not there, or empty, may be written.
void require_own_journal(const std::string& path);
void require_own_lock(const std::string& path);
void require_own_notes(const std::string& path);
void require_own_failures(const std::string& path);

/// All of them, of a shard in a directory.
void require_own_files(const std::string& directory, const Shard& shard);

}  // namespace srcextract
