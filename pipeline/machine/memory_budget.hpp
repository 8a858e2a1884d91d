#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace srcextract {

/// Bytes of host memory that images under way may take together. Who needs some waits until they are free, first come
/// first served, so that a large image has its turn among many small ones.
class MemoryBudget {
 public:
  /// Nobody can have more than all of a `strict` budget; whoever needs more than another one has it alone. `limit` says
  /// in messages where it comes from.
  MemoryBudget(std::int64_t bytes, bool strict, std::string limit = "--memory allows")
      : bytes_(std::max<std::int64_t>(bytes, 1)), free_(bytes_), strict_(strict), limit_(std::move(limit)) {}

  /// Bytes in use, given back when destroyed.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;
    ~Share() { shrink(0); }

    /// Gives back all but so many.
    void shrink(std::int64_t bytes);

   private:
    friend class MemoryBudget;
    Share(MemoryBudget* budget, std::int64_t bytes) : budget_(budget), bytes_(bytes) {}
    MemoryBudget* budget_ = nullptr;
    std::int64_t bytes_ = 0;
  };

  /// Who needs nothing does not wait. Throws Error{memory} if a strict budget is smaller.
  Share take(std::int64_t bytes);

  /// Throws Error{memory} if it is strict and smaller than that.
  void check(std::int64_t bytes) const;

  std::int64_t bytes() const { return bytes_; }
  bool strict() const { return strict_; }

 private:
  void give_back(std::int64_t bytes);

  const std::int64_t bytes_;
  std::int64_t free_;
  const bool strict_;
  const std::string limit_;
  std::uint64_t last_ = 0, serving_ = 0;  ///< numbers of who came last and of whose turn it is
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Memory that a process can still have.
struct AvailableMemory {
  std::int64_t bytes;
  bool by_group;  ///< a control group (Slurm, a container) limits it: beyond that the system kills the process
};

/// Memory that this process can still have: what the system says is available, or less where a control group limits it.
AvailableMemory available_memory();

}  // namespace srcextract
