#pragma once

#include <cstdint>
#include <functional>

#include "stages/core/exec.hpp"

namespace srcextract {

/// Divides the indices 0 to count - 1 into pieces of `grain` indices (the last piece may be shorter) and calls
/// body(begin, end) for each piece. At most `where.threads` threads make these calls. The pieces do not depend on the
/// number of threads. Returns when all pieces are done. Rethrows the first exception that a body throws. Throws Stopped
/// if the stop flag of the caller is set (stop.hpp).
void parallel_for(std::int64_t count, std::int64_t grain, const Cpu& where,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

/// The number of processors in the CPU affinity of this process, which a batch system such as Slurm may limit. At least
/// 1.
int available_threads();

/// The largest number of threads, from 1 to `wanted`, that this process can start at the moment. Login nodes and batch
/// systems limit threads and memory, and TBB aborts the process if it cannot start a thread.
int startable_threads(int wanted);

}  // namespace srcextract
