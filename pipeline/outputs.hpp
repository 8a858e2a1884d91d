#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace srcextract {

/// Throws Error{config} if the log file, there or not yet, would be one of `outputs`.
void require_separate_log(const std::string& log, const std::vector<std::string>& outputs);

/// The files that no output may replace.
class KeptFiles {
 public:
  explicit KeptFiles(const std::vector<std::string>& paths);

  /// Throws Error{config} if one of `outputs` is one of these, by whatever path or link.
  void require_kept(const std::vector<std::string>& outputs) const;

 private:
  using Identity = std::pair<std::uintmax_t, std::uintmax_t>;  // device, inode
  static std::optional<Identity> identity(const std::string& path);

  std::map<Identity, std::string> path_of_;
};

/// Makes the directory if it is missing. Throws Error{output} if that fails or no file can be made in it.
void prepare_output_directory(const std::string& directory);

/// Makes the directory of an output if it is missing. Throws Error{output}.
void make_directory_of(const std::string& output);

}  // namespace srcextract
