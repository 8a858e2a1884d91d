#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "pipeline/exposure/position_list.hpp"

namespace srcextract {

/// The position tables of a run. All images may share one table, or each may have its own.
class PositionTables {
 public:
  /// `room`: bytes of memory that each table may take.
  explicit PositionTables(std::int64_t room = std::numeric_limits<std::int64_t>::max()) : room_(room) {}

  /// Returns the position table at `path`. Reads the file (read_positions) only if the table is not in memory: set by
  /// keep(), read last, or in use by an image. May be called from several threads. Throws the errors of
  /// read_positions().
  std::shared_ptr<const PositionList> read(const std::string& path);

  /// Keeps `list` as the table of its path, so that read() does not read a file for that path. Replaces the list of an
  /// earlier call.
  void keep(std::shared_ptr<const PositionList> list);

 private:
  std::int64_t room_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const PositionList>> tables_;  ///< tables that images may still use
  std::shared_ptr<const PositionList> last_;
  std::shared_ptr<const PositionList> kept_;
};

}  // namespace srcextract
