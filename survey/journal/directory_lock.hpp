#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/files/appended_file.hpp"
#include "survey/inputs/shard.hpp"

namespace srcextract {

/// Host name of this machine; "unknown" if it cannot be read.
std::string host_name();

/// Prevents other processes from doing the same work in an output directory, until the object is destroyed or the
/// process ends. Processes for different shards (parts of the survey) of one count may run at the same time. Processes
/// for the same shard, or for different counts, exclude each other. An undivided survey is shard 1 of 1.
///
/// Every process locks the byte of its shard in the file `journal.lock`, which is never removed. The locks are OFD
/// locks (fcntl(2)), which also work between hosts if the file system supports that. A process first checks that no
/// conflicting byte is locked. During check and lock the process has a lock on byte 0, the gate. So, if two processes
/// start at the same time, the second finds the lock of the first. The file lists the processes with locks, for error
/// messages only: "2/4 1234 node07".
class DirectoryLock {
 public:
  /// Throws Error{output} if a process with a conflicting lock is running; the message names its host and process. If
  /// the file system has no locks, calls `warn` with a message; conflicting processes are then not prevented.
  DirectoryLock(const std::string& directory, const Shard& shard, const std::function<void(const std::string&)>& warn);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  /// Throws Error{storage} if the lock file was moved, removed or replaced. Another process may then be working in the
  /// directory.
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

/// Whether a process is working on this shard, by its lock. Locks nothing. False if there is no lock file. Unset if the
/// lock file cannot be opened, or if the file system has no locks.
std::optional<bool> is_at_work(const std::string& directory, const Shard& shard);

std::string lock_path(const std::string& directory);

}  // namespace srcextract
