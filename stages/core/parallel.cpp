#include "stages/core/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "stages/core/stop.hpp"

#if defined(SRCEXTRACT_SANITIZED_THREADS)
#include <atomic>
#else
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#endif

namespace srcextract {
namespace {

using Piece = std::function<void(std::int64_t)>;

#if defined(SRCEXTRACT_SANITIZED_THREADS)
// Under ThreadSanitizer, plain threads do the work of parallel_for(). TBB is not built for ThreadSanitizer, which would
// report TBB's transfer of work between threads as a race. The relaxed counter `next` orders no other memory accesses,
// so ThreadSanitizer still sees all races of this program.
void run_pieces(std::int64_t pieces, int threads, const Piece& run_piece) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr first_error;
  const auto work = [&] {
    try {
      for (std::int64_t piece; (piece = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) run_piece(piece);
    } catch (...) {
      next = pieces;
      const std::lock_guard lock(mutex);
      if (!first_error) first_error = std::current_exception();
    }
  };
  std::vector<std::thread> team;
  for (int i = 1; i < threads; ++i) team.emplace_back(work);
  work();
  for (std::thread& thread : team) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}
#else
/// TBB arenas (groups of worker threads), one for each calling thread and number of threads. Making an arena for every
/// loop instead costs more than many loops do, and the cost grows. With one arena for all, callers would share its
/// threads.
class Arenas {
 public:
  tbb::task_arena& of(int threads) {
    const std::lock_guard lock(mutex_);
    if (threads > most_) {
      // Without this setting, TBB prints a warning and uses fewer threads if `threads` exceeds the number of
      // processors.
      allow_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
      most_ = threads;
    }
    return arenas_.try_emplace(std::pair(std::this_thread::get_id(), threads), threads).first->second;
  }

 private:
  std::mutex mutex_;
  int most_ = 0;
  std::optional<tbb::global_control> allow_;
  std::map<std::pair<std::thread::id, int>, tbb::task_arena> arenas_;
};

void run_pieces(std::int64_t pieces, int threads, const Piece& run_piece) {
  static Arenas arenas;
  arenas.of(threads).execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, pieces, 1),
        [&](const tbb::blocked_range<std::int64_t>& range) {
          for (std::int64_t piece = range.begin(); piece < range.end(); ++piece) run_piece(piece);
        },
        tbb::simple_partitioner());
  });
}
#endif

}  // namespace

void parallel_for(std::int64_t count, std::int64_t grain, const Cpu& where,
                  const std::function<void(std::int64_t, std::int64_t)>& body) {
  const std::int64_t pieces = (count + grain - 1) / grain;
  const std::atomic<bool>* const stop = stop_of_thread;
  const auto run_piece = [&](std::int64_t piece) {
    const StopScope of_caller(stop);  // the thread belongs to a pool, and its stop flag may be that of another caller
    stop_if_asked();
    body(piece * grain, std::min(count, (piece + 1) * grain));
  };
  if (where.threads <= 1 || pieces <= 1) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) run_piece(piece);
    return;
  }
  run_pieces(pieces, where.threads, run_piece);
}

int available_threads() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // sched_getaffinity fails on machines with more processors than fit in a cpu_set_t.
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
    // The system cannot start more threads or has no memory for them. The result is the number of threads so far.
  }
  enough.set_value();
  return static_cast<int>(threads.size()) + 1;
}

}  // namespace srcextract
