#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct z_stream_s;

namespace srcextract {

/// Compresses bytes, given in pieces, into one gzip member. The gzip header holds no file name and no date. The result
/// depends only on the bytes, on how the bytes are cut into pieces, and on the version of zlib. The level is zlib's
/// fastest: a slower level makes images of the sky only 1 % smaller (measured).
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// Compresses a piece and returns the compressed bytes that are ready; `last` completes the member. The span is valid
  /// until the next call.
  std::span<const std::byte> add(std::span<const std::byte> bytes, bool last);

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::vector<std::byte> made_;
};

/// Compresses all bytes into one gzip member.
std::vector<std::byte> gzip_of(std::span<const std::byte> bytes);

}  // namespace srcextract
