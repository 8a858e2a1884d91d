#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/byte_stream.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Reads the lines of a text. Lines may have up to 64 MB; longer ones cannot belong to a table. Lines end with LF or
/// CRLF, optional on the last line; a UTF-8 byte order mark is skipped. Throws Error{input} as ByteStream does, and for
/// a line that is too long or holds a NUL.
class TextLines {
 public:
  explicit TextLines(const std::string& path);

  /// Moves to the next line; false at the end.
  bool next();

  /// Makes the next call of next() return this line again.
  void put_back() { put_back_ = true; }

  /// Joins the next line to this one, keeping the line end between them. Invalidates earlier line() views. False at the
  /// end.
  bool extend();

  /// The line without its line end.
  std::string_view line() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Number of the line in the file, from 1; after extend(), that of the first joined line.
  std::int64_t number() const { return number_; }

  /// Inflated bytes up to the end of this line.
  std::int64_t bytes_passed() const { return bytes_read_ - static_cast<std::int64_t>(filled_ - next_); }

  const ByteStream& file() const { return file_; }

  /// The Error{input} that names this line and the problem.
  Error error(const std::string& problem) const { return error_at(number_, problem); }
  Error error_at(std::int64_t line, const std::string& problem) const;

 private:
  bool find_end();
  bool fill();

  ByteStream file_;
  std::size_t piece_;  ///< bytes per read from the file
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  ///< bytes in the buffer
  std::size_t begin_ = 0;   ///< start of the line
  std::size_t end_ = 0;     ///< offset of the end of the line's text, before CR and LF
  std::size_t next_ = 0;    ///< start of the next line
  std::int64_t bytes_read_ = 0;
  std::int64_t number_ = 1;  ///< number of the line, from 1
  std::int64_t lines_ = 0;   ///< lines of the file that this line spans
  bool put_back_ = false;
};

}  // namespace srcextract
