#pragma once

#include <cstddef>
#include <functional>

namespace srcextract {

/// Calls body(i) for every i from 0 to count - 1, in parallel on up to 32 threads, whatever the number of cores. Bodies
/// are expected to wait most of the time, for example for a network file system. If bodies throw, waits for all started
/// calls, and then rethrows the exception of the smallest i. All calls for smaller i were then made, as in a loop.
void wait_together(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace srcextract
