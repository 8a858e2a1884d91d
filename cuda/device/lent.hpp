#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"

struct CUevent_st;

namespace srcextract {

/// Functions for device memory shared with other code: arrays of a caller that are read here, and our arrays that a
/// caller reads.

/// Queues a copy of `rows` rows of `row_bytes` bytes each. In `from` rows begin `step` bytes apart; in `to` they are
/// consecutive. The copy waits for the event `after`, unless it is null. Both arrays are on the device.
void copy_rows(const void* from, std::int64_t step, std::int64_t row_bytes, std::int64_t rows, CUevent_st* after,
               void* to, const Gpu& where);

/// Waits for all work, in every stream, on the current device of this thread.
void wait_for_device() noexcept;

}  // namespace srcextract
