#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/byte_stream.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Reads a text line by line. Lines end with LF or CRLF; the last line may end without either. A UTF-8 byte order mark
/// at the start is skipped. Throws Error{input} as ByteStream does, and for a line that holds a NUL or is longer than
/// 64 MiB.
class TextLines {
 public:
  explicit TextLines(const std::string& path);

  /// Moves to the next line. Returns false at the end of the text.
  bool next();

  /// Makes the next call of next() return this line again.
  void put_back() { put_back_ = true; }

  /// Appends the next line to this line, with the line end between the two. Views that line() returned before become
  /// invalid. Returns false at the end of the text.
  bool extend();

  /// The line without its line end.
  std::string_view line() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Number of the line in the file, from 1; after extend(), that of the first joined line.
  std::int64_t number() const { return number_; }

  /// Number of (inflated) bytes from the start of the file to the end of this line.
  std::int64_t bytes_passed() const { return bytes_read_ - static_cast<std::int64_t>(filled_ - next_); }

  const ByteStream& file() const { return file_; }

  /// Returns the Error{input} whose message starts with the file and this line's number, followed by the problem.
  Error error(const std::string& problem) const { return error_at(number_, problem); }
  Error error_at(std::int64_t line, const std::string& problem) const;

 private:
  bool find_end();
  bool fill();

  ByteStream file_;
  std::size_t piece_;  ///< bytes per read from the file
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  ///< number of bytes read into the buffer
  std::size_t begin_ = 0;   ///< offset of the current line in the buffer
  std::size_t end_ = 0;     ///< offset of the end of the current line, without CR and LF
  std::size_t next_ = 0;    ///< offset of the next line
  std::int64_t bytes_read_ = 0;
  std::int64_t number_ = 1;  ///< number of the line, from 1
  std::int64_t lines_ = 0;   ///< number of file lines joined in the current line
  bool put_back_ = false;
};

}  // namespace srcextract
