#include "stages/math/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "stages/math/ordered_key.hpp"

namespace srcextract {

namespace {

/// Number of bits of a digit. A 32-bit key has three digits.
constexpr int digit_bits = 11;
constexpr std::size_t digit_count = 3;
constexpr std::size_t bins = std::size_t{1} << digit_bits;

std::size_t digit(std::uint32_t key, std::size_t which) {
  return key >> (digit_bits * which) & (bins - 1);
}

}  // namespace

// The keys are sorted by their lowest digit first and by the highest digit last. Each pass is stable: keys with equal
// digits keep the order of the previous pass.
void radix_sort(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& scratch) {
  scratch.resize(keys.size());
  std::array<std::array<std::uint32_t, bins>, digit_count> counts{};
  for (const std::uint32_t key : keys) {
    for (std::size_t which = 0; which < digit_count; ++which) ++counts[which][digit(key, which)];
  }
  for (std::size_t which = 0; which < digit_count; ++which) {
    auto& next = counts[which];
    if (keys.empty() || next[digit(keys.front(), which)] == keys.size()) continue;
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::uint32_t{0});
    for (const std::uint32_t key : keys) scratch[next[digit(key, which)]++] = key;
    keys.swap(scratch);
  }
}

void radix_sort(std::vector<float>& values) {
  std::vector<std::uint32_t> keys(values.size()), scratch;
  std::ranges::transform(values, keys.begin(), ordered_key);
  radix_sort(keys, scratch);
  std::ranges::transform(keys, values.begin(), value_of_ordered_key);
}

}  // namespace srcextract
