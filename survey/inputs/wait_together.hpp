#pragma once

#include <cstddef>
#include <functional>

namespace srcextract {

/// Calls body(i) for every i from 0 to count, on up to 32 threads however few cores there are: for bodies that mostly
/// wait, as for a network file system. What is thrown for the least i is thrown here, when all that began have ended;
/// as in a loop, all before it were done.
void wait_together(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace srcextract
