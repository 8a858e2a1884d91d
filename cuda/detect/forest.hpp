#pragma once

#include <cstdint>

namespace srcextract {

/// A union-find over runs, stored as the parent of each run, which many threads join at once without locks. A parent is
/// never later than its child, so the root is the first run of its tree. A parent that is read while other threads join
/// may be out of date, but is still an ancestor.

/// Finds the roots of N runs together, so that their loads overlap. Every ancestor on the way becomes the run's parent.
/// If all runs of a tree do this at once, paths halve with every step.
template <int N>
__device__ void find_roots(std::uint32_t* parent, const std::uint32_t (&run)[N], std::uint32_t (&root)[N]) {
  volatile std::uint32_t* p = parent;
#pragma unroll
  for (int k = 0; k < N; ++k) root[k] = p[run[k]];
  for (bool arrived = false; !arrived;) {
    arrived = true;
    std::uint32_t next[N];
#pragma unroll
    for (int k = 0; k < N; ++k) next[k] = p[root[k]];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (next[k] == root[k]) continue;
      root[k] = next[k];
      p[run[k]] = next[k];
      arrived = false;
    }
  }
}

__device__ inline std::uint32_t find_root(std::uint32_t* parent, std::uint32_t run) {
  const std::uint32_t runs[] = {run};
  std::uint32_t root[1];
  find_roots(parent, runs, root);
  return root[0];
}

/// Finds the root of a run, and halves the path for later searches: a run that is not a root gets its grandparent as
/// parent. Such a run never becomes a root again. If this overwrites a parent that `join` has just written, nothing is
/// lost: `join` goes on with the root that it has found.
__device__ inline std::uint32_t find_root_halving(std::uint32_t* parent, std::uint32_t run) {
  volatile std::uint32_t* p = parent;
  for (;;) {
    const std::uint32_t next = p[run];
    if (next == run) return run;
    const std::uint32_t after = p[next];
    if (after == next) return next;
    p[run] = after;
    run = after;
  }
}

/// Joins the trees of two runs without locks (Komura 2015; Playne and Hawick 2018). The later root takes the earlier
/// one as its parent. If another thread has changed the later root meanwhile, its new parent is joined instead. The
/// final root is therefore the component's first run under any schedule.
__device__ inline void join(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = find_root_halving(parent, a);
    b = find_root_halving(parent, b);
    if (a == b) return;
    const std::uint32_t first = min(a, b);
    const std::uint32_t second = max(a, b);
    const std::uint32_t seen = atomicMin(&parent[second], first);
    if (seen == second) return;
    a = first;
    b = seen;
  }
}

}  // namespace srcextract
