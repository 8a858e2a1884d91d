#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace srcextract {

/// Writes a file that is either complete or not there: to a temporary name beside `path`, flushed, then renamed over
/// it by commit(). Destroyed without commit() it leaves nothing. Throws Error{output} naming the path and the reason.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace srcextract
