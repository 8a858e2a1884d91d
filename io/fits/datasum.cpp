#include "io/fits/datasum.hpp"

#include <bit>
#include <cstring>

#include "stages/core/vector_clones.hpp"
#include "stages/math/splitmix64.hpp"

namespace srcextract {
namespace {

/// Returns the sum of big-endian 32-bit words. The sum cannot overflow as long as there are at most 2^32 words.
SRCEXTRACT_VECTOR_CLONES std::uint64_t sum_words(const std::byte* bytes, std::int64_t words) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    std::uint32_t word;
    std::memcpy(&word, bytes + 4 * i, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
    sum += word;
  }
  return sum;
}

/// Reduces a sum to 32 bits by ones' complement addition: the carries beyond bit 31 are added at bit 0.
std::uint32_t fold(std::uint64_t sum) {
  while (sum >> 32) sum = (sum & 0xffffffff) + (sum >> 32);
  return static_cast<std::uint32_t>(sum);
}

/// Returns a fingerprint of the range [begin, end): the difference of the hashes of its two ends. The sum of the
/// fingerprints of adjacent ranges is the fingerprint of the joined range, because the hashes of inner ends cancel.
std::uint64_t ends(std::int64_t begin, std::int64_t end) {
  return splitmix64(end) - splitmix64(begin);
}

}  // namespace

void Datasum::add(std::int64_t offset, const std::byte* bytes, std::int64_t count) {
  if (count == 0 || complete_) return;  // without bytes the address may be null, and memcpy must not get null
  const std::int64_t words = count / 4;
  std::byte rest[4] = {};
  std::memcpy(rest, bytes + 4 * words, static_cast<std::size_t>(count % 4));
  // A piece at offset k modulo 4 was summed as if it began a word, so that each byte counts 2^8k times too much. In
  // ones' complement arithmetic, a rotation to the right by 8k bits divides by 2^8k.
  const std::uint32_t sum =
      std::rotr(fold(sum_words(bytes, words) + sum_words(rest, 1)), static_cast<int>(offset % 4) * 8);
  const std::lock_guard lock(mutex_);
  sum_ = fold(sum_ + sum);
  ends_ += ends(offset, offset + count);
  complete_ = whole_ > 0 && ends_ == ends(0, whole_);
}

std::optional<std::uint32_t> Datasum::of(std::int64_t bytes) const {
  const std::lock_guard lock(mutex_);
  if (ends_ != ends(0, bytes)) return std::nullopt;
  return static_cast<std::uint32_t>(sum_);
}

void Datasum::restart() {
  const std::lock_guard lock(mutex_);
  sum_ = ends_ = 0;
  complete_ = false;
}

}  // namespace srcextract
