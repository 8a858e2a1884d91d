#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"

struct CUevent_st;

namespace srcextract {

/// Functions for device memory shared with another library, such as an array of the caller that srcextract reads, or an
/// array of srcextract that the caller reads.

/// Queues a copy of `rows` rows of `row_bytes` bytes each, from device memory to device memory. Rows of `from` begin
/// `step` bytes apart; rows of `to` follow each other without gaps. Unless `after` is null, the copy waits for that
/// event.
void copy_rows(const void* from, std::int64_t step, std::int64_t row_bytes, std::int64_t rows, CUevent_st* after,
               void* to, const Gpu& where);

/// Waits until the current device of this thread has done all work in all streams.
void wait_for_device() noexcept;

}  // namespace srcextract
