#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/files/gzip.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Size in bytes of the records that FITS files consist of (FITS Standard).
inline constexpr std::int64_t fits_record = 2880;

/// Rounds a length in bytes up to whole FITS records.
constexpr std::int64_t in_records(std::int64_t bytes) {
  return (bytes + fits_record - 1) / fits_record * fits_record;
}

/// Returns an Error{memory} saying that `bytes` bytes could not be allocated. The message names `path`; `purpose` reads
/// like "to inflate the file".
Error memory_error(std::int64_t bytes, const std::string& path, const std::string& purpose);

/// Returns the inflated size that the last four bytes of a gzipped file state (modulo 2^32), or the size on disk if
/// that is larger. Returns 0 if the file is not gzipped or cannot be read.
std::int64_t gzipped_size(const std::string& path);

/// A regular file, open for reading. The first two bytes, not the name, decide whether the file counts as gzipped.
/// - A gzipped file is inflated into memory, as far as `needed` asks.
/// - A file of at most 64 KiB is read into memory.
/// - Any other file is read on demand.
///
/// Throws Error{input}, Error{memory} if there is not enough memory, or Error{storage} if too many files are open.
/// After an errno that may pass (such as EIO or ESTALE), the file is opened and read again, up to four times in all. If
/// the last try fails too, a PassingError is thrown (io/files/passing.hpp).
class InputFile {
 public:
  explicit InputFile(std::string path, SizeNeeded needed = {});

  const std::string& path() const { return path_; }
  bool inflated() const { return inflated_; }
  std::int64_t size() const { return size_; }  ///< bytes of the contents, inflated if the file is gzipped

  /// Returns the whole contents if they are in memory, else an empty span.
  std::span<const std::byte> memory() const;

  /// Returns a pointer to bytes [offset, offset + count). Requires contents in memory. Throws Error{input} if the range
  /// ends beyond the contents.
  const std::byte* in_memory(std::int64_t offset, std::int64_t count) const;

  /// Copies bytes [offset, offset + count) of the contents to `out`. Several threads may call read() at once. Throws
  /// Error{input} if the range ends beyond the contents, or if the file became shorter since it was opened.
  void read(std::int64_t offset, std::int64_t count, std::byte* out) const;

  /// Throws Error{input} if size or modification time of the file changed since it was opened. Returns without a check
  /// if the contents are in memory, since later writes to the file cannot change these.
  void require_unchanged() const;

 private:
  struct Descriptor {
    int number = -1;
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
  };

  /// Size in bytes and modification time in nanoseconds of a file. A write to the file changes the State; a new name,
  /// link or permission does not.
  struct State {
    std::int64_t size = 0, modified = 0;
    bool operator==(const State&) const = default;
  };

  State look(int descriptor) const;
  void reopen(Descriptor& other) const;
  /// Copies at most `count` bytes from `offset` on to `out`. Returns the number of bytes, less than `count` only at the
  /// end of the file.
  std::int64_t read_at(std::int64_t offset, std::int64_t count, std::byte* out) const;
  void check_range(std::int64_t offset, std::int64_t count) const;
  void require_state_at_opening() const;
  void read_all();
  void inflate(SizeNeeded needed);

  std::string path_;
  Descriptor descriptor_;
  State opened_;
  std::shared_ptr<const std::byte> contents_;
  std::int64_t size_ = 0;
  bool inflated_ = false;
};

}  // namespace srcextract
