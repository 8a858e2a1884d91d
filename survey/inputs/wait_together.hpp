#pragma once

#include <cstddef>
#include <functional>

namespace srcextract {

/// Calls body(i) for every i from 0 to count, on up to 32 threads regardless of the number of cores. Bodies mostly
/// wait, as for a network file system. Rethrows the exception of the least i after all started calls have ended. As in
/// a loop, all earlier i were done.
void wait_together(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace srcextract
