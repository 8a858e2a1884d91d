#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/files/crc32.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Returns the error for a file that cannot be written. The message has the path, the reason (an errno) and what the
/// user can try. The kind is Error{storage} if the reason prevents writing any file there (such as a full disk), else
/// Error{output}.
Error write_error(const std::string& path, int reason);

/// Throws Error{output} if `path` is a directory, which a rename cannot replace, or a device or pipe, which a
/// rename must not replace. Throws Error{output} also if the name is too long. Also checks the target of a link such as
/// /dev/stdout.
void require_replaceable(const std::string& path);

/// Flushes a directory's entries to the disk, so that renames in the directory survive a crash. Returns 0, or an errno.
/// Returns 0 also for a directory that cannot be opened (without read permission) and on a file system that does not
/// support fsync.
int sync_directory(const std::string& directory);

/// When commit() flushes files to the disk.
enum class Flush {
  now,
  later,  ///< FileSystem::flush() flushes later, once for many commits
};

/// Writes a file that is either complete or absent. Until commit() the bytes are in an unnamed file, which the system
/// removes when the process ends. If the file system has no unnamed files, the file has a temporary name beside `path`,
/// and the destructor removes it. The new file gets the permissions of the file that it replaces. Throws Error{output}
/// or Error{storage} with path and reason.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// Replaces bytes written earlier, such as a header that depends on later data. Does not change size().
  void overwrite(std::int64_t offset, std::string_view text);

  /// Waits until all written bytes are on the disk.
  void flush();

  /// Flushes and closes the file, and gives the file a temporary name until commit(). A sealed file uses no descriptor,
  /// so that any number of files can wait for one commit. No write may follow.
  void seal();

  /// Flushes the file and gives it the name `path`, replacing a file of that name.
  void commit();

  /// Calls f(bytes) for all written bytes in order, piece by piece. Must be called before seal() or commit().
  void read_back(const std::function<void(std::span<const std::byte>)>& f) const;

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }  ///< bytes written

  /// CRC-32 of all written bytes, or nothing if overwrite() was called.
  std::optional<std::uint32_t> crc32() const { return overwritten_ ? std::nullopt : std::optional(crc32_.value()); }

 private:
  friend void commit(std::span<OutputFile> files, Flush flush);
  void name();
  void replace_target();
  void begin_writing();

  std::string path_;
  std::string temporary_;  ///< path of the file before commit(); empty while the file is unnamed
  int descriptor_ = -1;
  std::int64_t size_ = 0;
  std::int64_t begun_ = 0;  ///< number of bytes that the system was told to start writing to the disk
  Crc32 crc32_;
  bool overwritten_ = false;
  bool flushed_ = false;  ///< true if no write followed the last flush
};

/// Commits files that belong together, in this order. Flushes all files and gives them temporary names before the first
/// rename: a lack of space or permission then leaves all old files in place. With Flush::later a crash before
/// FileSystem::flush() returns may leave empty files.
void commit(std::span<OutputFile> files, Flush flush = Flush::now);

/// The file system that holds a directory. The directory stays open from construction on: syncfs reports a failed write
/// only on a descriptor that was open when the write failed.
class FileSystem {
 public:
  /// Throws Error{output} or Error{storage}.
  explicit FileSystem(std::string directory);
  ~FileSystem();
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  /// Waits until all data and file names written so far on this file system are on the disk. Throws Error{output} or
  /// Error{storage}.
  void flush();

 private:
  std::string directory_;
  int descriptor_;
};

}  // namespace srcextract
