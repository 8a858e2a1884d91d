#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/image_file.hpp"

namespace srcextract {

/// A directory of the survey that could not be read.
struct UnreadableDirectory {
  std::string path, name;  ///< as of an ImageFile
  std::string reason;
};

/// What INPUT... stands for.
struct Inputs {
  std::vector<ImageFile> files;  ///< in the order of their names
  std::vector<UnreadableDirectory> unreadable;
};

/// Finds the images of a survey. An INPUT is one of
/// - a file, called by its file name;
/// - a directory: every .fits, .fit, .fts in it and below it, with .fz or .gz or not, in any case, but for hidden ones
///   and the outputs of this program; called by their paths below it. Links are followed; what is both in the directory
///   and linked to from there is found once, as what it is in the directory;
/// - a pattern (glob(7)), where nothing has that very name, of such files and directories, called by their paths below
///   the last directory that it names without leaving anything open;
/// - a manifest: `.txt`, a path a line, lines that begin with # are comments; `.csv` or `.ecsv`, with a column `path`,
///   optionally `name`, and columns named after configuration keys (`detection.threshold`), whose fields override them
///   for that image, --set or not, an empty one not. Other columns are left alone. Paths are relative to the manifest;
///   a relative one that stays below it is the name, too, of others the file name is.
/// What is given twice is taken once. `config` is what images are extracted with where no manifest says otherwise.
///
/// Throws Error{config} or Error{input} that says manifest, line, reason and what to try: nothing there, no image
/// found, a key or a value that is wrong, a file that is given twice with two configurations, files that would have the
/// same outputs, an INPUT directory, or one that a pattern leads to, that cannot be read. A file that is missing is no
/// error here, nor is a directory below that cannot be read: each is one failure of the survey.
Inputs find_inputs(const std::vector<std::string>& inputs, const Config& config);

}  // namespace srcextract
