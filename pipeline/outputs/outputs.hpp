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

/// A log file, which need not exist yet.
class LogFile {
 public:
  explicit LogFile(std::string path);

  /// Throws Error{config} if one of `files`, which the run writes, is the log file, also by another path. Compares
  /// names first, so that most files need no system call.
  void require_none_of(const std::vector<std::string>& files) const;

 private:
  std::string path_;
  std::filesystem::path place_;  ///< `path_` with links resolved
};

/// Files that no output may replace. Two paths are the same file if their device and inode are equal.
class KeptFiles {
 public:
  explicit KeptFiles(const std::vector<std::string>& paths = {});

  /// Adds a file; ignores a file that does not exist.
  void add(const std::string& path);

  /// Adds several files; reads their identities in parallel.
  void add(const std::vector<std::string>& paths);

  /// Adds the images of a survey. May be called once at most.
  void add_images(ImageFiles images);

  void add_files_of(const Config& config);

  /// Adds the files of a FilesBeside (reference, detection image, bands, positions), and the files that their
  /// configurations name.
  void add_files_of(const FilesBeside& beside);

  /// Throws Error{config} if one of `outputs` is a kept file, also by another path or link.
  void require_kept(const std::vector<std::string>& outputs) const;

  /// The kept files that are among `outputs`, also by another path or link.
  std::vector<std::string> among(const std::vector<std::string>& outputs) const;

  /// A warning that some of the images are links to one file; empty if none are.
  std::string describe_links() const;

 private:
  static std::optional<FileIdentity> identity(const std::string& path);
  std::optional<std::string> path_of(const FileIdentity& file) const;

  std::map<FileIdentity, std::string> path_of_;
  ImageFiles images_;  ///< the images that exist, in ascending order of their identities
};

/// Throws Error{config} if a configuration for images, not differences, asks for alerts, for SIGN without detection of
/// fainter sources, or for a crowd fit (joint fit of all stars) without a PSF. The rules in config/ do not include this
/// check, since a survey may give each image a separate PSF.
void require_outputs_of_images(const Config& config);

/// Makes the directory if it is missing. Throws Error{output} or Error{storage} if that fails, and Error{output} if the
/// directory is not writable.
void prepare_output_directory(const std::string& directory);

/// Throws Error{output} if the log file's directory is missing. If that directory is the output directory, makes the
/// output directory instead. Does nothing for an empty name.
void prepare_directory_of_log(const std::string& log_file, const std::string& output_directory);

/// Makes the directory that contains `output` if it is missing. Throws Error{output} or Error{storage}.
void make_directory_of(const std::string& output);

}  // namespace srcextract
