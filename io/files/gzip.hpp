#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace srcextract {

/// Returns true if the bytes begin with gzip's magic number.
bool is_gzip(std::span<const std::byte> bytes);

struct Inflated {
  std::shared_ptr<const std::byte> bytes;
  std::int64_t size = 0;
};

/// Decides how far to inflate: receives all bytes inflated so far and returns how many inflated bytes must exist before
/// the next call. A result of at most `so_far.size()` ends the inflation.
using SizeNeeded = std::function<std::int64_t(std::span<const std::byte> so_far)>;

/// Copies the next gzipped bytes, at most `room`, to `out`. Returns the number of bytes copied, 0 at the end.
using GzipSource = std::function<std::int64_t(std::byte* out, std::int64_t room)>;

/// Inflates all members of a gzip file of `stored_size` bytes, or as many bytes as `needed` asks for. Error messages
/// name `path`. The memory in use grows with the inflated bytes. After the needed bytes, up to 16 MiB more are inflated
/// and dropped. If the file ends there, its checksum is verified. Throws Error{input} if the file is damaged or cut
/// short, Error{memory} if there is not enough memory.
Inflated inflate_gzip(const GzipSource& source, std::int64_t stored_size, SizeNeeded needed, const std::string& path);

/// Inflates one gzip member to `out` and verifies the checksum. Returns the number of inflated bytes, or -1 if the
/// member is damaged, cut short, or larger than `out`. Returns -1 also if `stored` is longer than 1 GiB, or `out` than
/// 4 GiB - 1 byte.
std::int64_t inflate_member(std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace srcextract
