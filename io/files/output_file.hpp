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

/// The error for a file that cannot be written: path, reason (an errno) and what to try. The kind is Error{storage} if
/// nothing else could be written there either, else Error{output}.
Error write_error(const std::string& path, int reason);

/// Makes renames in the directory durable. Returns 0, or an errno. A directory without read permission cannot be opened
/// and is skipped, as are file systems without this call.
int sync_directory(const std::string& directory);

/// Whether a commit waits for the disk.
enum class Flush {
  now,
  later,  ///< wait in FileSystem::flush(), once for many commits
};

/// Writes a file that is either complete or absent. Until commit() the bytes are in an unnamed file, which vanishes
/// with the process. Without support for unnamed files, a temporary name beside `path` is used and the destructor
/// removes it. A replaced file passes on its permissions. Throws Error{output} with path and reason, or Error{storage}.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// Replaces bytes that were written before, such as a header that depends on what follows.
  void overwrite(std::int64_t offset, std::string_view text);

  /// Waits until everything written is on the disk.
  void flush();

  /// Flushes and closes the file, and gives it a temporary name, until commit(). Any number of files can wait for one
  /// commit. No write may follow.
  void seal();

  /// Flushes, and replaces the file at `path`.
  void commit();

  /// Calls f(bytes) for all written bytes, piece by piece. Call it before seal() or commit().
  void read_back(const std::function<void(std::span<const std::byte>)>& f) const;

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }  ///< bytes written

  /// CRC-32 of all written bytes; nothing after overwrite().
  std::optional<std::uint32_t> crc32() const { return overwritten_ ? std::nullopt : std::optional(crc32_.value()); }

 private:
  friend void commit(std::span<OutputFile> files, Flush flush);
  void name();
  void replace_target();
  void begin_writing();

  std::string path_;
  std::string temporary_;  ///< empty while the file has no name
  int descriptor_ = -1;
  std::int64_t size_ = 0;
  std::int64_t begun_ = 0;  ///< bytes whose write-back has been started
  Crc32 crc32_;
  bool overwritten_ = false;
  bool flushed_ = false;  ///< true if nothing was written since the last flush
};

/// Commits files that belong together, in this order. All steps that can fail for lack of space, rights or a name come
/// first; only one rename per file remains. With Flush::later a crash before FileSystem::flush() returns may leave
/// empty files.
void commit(std::span<OutputFile> files, Flush flush = Flush::now);

/// The file system of a directory. The directory stays open, because only a descriptor that was open meanwhile reports
/// every failed write.
class FileSystem {
 public:
  /// Throws Error{output} or Error{storage}.
  explicit FileSystem(std::string directory);
  ~FileSystem();
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  /// Waits until all data and names written so far are on the disk. Throws Error{output} or Error{storage}.
  void flush();

 private:
  std::string directory_;
  int descriptor_;
};

}  // namespace srcextract
