#pragma once

#include <cstdint>

namespace srcextract {

/// The address space in bytes that `ulimit -v` leaves to this process, or the largest integer without such a limit.
std::int64_t left_of_address_space();

}  // namespace srcextract
