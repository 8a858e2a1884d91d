#pragma once

#include <cstdint>
#include <functional>

#include "stages/core/exec.hpp"

namespace srcextract {

/// Calls body(begin, end) over [0, count) in pieces of at most `grain`, on at most `where.threads` threads; returns
/// when all are done. Pieces begin at multiples of `grain`, so what a piece covers does not depend on the threads.
/// The first exception of a body is rethrown here.
void parallel_for(std::int64_t count, std::int64_t grain, const Cpu& where,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

/// The number of hardware threads this process may use (its CPU affinity, as Slurm sets it).
int available_threads();

/// The largest number of threads, at most `wanted` and at least 1, that this process can have at once just now. Login
/// nodes and batch systems limit processes and memory, and TBB aborts where it may not start a thread.
int startable_threads(int wanted);

}  // namespace srcextract
