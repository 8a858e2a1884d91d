#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"

struct CUevent_st;

namespace srcextract {

/// Memory of a device that lies in somebody else's hands: theirs that is read, and ours that they read.

/// Copies rows of so many bytes, that begin `step` bytes apart, to one after the other, after the event, which may be
/// null. Both lie on the device.
void copy_rows(const void* from, std::int64_t step, std::int64_t row_bytes, std::int64_t rows, CUevent_st* after,
               void* to, const Gpu& where);

/// Waits for everything that the device of this thread has to do, in whosever streams.
void wait_for_device() noexcept;

}  // namespace srcextract
