#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace srcextract {

/// The FITS checksum (FITS Standard 4.0, 4.4.2.7 and Appendix J): the ones' complement sum of big-endian 32-bit words,
/// the last padded with zeros. Bytes may come in pieces, in any order, from several threads.
class Datasum {
 public:
  /// With `whole` > 0, bytes added after all `whole` bytes were summed are ignored, so data may be read again.
  explicit Datasum(std::int64_t whole = 0) : whole_(whole) {}

  /// Adds bytes [offset, offset + count) of the data.
  void add(std::int64_t offset, const std::byte* bytes, std::int64_t count);

  /// The sum, if bytes [0, bytes) were added exactly once each.
  std::optional<std::uint32_t> of(std::int64_t bytes) const;

 private:
  mutable std::mutex mutex_;
  std::int64_t whole_;
  std::atomic<bool> complete_ = false;
  std::uint64_t sum_ = 0;
  std::uint64_t ends_ = 0;  ///< fingerprint of the byte ranges added
};

}  // namespace srcextract
