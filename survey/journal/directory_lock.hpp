#pragma once

#include <functional>
#include <string>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// Of this machine; "unknown" if it has none.
std::string host_name();

/// Keeps others from doing the same work in an output directory, for as long as this lives or its process does.
/// Processes of different shards of the same count go side by side; those of the same shard, or of different counts
/// (the whole is shard 1 of 1), exclude each other.
///
/// All of a directory lock one file, `journal.lock`, which stays there: shard I of N a byte of its own (OFD locks,
/// fcntl(2), which work between hosts wherever the file system's locks do). Before, each looks whether any byte that it
/// must not go beside is locked; it looks and locks while it has byte 0, so that of two that start at once one sees the
/// other. The file says in a line who has which shard, for messages alone: "2/4 1234 node07".
class DirectoryLock {
 public:
  /// Throws Error{output} that names host and process of who has the directory. Where the file system has no locks,
  /// `warn` is told that nothing is kept from anyone.
  DirectoryLock(const std::string& directory, const Shard& shard, const std::function<void(const std::string&)>& warn);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  explicit DirectoryLock(std::string path);
  bool lock_gate();
  void require_free(const std::string& directory, const Shard& shard);
  void sign(const Shard& shard);
  std::string holders() const;

  std::string path_;
  int descriptor_ = -1;
};

/// DIRECTORY/journal.lock.
std::string lock_path(const std::string& directory);

}  // namespace srcextract
