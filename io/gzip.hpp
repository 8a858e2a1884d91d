#pragma once

#include <cstddef>
#include <cstdint>
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

/// Inflates a gzip file, all its members; `path` is for messages. Throws Error{input} if it is damaged or cut short.
Inflated inflate_gzip(std::span<const std::byte> stored, const std::string& path);

/// The number of bytes that one gzip member holds, found by inflating it and checking its checksum; -1 if it is damaged
/// or cut short, or holds more than `limit`.
std::int64_t inflated_size(std::span<const std::byte> stored, std::int64_t limit);

}  // namespace srcextract
