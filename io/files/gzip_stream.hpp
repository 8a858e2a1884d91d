#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct z_stream_s;

namespace srcextract {

/// Makes one gzip member of bytes that come in pieces. Its header has neither name nor date, so that it is a function
/// of the bytes, of the pieces that they come in, and of zlib. zlib's fastest level: of the pixels of a sky a slower
/// one saves 1 % more.
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// What these bytes add to the member, which is complete with the `last`; until the next call.
  std::span<const std::byte> add(std::span<const std::byte> bytes, bool last);

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::vector<std::byte> made_;
};

/// A whole member.
std::vector<std::byte> gzip_of(std::span<const std::byte> bytes);

}  // namespace srcextract
