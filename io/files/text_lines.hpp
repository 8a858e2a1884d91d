#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/byte_stream.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// The lines of a text, one after another, whatever their length up to 64 MB: a longer one is no line of a table. They
/// end with LF or CRLF, the last with neither if it likes; a byte order mark of UTF-8 is passed over. Throws
/// Error{input}, as ByteStream does, and for a line that is too long or holds a NUL.
class TextLines {
 public:
  explicit TextLines(const std::string& path);

  /// Goes on to the next line; false at the end.
  bool next();

  /// The next next() stays where it is.
  void put_back() { put_back_ = true; }

  /// Makes the next line part of this one, with the end of line between them: line() is another view then. False at the
  /// end.
  bool extend();

  /// Without its end of line.
  std::string_view line() const { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Where this line begins in the file, from 1.
  std::int64_t number() const { return number_; }

  /// Bytes up to the end of this line, inflated.
  std::int64_t bytes_passed() const { return bytes_read_ - static_cast<std::int64_t>(filled_ - next_); }

  const ByteStream& file() const { return file_; }

  /// The Error{input} that says where this line is and what is wrong with it.
  Error error(const std::string& problem) const { return error_at(number_, problem); }
  Error error_at(std::int64_t line, const std::string& problem) const;

 private:
  bool find_end();
  bool fill();

  ByteStream file_;
  std::size_t piece_;  ///< bytes asked of the file at a time
  std::vector<char> buffer_;
  std::size_t filled_ = 0;  ///< bytes in the buffer
  std::size_t begin_ = 0;   ///< of the line
  std::size_t end_ = 0;     ///< of the line, before its end of line
  std::size_t next_ = 0;    ///< where the next line begins
  std::int64_t bytes_read_ = 0;
  std::int64_t number_ = 1;  ///< of the line, from 1
  std::int64_t lines_ = 0;   ///< how many this line has been made of
  bool put_back_ = false;
};

}  // namespace srcextract
