#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "pipeline/exposure/position_list.hpp"

namespace srcextract {

/// The position tables of a run. A table may serve one image or all images.
class PositionTables {
 public:
  /// `room`: bytes that each table may take.
  explicit PositionTables(std::int64_t room = std::numeric_limits<std::int64_t>::max()) : room_(room) {}

  /// Returns the position table at `path`. Reads the file (read_positions) unless that table is kept, was read last, or
  /// is in use by an image. May be called from several threads. Throws the errors of read_positions.
  std::shared_ptr<const PositionList> read(const std::string& path);

  /// Keeps this list for its path, in place of a list kept before, so that read() needs no file there.
  void keep(std::shared_ptr<const PositionList> list);

 private:
  std::int64_t room_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const PositionList>> tables_;  ///< of images that are under way
  std::shared_ptr<const PositionList> last_;
  std::shared_ptr<const PositionList> kept_;
};

}  // namespace srcextract
