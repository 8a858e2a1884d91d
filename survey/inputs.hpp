#pragma once

#include <string>
#include <vector>

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
/// and
///   the outputs of this program; called by their paths below it;
/// - a pattern (glob(7)) of files or directories, where nothing has that very name;
/// - a manifest: `.txt`, a path a line, `#` begins a comment; `.csv` or `.ecsv`, with a column `path`, optionally
/// `name`,
///   and any columns named after configuration keys (`detection.threshold`), whose fields override them for that image,
///   an empty one not. Paths are relative to the manifest; a relative one that stays below it is the name, too.
/// `config` and `settings` are as of load_config. Throws Error{config} or Error{input} that says manifest, line, reason
/// and what to try: nothing there, no image found, a key or a value that is wrong, a name that two files have, names
/// that would give two images the same outputs (as require_distinct_outputs tells), an INPUT directory that cannot be
/// read. A file that is missing is no error here, nor is a directory below that cannot be read: each is one failure of
/// the survey.
Inputs find_inputs(const std::vector<std::string>& inputs, const std::string& config,
                   const std::vector<std::string>& settings);

/// The configuration with its text and hash.
std::shared_ptr<const ImageConfig> make_image_config(const Config& config);

}  // namespace srcextract
