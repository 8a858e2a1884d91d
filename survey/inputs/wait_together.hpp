#pragma once

#include <cstddef>
#include <functional>

namespace srcextract {

/// Calls body(i) for every i from 0 to count, on up to 32 threads regardless of the number of cores. Bodies mostly
/// wait, as for a network file system. If bodies throw, waits for all calls that have started, then rethrows the
/// exception of the least i. As in a loop, all calls before that i were done.
void wait_together(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace srcextract
