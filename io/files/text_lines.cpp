#include "io/files/text_lines.hpp"

#include <algorithm>
#include <cstring>

namespace srcextract {
namespace {

// Limits in bytes of one read. A small file gets a small buffer, since the first touch of a large new buffer is slow.
constexpr std::int64_t smallest_piece = std::int64_t{1} << 12;
constexpr std::int64_t largest_piece = std::int64_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{64} << 20;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

TextLines::TextLines(const std::string& path)
    : file_(path),
      piece_(static_cast<std::size_t>(std::clamp(file_.stored_size(), smallest_piece, largest_piece))),
      buffer_(2 * piece_) {
  while (filled_ < byte_order_mark.size() && fill()) {
  }
  if (std::string_view(buffer_.data(), filled_).starts_with(byte_order_mark)) next_ = byte_order_mark.size();
}

bool TextLines::next() {
  if (put_back_) {
    put_back_ = false;
    return true;
  }
  number_ += lines_;
  lines_ = 0;
  begin_ = end_ = next_;
  return find_end();
}

bool TextLines::extend() {
  return find_end();
}

/// Moves end_ and next_ to the end of the next line in the file. Returns false at the end of the file.
bool TextLines::find_end() {
  std::size_t searched = next_ - begin_;
  const std::size_t line_begin = searched;
  const char* newline = nullptr;
  for (;;) {
    const std::size_t from = begin_ + searched;
    newline = static_cast<const char*>(std::memchr(buffer_.data() + from, '\n', filled_ - from));
    if (newline) break;
    searched = filled_ - begin_;
    if (!fill()) break;
  }
  if (!newline && searched == line_begin) return false;
  end_ = newline ? static_cast<std::size_t>(newline - buffer_.data()) : filled_;
  next_ = newline ? end_ + 1 : filled_;
  const std::size_t begin = begin_ + line_begin;
  if (end_ > begin && buffer_[end_ - 1] == '\r') --end_;
  if (std::memchr(buffer_.data() + begin, '\0', end_ - begin)) {
    throw error("the line holds a NUL byte: the file is no text in ASCII or UTF-8, or it is damaged");
  }
  ++lines_;
  return true;
}

/// Moves the current line to the front of the buffer and reads more of the file behind it. Returns false at the end of
/// the file.
bool TextLines::fill() {
  const std::size_t kept = filled_ - begin_;
  if (kept > longest_line) {
    throw error("the line is longer than " + std::to_string(longest_line >> 20) +
                " MiB: this is no table in text, or it has a quote that is never closed");
  }
  std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  end_ -= begin_;
  next_ -= begin_;
  begin_ = 0;
  filled_ = kept;
  if (buffer_.size() < kept + piece_) buffer_.resize(2 * buffer_.size());
  const std::size_t got = file_.read({buffer_.data() + filled_, piece_});
  filled_ += got;
  bytes_read_ += static_cast<std::int64_t>(got);
  return got > 0;
}

Error TextLines::error_at(std::int64_t line, const std::string& problem) const {
  return {ErrorKind::input, file_.path() + ":" + std::to_string(line) + ": " + problem};
}

}  // namespace srcextract
