#include "pipeline/machine/memory_budget.hpp"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "stages/core/address_space.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Reads the first word of a file, or the word after `name`, as an integer. Empty if that word is missing or no
/// integer.
std::optional<std::int64_t> number_in(const std::string& path, const std::string& name = "") {
  std::ifstream file(path);
  std::string word;
  while (!name.empty() && word != name && file >> word) continue;
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// Bytes left to a control group: the limit minus the usage. Page cache does not count as usage, since the kernel
/// releases cached pages when memory is needed.
std::optional<std::int64_t> left_in_group(const std::string& directory, const std::string& limit,
                                          const std::string& usage) {
  const std::optional<std::int64_t> most = number_in(directory + "/" + limit);
  const std::optional<std::int64_t> used = number_in(directory + "/" + usage);
  if (!most || !used) return std::nullopt;
  const std::int64_t cache = number_in(directory + "/memory.stat", "inactive_file").value_or(0) +
                             number_in(directory + "/memory.stat", "active_file").value_or(0);
  return std::max<std::int64_t>(0, *most - (*used - cache));
}

/// The least memory in bytes left to any control group of this process, or the largest integer if no group has a limit.
/// Reads the files of control groups of version 2 and version 1 (cgroups(7)).
std::int64_t left_in_groups() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool second_version = line.starts_with("0::");
    const std::size_t memory = line.find(":memory:");
    if (!second_version && memory == std::string::npos) continue;
    std::string path = second_version ? line.substr(3) : line.substr(memory + 8);
    for (;; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      const std::optional<std::int64_t> left =
          second_version
              ? left_in_group("/sys/fs/cgroup" + path, "memory.max", "memory.current")
              : left_in_group("/sys/fs/cgroup/memory" + path, "memory.limit_in_bytes", "memory.usage_in_bytes");
      if (left) least = std::min(least, *left);
      if (path.empty()) break;
    }
  }
  return least;
}

}  // namespace

MemoryBudget::Share::Share(Share&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryBudget::Share& MemoryBudget::Share::operator=(Share&& other) noexcept {
  shrink(0);
  budget_ = std::exchange(other.budget_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void MemoryBudget::Share::shrink(std::int64_t bytes) {
  if (budget_ == nullptr || bytes >= bytes_) return;
  budget_->give_back(bytes_ - bytes);
  bytes_ = bytes;
}

void MemoryBudget::check(std::int64_t bytes) const {
  if (bytes > bytes_ && strict_)
    throw Error(ErrorKind::memory, fmt::format("it needs about {} MB of memory, and {} {}; allow more, or "
                                               "use a machine that has more",
                                               bytes / 1'000'000 + 1, limit_,
                                               bytes_ < 1'000'000 ? fmt::format("{} bytes", bytes_)
                                                                  : fmt::format("{} MB", bytes_ / 1'000'000)));
}

MemoryBudget::Share MemoryBudget::take(std::int64_t bytes) {
  check(bytes);
  if (bytes == 0) return {};
  const std::int64_t granted = std::min(bytes, bytes_);
  std::unique_lock lock(mutex_);
  const std::uint64_t number = last_++;
  changed_.wait(lock, [&] { return serving_ == number && free_ >= granted; });
  free_ -= granted;
  ++serving_;
  changed_.notify_all();
  return {this, granted};
}

void MemoryBudget::give_back(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  free_ += bytes;
  changed_.notify_all();
}

AvailableMemory available_memory() {
  // Tolerance of 64 MiB: some containers report about the system's memory as their limit, and the two numbers change
  // between the readings.
  constexpr std::int64_t moves_meanwhile = std::int64_t{1} << 26;
  const std::optional<std::int64_t> kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  const std::int64_t everything = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const std::int64_t of_system = kilobytes ? *kilobytes * 1024 : everything / 2, of_groups = left_in_groups();
  const std::int64_t of_space = left_of_address_space();
  if (of_space < std::min(of_system, of_groups)) return {of_space, "`ulimit -v` allows", true};
  const bool by_group = of_groups < everything && of_groups - moves_meanwhile <= of_system;
  return {std::min(of_system, of_groups), by_group ? "its control group (a container, a Slurm job) allows" : ""};
}

}  // namespace srcextract
