#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace srcextract {

/// A file, gzipped or not, that is read once from start to end. Throws Error{input} if the file cannot be opened or
/// read, is damaged, or is cut short.
class ByteStream {
 public:
  explicit ByteStream(std::string path);

  const std::string& path() const { return path_; }

  /// Size of the file on disk in bytes; a gzipped file usually inflates to more bytes.
  std::int64_t stored_size() const { return stored_size_; }

  /// Reads the next (inflated) bytes, at most out.size(). Returns the number of bytes read, 0 only at the end of the
  /// file.
  std::size_t read(std::span<char> out);

 private:
  std::string path_;
  std::int64_t stored_size_ = 0;
  std::unique_ptr<void, int (*)(void*)> file_;  // a gzFile as void*, so that this header need not include zlib.h
};

}  // namespace srcextract
