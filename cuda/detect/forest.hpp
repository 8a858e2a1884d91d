#pragma once

#include <cstdint>

namespace srcextract {

/// A union-find forest over runs (consecutive foreground pixels of a row), stored as the parent of each run. Many
/// threads join trees at the same time, without locks. A parent's index is never larger than the child's, so the root
/// is the first run of its tree. A parent read while other threads join trees may be outdated, but is still an
/// ancestor.

/// Finds the roots of N runs at the same time, so that the latencies of their loads overlap. The run's parent is
/// replaced by each ancestor on the way. If all runs of a tree do this at the same time, each step halves the length of
/// all paths.
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

/// Finds the root of a run. On the way, a run that is no root gets its grandparent as parent, which halves the path for
/// later searches. Such a run never becomes a root again. If this write replaces a parent that join() has just written,
/// join() still succeeds, since it continues with the root that it has found.
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

/// Joins the trees of two runs without locks (Komura 2015; Playne and Hawick 2018). The later root gets the earlier
/// root as parent. If another thread has meanwhile given the later root a parent, that parent is joined with the
/// earlier root. The final root is the component's first run, whatever the order of threads.
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
