#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "pipeline/exposure/position_list.hpp"

namespace srcextract {

/// The tables of positions of a run, each of which may be that of one image, or of all.
class PositionTables {
 public:
  /// Each table may take so many bytes.
  explicit PositionTables(std::int64_t room = std::numeric_limits<std::int64_t>::max()) : room_(room) {}

  /// The table at `path`, read (read_positions) unless an image that is under way has it, or it was the last. From
  /// several threads. Throws what reading it throws.
  std::shared_ptr<const PositionList> read(const std::string& path);

  /// Has this list for the table at its path, of which there may be no file.
  void keep(std::shared_ptr<const PositionList> list);

 private:
  std::int64_t room_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const PositionList>> tables_;  ///< of images that are under way
  std::shared_ptr<const PositionList> last_;
  std::shared_ptr<const PositionList> kept_;
};

}  // namespace srcextract
