#pragma once

#include <cstddef>

#include "cuda/device/check.hpp"
#include "stages/core/buffer.hpp"

namespace srcextract {

/// Calls an algorithm of CUB twice, as CUB requires: first to get the size of its scratch memory, then to run with that
/// memory.
template <class F>
void with_scratch(const Gpu& where, const F& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  Buffer<std::byte, Gpu> scratch(static_cast<std::int64_t>(bytes), where);
  check(call(scratch.data(), bytes));
}

}  // namespace srcextract
