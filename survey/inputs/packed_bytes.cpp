#include "survey/inputs/packed_bytes.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace srcextract {
namespace {

constexpr std::size_t most_texts = 4096;

}  // namespace

PackedBytes::Place PackedBytes::add(const Writer& written) {
  const std::string& bytes = written.written();
  const std::size_t size = (bytes.size() + alignment - 1) / alignment * alignment;
  if (size > room_ - used_) {
    constexpr std::size_t most_chunks = std::size_t{1} << (std::numeric_limits<Place>::digits - bits_in_chunk);
    if (chunks_.size() == most_chunks) throw std::bad_alloc();
    room_ = std::max(chunk_bytes, size);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(room_));
    used_ = 0;
  }
  std::memcpy(chunks_.back().get() + used_, bytes.data(), bytes.size());
  const std::size_t place = ((chunks_.size() - 1) << bits_in_chunk) + std::exchange(used_, used_ + size) / alignment;
  return static_cast<Place>(place);
}

std::uint32_t PackedBytes::number_of(std::string_view text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  if (texts_.size() == most_texts) return 0;
  texts_.emplace_back(text);
  return numbers_.emplace(texts_.back(), static_cast<std::uint32_t>(texts_.size())).first->second;
}

}  // namespace srcextract
