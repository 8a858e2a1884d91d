#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/files/gzip.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Bytes of a FITS record.
inline constexpr std::int64_t fits_record = 2880;

/// Rounds a length up to whole FITS records.
constexpr std::int64_t in_records(std::int64_t bytes) {
  return (bytes + fits_record - 1) / fits_record * fits_record;
}

/// Makes an Error{memory}: `bytes` bytes could not be allocated. `purpose` reads like "to inflate the file".
Error memory_error(std::int64_t bytes, const std::string& path, const std::string& purpose);

/// Inflated size that the trailer of a gzipped file states (modulo 2^32), or the stored size if that is larger. Returns
/// 0 if the file is not gzipped or cannot be read.
std::int64_t gzipped_size(const std::string& path);

/// A regular file, open for reading. Its first bytes, not its name, tell whether it is gzipped. Access by kind:
/// - A gzipped file is inflated into memory, as far as `needed` asks.
/// - A small file is read into memory.
/// - Any other file is read on demand.
///
/// Throws Error{input}, and Error{memory} if there is not enough memory. After a passing failure of a disk or server
/// (ESTALE, EIO) the file is opened and read again, four times in all. A PassingError follows (io/files/passing.hpp).
class InputFile {
 public:
  explicit InputFile(std::string path, SizeNeeded needed = {});

  const std::string& path() const { return path_; }
  bool inflated() const { return inflated_; }
  std::int64_t size() const { return size_; }  ///< bytes of the (inflated) contents

  /// The contents if they are in memory; else empty.
  std::span<const std::byte> memory() const;

  /// Bytes [offset, offset + count) of contents in memory. Throws Error{input} if the range reaches beyond the
  /// contents.
  const std::byte* in_memory(std::int64_t offset, std::int64_t count) const;

  /// Copies bytes [offset, offset + count) to `out`. Safe to call from several threads. Throws Error{input} if the file
  /// is shorter, or became shorter since it was opened.
  void read(std::int64_t offset, std::int64_t count, std::byte* out) const;

  /// Throws Error{input} if size or modification time changed since the file was opened. Contents in memory count as
  /// unchanged.
  void require_unchanged() const;

 private:
  struct Descriptor {
    int number = -1;
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
  };

  /// Size and modification time (ns) of a file, to detect writes. Renaming, linking and new permissions do not change
  /// them.
  struct State {
    std::int64_t size = 0, modified = 0;
    bool operator==(const State&) const = default;
  };

  State look(int descriptor) const;
  void reopen(Descriptor& other) const;
  /// Copies at most `count` bytes from `offset` on and returns their number; fewer only at the end of the file.
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
