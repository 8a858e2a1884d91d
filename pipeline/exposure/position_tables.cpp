#include "pipeline/exposure/position_tables.hpp"

#include <utility>

namespace srcextract {

std::shared_ptr<const PositionList> PositionTables::read(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    if (kept_ && kept_->path == path) return kept_;
    const auto known = tables_.find(path);
    if (known != tables_.end())
      if (std::shared_ptr<const PositionList> table = known->second.lock()) return table;
  }
  // Reads without the lock, so that threads can read different tables at the same time.
  const auto table = std::make_shared<const PositionList>(read_positions(path, room_));
  const std::lock_guard lock(mutex_);
  std::erase_if(tables_, [](const auto& entry) { return entry.second.expired(); });
  tables_[path] = table;
  last_ = table;
  return table;
}

void PositionTables::keep(std::shared_ptr<const PositionList> list) {
  const std::lock_guard lock(mutex_);
  kept_ = std::move(list);
}

}  // namespace srcextract
