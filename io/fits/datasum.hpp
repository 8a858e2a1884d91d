#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace srcextract {

/// The FITS checksum (FITS Standard 4.0, 4.4.2.7 and Appendix J): the ones' complement sum of big-endian 32-bit words,
/// the last word padded with zeros. Several threads may add pieces of the data at once, in any order.
class Datasum {
 public:
  /// If `whole` > 0, add() ignores all bytes added after the bytes [0, whole), so that a second reading of the data
  /// does not change the sum.
  explicit Datasum(std::int64_t whole = 0) : whole_(whole) {}

  /// Adds bytes [offset, offset + count) of the data to the sum.
  void add(std::int64_t offset, const std::byte* bytes, std::int64_t count);

  /// Returns the sum of the bytes [0, bytes), or nothing unless exactly these bytes were added, each once.
  std::optional<std::uint32_t> of(std::int64_t bytes) const;

  /// Forgets all bytes that were added.
  void restart();

 private:
  mutable std::mutex mutex_;
  std::int64_t whole_;
  std::atomic<bool> complete_ = false;
  std::uint64_t sum_ = 0;
  std::uint64_t ends_ = 0;  ///< sum of the fingerprints of the byte ranges added
};

}  // namespace srcextract
