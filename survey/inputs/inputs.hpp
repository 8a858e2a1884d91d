#pragma once

#include <string>
#include <vector>

#include "config/overrides.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Finds the images of a survey, in the order of their names. An INPUT is one of
/// - a file, called by its file name;
/// - a directory: every .fits, .fit, .fts in it and below it, with .fz or .gz or not, in any case, but for hidden ones
///   and the outputs of this program; called by their paths below it. Links are followed; what is both in the directory
///   and linked to from there is found once, as what it is in the directory;
/// - a pattern (glob(7)), where nothing has that very name, of such files and directories, called by their paths below
///   the last directory that it names without leaving anything open;
/// - a manifest: `.txt`, a path a line, lines that begin with # are comments; `.csv` or `.ecsv`, with a column `path`,
///   optionally `name`, and columns named after configuration keys (`detection.threshold`), whose fields override them
///   for that image, --set or not, an empty one not; `detect`, `band:g` and `positions` name files beside the image
///   (FilesBeside), and `detect:input.hdu` and `band:g:input.hdu` a key of one of them alone. Other columns are left
///   alone, and named in `notes`, but for what was probably meant as one of these. Paths are relative to the manifest;
///   a relative one that stays below it is the name, too, of others the file name is; where there is a table of
///   positions after it comes `.forced`, and of bands it is that of the detection image with `.bands`.
/// A file that is given twice is taken once. Links to one file are taken each by its name.
/// `given` is the configuration of images of which no manifest says otherwise.
///
/// Throws Error{config} or Error{input} that says manifest, line, reason and what to try: nothing there, no image
/// found, a key or a value that is wrong, a key of `given` that no image has a use for, a file that is given twice with
/// two configurations, files that would have the same outputs, a directory that cannot be read: its images would be
/// missing unnoticed. A file that is missing is no error here: it is one failure of the survey.
ImageFiles find_inputs(const std::vector<std::string>& inputs, const GivenConfig& given,
                       std::vector<std::string>* notes = nullptr);

}  // namespace srcextract
