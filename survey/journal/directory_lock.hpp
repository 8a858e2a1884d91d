#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/files/appended_file.hpp"
#include "survey/inputs/shard.hpp"

namespace srcextract {

/// Name of this machine; "unknown" if it has none.
std::string host_name();

/// Keeps other processes from doing the same work in an output directory, while this object and its process live.
/// Processes for different shards of the same count may run together. Processes for the same shard, or for different
/// counts (the whole is shard 1 of 1), exclude each other.
/// Every process locks a byte of the file `journal.lock`, which is never removed: shard I of N has a byte of its own.
/// The locks are OFD locks (fcntl(2)), which work between hosts wherever the file system's locks do. A process first
/// checks that no conflicting byte is locked. The process holds byte 0 during check and lock, so that of two processes
/// that start at once one sees the other. The file lists the holders, for messages alone: "2/4 1234 node07".
class DirectoryLock {
 public:
  /// Throws Error{output} with the host and process of the current holder. If the file system has no locks, calls
  /// `warn`: other processes are then not kept out.
  DirectoryLock(const std::string& directory, const Shard& shard, const std::function<void(const std::string&)>& warn);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  /// Throws Error{storage} if the lock file was moved, removed or replaced: another process may be at work.
  void require_in_place() const { srcextract::require_in_place(descriptor_, path_); }

 private:
  explicit DirectoryLock(std::string path);
  bool lock_gate();
  void require_free(const std::string& directory, const Shard& shard);
  void sign(const Shard& shard);
  std::string holders() const;

  std::string path_;
  int descriptor_ = -1;
};

/// Whether a process does the work of a shard now, by its lock. Changes nothing. Empty if the file system has no locks.
std::optional<bool> is_at_work(const std::string& directory, const Shard& shard);

/// DIRECTORY/journal.lock.
std::string lock_path(const std::string& directory);

}  // namespace srcextract
