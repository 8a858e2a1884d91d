#include "survey/inputs/wait_together.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "stages/core/stop.hpp"

namespace srcextract {
namespace {

constexpr std::size_t most_threads = 32;
/// There is one thread, the caller's included, for every `least_of_thread` calls; so few are enough since calls mostly
/// wait for a disk. A thread takes `at_a_time` consecutive calls and makes them one after the other.
constexpr std::size_t least_of_thread = 8, at_a_time = 4;

}  // namespace

void wait_together(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  std::atomic<std::size_t> failed = std::numeric_limits<std::size_t>::max();
  const auto work = [&] {
    for (std::size_t begin; (begin = next.fetch_add(at_a_time)) < std::min(count, failed.load());) {
      for (std::size_t i = begin; i < std::min(begin + at_a_time, count) && i < failed; ++i) {
        try {
          body(i);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (i >= failed) continue;
          failed = i;
          error = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min(count / least_of_thread, most_threads))
        others.emplace_back([&, stop = stop_of_thread] {
          const StopScope of_caller(stop);
          work();
        });
    } catch (const std::system_error&) {
      // The system allows no more threads, so the existing threads do all the work.
    }
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace srcextract
