#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace srcextract {

/// True if the bytes begin as every gzip file does.
bool is_gzip(std::span<const std::byte> bytes);

struct Inflated {
  std::shared_ptr<const std::byte> bytes;
  std::int64_t size = 0;  ///< zeros follow, as InputFile::records() says
};

/// Where gzipped bytes come from: copies the next ones, at most `room`, to `out`, and returns how many; 0 at the end.
using GzipSource = std::function<std::int64_t(std::byte* out, std::int64_t room)>;

/// Inflates a gzip file of `stored_size` bytes, all its members; `path` is for messages. Throws Error{input} if it is
/// damaged or cut short, Error{memory} if there is not enough memory.
Inflated inflate_gzip(const GzipSource& source, std::int64_t stored_size, const std::string& path);

/// The number of bytes that one gzip member holds, found by inflating it and checking its checksum; -1 if it is damaged
/// or cut short, or holds more than `limit`.
std::int64_t inflated_size(std::span<const std::byte> stored, std::int64_t limit);

}  // namespace srcextract
