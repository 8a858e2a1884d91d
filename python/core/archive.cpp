#include "python/core/archive.hpp"

#include <mutex>
#include <set>

namespace srcextract::python {

void ArchiveReader::text(const char*& text) {
  // The texts are names and descriptions of columns. All different texts together are few, and are kept until the
  // program ends.
  static std::mutex mutex;
  static std::set<std::string, std::less<>> known;
  std::string read;
  (*this)(read);
  const std::lock_guard lock(mutex);
  text = known.insert(std::move(read)).first->c_str();
}

}  // namespace srcextract::python
