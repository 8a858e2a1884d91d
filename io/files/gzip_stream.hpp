#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct z_stream_s;

namespace srcextract {

/// Compresses bytes that come in pieces into one gzip member. The header has no name and no date. The result depends
/// only on the bytes, on how they are cut into pieces, and on zlib. The level is zlib's fastest: a slower level makes
/// images of the sky only 1 % smaller.
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// Returns the bytes that this piece adds to the member; `last` completes it. The span is valid until the next call.
  std::span<const std::byte> add(std::span<const std::byte> bytes, bool last);

 private:
  std::unique_ptr<z_stream_s> stream_;
  std::vector<std::byte> made_;
};

/// Compresses all bytes into one member.
std::vector<std::byte> gzip_of(std::span<const std::byte> bytes);

}  // namespace srcextract
