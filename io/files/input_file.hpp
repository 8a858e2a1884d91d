#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/files/gzip.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// FITS files are made of records of this many bytes.
inline constexpr std::int64_t fits_record = 2880;

/// The length in whole records of that many bytes.
constexpr std::int64_t in_records(std::int64_t bytes) {
  return (bytes + fits_record - 1) / fits_record * fits_record;
}

/// The Error{memory} that says that there are not so many bytes of memory; `purpose` is as "to inflate the file".
Error memory_error(std::int64_t bytes, const std::string& path, const std::string& purpose);

/// What the end of a gzipped file says is in it, in bytes modulo 2^32, or its own size if that is more; 0 if it is not
/// gzipped or cannot be read.
std::int64_t gzipped_size(const std::string& path);

/// A regular file, open for reading. A gzipped one, told by its first bytes and not by its name, is inflated into
/// memory, as far as `needed` says; a small one is read into it; any other is read where it is asked for. Throws
/// Error{input}, and Error{memory} if there is not enough memory. Where a disk or a server fails in passing (ESTALE,
/// EIO) the file is opened and read again, four times in all; then it is a PassingError (io/files/passing.hpp).
class InputFile {
 public:
  explicit InputFile(std::string path, SizeNeeded needed = {});

  const std::string& path() const { return path_; }
  bool inflated() const { return inflated_; }
  std::int64_t size() const { return size_; }  ///< of the contents, inflated

  /// The contents, if they are in memory; else nothing.
  std::span<const std::byte> memory() const;

  /// The bytes [offset, offset + count) of contents that are in memory. Throws Error{input} if these are not all there.
  const std::byte* in_memory(std::int64_t offset, std::int64_t count) const;

  /// Copies bytes [offset, offset + count) to `out`. May be called from several threads at once. A file that is
  /// shorter, or became so since it was opened, is an Error{input}.
  void read(std::int64_t offset, std::int64_t count, std::byte* out) const;

  /// Throws Error{input} if the file was written to since it was opened, by its size and the times of the last change
  /// of its contents and of its inode, which reading does not move; not if it is in memory, where it is as it was.
  void require_unchanged() const;

 private:
  struct Descriptor {
    int number = -1;
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
  };

  /// What tells a file from what it becomes when somebody writes to it; the time in ns. When it was renamed, linked or
  /// made readable for others is none of it.
  struct State {
    std::int64_t size = 0, modified = 0;
    bool operator==(const State&) const = default;
  };

  State look(int descriptor) const;
  void reopen(Descriptor& other) const;
  /// Copies at most `count` bytes from `offset` on, fewer only at the end of the file, and returns how many.
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
