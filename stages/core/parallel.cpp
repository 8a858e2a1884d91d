#include "stages/core/parallel.hpp"

#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <future>
#include <thread>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace srcextract {

namespace {

/// ThreadSanitizer does not see the synchronisation inside TBB's library; these say what it does: everything before
/// the loop happens before every piece, and every piece before the end of the loop.
#if defined(__SANITIZE_THREAD__)
void release_to(void* point) {
  __tsan_release(point);
}
void acquire_from(void* point) {
  __tsan_acquire(point);
}
#else
void release_to(void*) {}
void acquire_from(void*) {}
#endif

}  // namespace

void parallel_for(std::int64_t count, std::int64_t grain, const Cpu& where,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  const std::int64_t pieces = (count + grain - 1) / grain;
  const auto run_piece = [&](std::int64_t piece) { body(piece * grain, std::min(count, (piece + 1) * grain)); };
  if (where.threads <= 1 || pieces <= 1) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) run_piece(piece);
    return;
  }
  char start = 0;
  char finish = 0;
  release_to(&start);
  // Asked for more threads than there are processors, TBB would print a warning and use fewer.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(where.threads));
  tbb::task_arena arena(where.threads);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, pieces, 1),
        [&](const tbb::blocked_range<std::int64_t>& range) {
          acquire_from(&start);
          for (std::int64_t piece = range.begin(); piece < range.end(); ++piece) run_piece(piece);
          release_to(&finish);
        },
        tbb::simple_partitioner());
  });
  acquire_from(&finish);
}

int available_threads() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // Fails on machines of more processors than a cpu_set_t has.
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  return std::max(1, CPU_COUNT(&allowed));
}

int startable_threads(int wanted) {
  std::vector<std::jthread> threads;
  std::promise<void> enough;
  const std::shared_future<void> all_started = enough.get_future().share();
  try {
    while (static_cast<int>(threads.size()) + 1 < wanted) threads.emplace_back([all_started] { all_started.wait(); });
  } catch (const std::exception&) {
    // No more threads, or no more memory for them: these are how many there can be.
  }
  enough.set_value();
  return static_cast<int>(threads.size()) + 1;
}

}  // namespace srcextract
