#include "python/core/archive.hpp"

#include <mutex>
#include <set>

namespace srcextract::python {

void ArchiveReader::text(const char*& text) {
  // Names and descriptions of columns, of which there are few: kept for as long as the program runs.
  static std::mutex mutex;
  static std::set<std::string, std::less<>> known;
  std::string read;
  (*this)(read);
  const std::lock_guard lock(mutex);
  text = known.insert(std::move(read)).first->c_str();
}

}  // namespace srcextract::python
