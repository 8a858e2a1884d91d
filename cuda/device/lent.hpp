#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"

struct CUevent_st;

namespace srcextract {

/// Device memory shared with other code: arrays of a caller that are read here, and arrays of ours that a caller reads.

/// Queues a copy of `rows` rows of `row_bytes` bytes from `from`, where rows begin `step` bytes apart, to consecutive
/// rows in `to`. The copy waits for the event `after`, unless `after` is null. Both arrays lie on the device.
void copy_rows(const void* from, std::int64_t step, std::int64_t row_bytes, std::int64_t rows, CUevent_st* after,
               void* to, const Gpu& where);

/// Waits for all work on the device of this thread, in every stream.
void wait_for_device() noexcept;

}  // namespace srcextract
