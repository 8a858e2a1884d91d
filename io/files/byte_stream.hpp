#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace srcextract {

/// A file read once from start to end, gzipped or not (zlib's gzFile reads both). Throws Error{input} if it cannot be
/// opened or read, is damaged, or is cut short.
class ByteStream {
 public:
  explicit ByteStream(std::string path);

  const std::string& path() const { return path_; }

  /// The size of the file on disk; a gzipped file holds more.
  std::int64_t stored_size() const { return stored_size_; }

  /// Reads the next bytes, at most out.size(), and returns their number; 0 only at the end of the file.
  std::size_t read(std::span<char> out);

 private:
  std::string path_;
  std::int64_t stored_size_ = 0;
  std::unique_ptr<void, int (*)(void*)> file_;  // gzFile, whose header stays in the .cpp
};

}  // namespace srcextract
