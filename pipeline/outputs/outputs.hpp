#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/inputs/packed_bytes.hpp"

namespace srcextract {

/// A log file, there or not yet.
class LogFile {
 public:
  explicit LogFile(std::string path);

  /// Throws Error{config} if one of `files`, which the run writes, is this one, by whatever path. Files of other names
  /// cost no system call.
  void require_none_of(const std::vector<std::string>& files) const;

 private:
  std::string path_;
  std::filesystem::path place_;  ///< without links
};

/// The files that no output may replace.
class KeptFiles {
 public:
  explicit KeptFiles(const std::vector<std::string>& paths = {});

  /// One more, unless there is no such file.
  void add(const std::string& path);

  /// Those of `count`, which are looked at together.
  void add(std::size_t count, const std::function<std::string(std::size_t)>& path);

  /// The files that a configuration names.
  void add_files_of(const Config& config);

  /// The files beside an image, and those that their configurations name.
  void add_files_of(const FilesBeside& beside);

  /// Throws Error{config} if one of `outputs` is one of these, by whatever path or link.
  void require_kept(const std::vector<std::string>& outputs) const;

  /// Those of them that one of `outputs` is.
  std::vector<std::string> among(const std::vector<std::string>& outputs) const;

  /// A warning of files that were added together and are links to one file; empty if there are none.
  std::string describe_links() const;

 private:
  using Identity = std::pair<std::uintmax_t, std::uintmax_t>;  // device, inode
  /// One of very many, in few bytes.
  struct Input {
    Identity file;
    PackedBytes::Place path;
  };

  static std::optional<Identity> identity(const std::string& path);
  std::optional<std::string> path_of(const Identity& file) const;
  std::string path_of(const Input& input) const;

  std::map<Identity, std::string> path_of_;
  std::vector<Input> inputs_;  ///< in the order of their files
  PackedBytes paths_;          ///< of inputs: directory and file name
};

/// Throws Error{config} if output.columns names a column that catalogues of images, which are not those of a
/// difference, cannot have by this configuration.
void require_columns_of_images(const Config& config);

/// Makes the directory if it is missing. Throws Error{output} if that fails or no file can be made in it.
void prepare_output_directory(const std::string& directory);

/// Throws Error{output} if the directory that this log file is to be in is missing, as for any file that is named,
/// unless it is the output directory: that is made. An empty name is no file.
void prepare_directory_of_log(const std::string& log_file, const std::string& output_directory);

/// Makes the directory of an output if it is missing. Throws Error{output}.
void make_directory_of(const std::string& output);

}  // namespace srcextract
