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
  std::int64_t size = 0;
};

/// Told what has been inflated so far, says how many bytes are needed before it is to be asked again; not more than
/// there are if these are all that is wanted.
using SizeNeeded = std::function<std::int64_t(std::span<const std::byte> so_far)>;

/// Where gzipped bytes come from: copies the next ones, at most `room`, to `out`, and returns how many; 0 at the end.
using GzipSource = std::function<std::int64_t(std::byte* out, std::int64_t room)>;

/// Inflates a gzip file of `stored_size` bytes, all its members, or as much as is `needed`; `path` is for messages.
/// Memory is taken as the bytes come. Some MB beyond what is needed are inflated, and not kept, to come to the checksum
/// at the end; what goes on for longer is left. Throws Error{input} if it is damaged or cut short, Error{memory} if
/// there is not enough memory.
Inflated inflate_gzip(const GzipSource& source, std::int64_t stored_size, SizeNeeded needed, const std::string& path);

/// Inflates one gzip member, whose checksum is checked, to `out`, and returns the number of its bytes; -1 if it is
/// damaged or cut short, or holds more.
std::int64_t inflate_member(std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace srcextract
