#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// A log file that need not exist yet.
class LogFile {
 public:
  explicit LogFile(std::string path);

  /// Throws Error{config} if one of `files`, which the run writes, is the log file, by whatever path. Files whose name
  /// differs from the log's cost no system call.
  void require_none_of(const std::vector<std::string>& files) const;

 private:
  std::string path_;
  std::filesystem::path place_;  ///< `path_` without links
};

/// The files that no output may replace.
class KeptFiles {
 public:
  explicit KeptFiles(const std::vector<std::string>& paths = {});

  /// Adds a file; does nothing if it does not exist.
  void add(const std::string& path);

  /// Adds several files; looks at them in parallel.
  void add(const std::vector<std::string>& paths);

  /// Adds the images of a survey. Call it once at most.
  void add_images(ImageFiles images);

  /// Adds the files that a configuration names.
  void add_files_of(const Config& config);

  /// Adds the files beside an image, and the files that their configurations name.
  void add_files_of(const FilesBeside& beside);

  /// Throws Error{config} if one of `outputs` is a kept file, by whatever path or link.
  void require_kept(const std::vector<std::string>& outputs) const;

  /// The kept files that are among `outputs`.
  std::vector<std::string> among(const std::vector<std::string>& outputs) const;

  /// A warning that some images are links to one file; empty if there are no such links.
  std::string describe_links() const;

 private:
  static std::optional<FileIdentity> identity(const std::string& path);
  std::optional<std::string> path_of(const FileIdentity& file) const;

  std::map<FileIdentity, std::string> path_of_;
  ImageFiles images_;  ///< those that are there, in the order of their identities
};

/// Throws Error{config} for what images, not differences, cannot have: alerts, SIGN if all sources are brighter than
/// the sky, a crowd without a PSF. This is no rule of the configuration itself, since a survey may give each image a
/// PSF of its own.
void require_outputs_of_images(const Config& config);

/// Makes the directory if it is missing. Throws Error{output} if that fails or no file can be created in it.
void prepare_output_directory(const std::string& directory);

/// Throws Error{output} if the log file's directory is missing, unless it is the output directory, which is then
/// created. Does nothing for an empty name.
void prepare_directory_of_log(const std::string& log_file, const std::string& output_directory);

/// Makes the directory of an output if it is missing. Throws Error{output} or Error{storage}.
void make_directory_of(const std::string& output);

}  // namespace srcextract
