#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace srcextract {

/// Limits the bytes of host memory that parallel images take together. Callers wait until memory is free, first come
/// first served, so that a large image has its turn among many small ones.
class MemoryBudget {
 public:
  /// From a `strict` budget no caller gets more than all of it. Without `strict`, a larger request gets the whole
  /// budget alone. `limit` says in messages where the limit comes from.
  MemoryBudget(std::int64_t bytes, bool strict, std::string limit = "--memory allows")
      : bytes_(std::max<std::int64_t>(bytes, 1)), free_(bytes_), strict_(strict), limit_(std::move(limit)) {}

  /// Reserved bytes, given back when destroyed.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;
    ~Share() { shrink(0); }

    /// Gives back all but `bytes`.
    void shrink(std::int64_t bytes);

   private:
    friend class MemoryBudget;
    Share(MemoryBudget* budget, std::int64_t bytes) : budget_(budget), bytes_(bytes) {}
    MemoryBudget* budget_ = nullptr;
    std::int64_t bytes_ = 0;
  };

  /// Waits until `bytes` are free and takes them; 0 bytes need no wait. Throws Error{memory} if a strict budget is
  /// smaller than `bytes`.
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
  std::uint64_t last_ = 0, serving_ = 0;  ///< tickets: the last one given out, the one being served
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Memory that a process can still get.
struct AvailableMemory {
  std::int64_t bytes;
  bool by_group;  ///< whether a control group (Slurm, a container) sets the limit, beyond which the system kills the
                  ///< process
};

/// Memory that this process can still get: the system's available memory, or the control group's limit if that is less.
AvailableMemory available_memory();

}  // namespace srcextract
