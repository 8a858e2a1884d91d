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

/// The Error{output}, or Error{storage} where nothing else could be written there, that says that `path` cannot be
/// written, why (`reason` is an errno), and what to try.
Error write_error(const std::string& path, int reason);

/// Whether a commit waits for the disk.
enum class Flush {
  now,
  later,  ///< once FileSystem::flush() is called, for many commits together
};

/// Writes a file that is either complete or not there. Until commit() its bytes are in a file without a name, gone with
/// the process however that ends; where the system has no such files, in one of a temporary name beside `path`, removed
/// by the destructor. A file that replaces another has its permissions. Throws Error{output} naming the path and the
/// reason.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// Replaces bytes that were written before, as those of a header that tells what follows it.
  void overwrite(std::int64_t offset, std::string_view text);

  /// Waits until everything written is on the disk.
  void flush();

  /// Flushes, and holds nothing open from here on, so that any number of files can wait for one commit; the bytes have
  /// a temporary name then. Nothing more can be written.
  void seal();

  /// Flushes, and replaces what is at `path`.
  void commit();

  /// Calls f(bytes) for all that was written, piece by piece, before it is sealed or committed.
  void read_back(const std::function<void(std::span<const std::byte>)>& f) const;

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }  ///< bytes written

  /// Of all that was written; none once some of it was overwritten.
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
  std::int64_t begun_ = 0;  ///< of these, how many the disk was told to begin with
  Crc32 crc32_;
  bool overwritten_ = false;
  bool flushed_ = false;  ///< since it was last written to
};

/// Commits files that belong together, in this order. All that can fail for want of space, rights or a name is done for
/// every one before the first replaces its target; what is left is one rename a file. With Flush::later a machine that
/// fails before FileSystem::flush() returns may be left with empty files in their places.
void commit(std::span<OutputFile> files, Flush flush = Flush::now);

/// The file system that a directory is on. It stays open: only so is it told of every failure since.
class FileSystem {
 public:
  /// Throws Error{output}, or Error{storage}.
  explicit FileSystem(std::string directory);
  ~FileSystem();
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  /// Waits until all that was written to it so far is on the disk, names as well. Throws Error{output}, or
  /// Error{storage}.
  void flush();

 private:
  std::string directory_;
  int descriptor_;
};

}  // namespace srcextract
