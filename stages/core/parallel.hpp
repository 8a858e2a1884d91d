#pragma once

#include <cstdint>
#include <functional>

#include "stages/core/exec.hpp"

namespace srcextract {

/// Calls body(begin, end) for pieces of the range 0 to count - 1, of at most `grain` elements, on at most
/// `where.threads` threads. Returns when all pieces are done. Pieces begin at multiples of `grain`, so they do not
/// depend on the number of threads. The first exception that a body throws is rethrown. Throws Stopped if the caller's
/// work is asked to stop.
void parallel_for(std::int64_t count, std::int64_t grain, const Cpu& where,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

/// The number of hardware threads that this process may use (its CPU affinity, which Slurm sets, for example).
int available_threads();

/// The largest number of threads, from 1 to `wanted`, that this process can start at the moment. Login nodes and batch
/// systems limit processes and memory, and TBB aborts if it cannot start a thread.
int startable_threads(int wanted);

}  // namespace srcextract
