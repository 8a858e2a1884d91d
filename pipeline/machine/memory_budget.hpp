#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace srcextract {

/// Limits the bytes of host memory that images extracted in parallel take together. Callers wait until memory is free,
/// in the order of their calls, so that small images cannot delay a large image without end.
class MemoryBudget {
 public:
  /// With `strict`, a caller that takes more than `bytes` gets an error. Without `strict`, that caller gets the whole
  /// budget, and no other caller gets memory meanwhile. Error messages cite `limit` as the origin of the limit.
  MemoryBudget(std::int64_t bytes, bool strict, std::string limit = "--memory allows")
      : bytes_(std::max<std::int64_t>(bytes, 1)), free_(bytes_), strict_(strict), limit_(std::move(limit)) {}

  /// Reserved bytes of a budget. The destructor returns the bytes to the budget, which must outlive this object.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;
    ~Share() { shrink(0); }

    /// Returns all but `bytes` bytes to the budget; does nothing if fewer are reserved.
    void shrink(std::int64_t bytes);

   private:
    friend class MemoryBudget;
    Share(MemoryBudget* budget, std::int64_t bytes) : budget_(budget), bytes_(bytes) {}
    MemoryBudget* budget_ = nullptr;
    std::int64_t bytes_ = 0;
  };

  /// Reserves `bytes`, after waiting until so many bytes are free; returns at once for 0 bytes. Throws Error{memory} if
  /// the budget is strict and smaller than `bytes`.
  Share take(std::int64_t bytes);

  /// Throws Error{memory} if the budget is strict and smaller than `bytes`.
  void check(std::int64_t bytes) const;

  std::int64_t bytes() const { return bytes_; }
  bool strict() const { return strict_; }

 private:
  void give_back(std::int64_t bytes);

  const std::int64_t bytes_;
  std::int64_t free_;
  const bool strict_;
  const std::string limit_;
  /// Numbers of calls of take(), from 0: the number of the next call, and the number of the call that may reserve next.
  std::uint64_t last_ = 0, serving_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Host memory that this process can still get.
struct AvailableMemory {
  std::int64_t bytes;
  /// What sets a limit that this process must not exceed, for messages: a control group (Slurm, a container), beyond
  /// whose limit the kernel kills the process, or `ulimit -v`, beyond which it gets no memory. Empty without a limit.
  std::string limited_by;
  bool of_addresses = false;  ///< whether that limit is `ulimit -v`
};

/// Host memory that this process can still get: the least of the system's available memory, of what is left to the
/// process's control group, and of the address space that `ulimit -v` leaves.
AvailableMemory available_memory();

}  // namespace srcextract
