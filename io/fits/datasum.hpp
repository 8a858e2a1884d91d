#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace srcextract {

/// The FITS checksum (FITS Standard 4.0, 4.4.2.7 and Appendix J) of bytes that come in pieces, in any order and from
/// several threads: the ones' complement sum of their big-endian 32-bit words, the last one filled up with zeros.
class Datasum {
 public:
  /// Of data that may be read again after all of its `whole` bytes were added: what comes then is none of the sum.
  explicit Datasum(std::int64_t whole = 0) : whole_(whole) {}

  /// Bytes [offset, offset + count) of the data.
  void add(std::int64_t offset, const std::byte* bytes, std::int64_t count);

  /// The sum, if what was added is bytes [0, bytes), each once.
  std::optional<std::uint32_t> of(std::int64_t bytes) const;

 private:
  mutable std::mutex mutex_;
  std::int64_t whole_;
  std::atomic<bool> complete_ = false;
  std::uint64_t sum_ = 0;
  std::uint64_t ends_ = 0;  ///< tells which bytes were added
};

}  // namespace srcextract
