#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Finds the images of a survey, in the order of their names. An INPUT is one of
/// - a file, named by its file name;
/// - a directory: every .fits, .fit, .fts in it and below it, optionally with .fz or .gz, in any case. Hidden files and
///   outputs of this program are skipped. Names are paths below the directory. Links are followed; a file that is in
///   the directory and linked from there is found once, under its name in the directory;
/// - a pattern (glob(7)) of such files and directories, unless a file has that exact name. Names are paths below the
///   last directory before the first wildcard;
/// - a manifest: `.txt`, one path per line, lines that begin with # are comments; or `.csv` or `.ecsv` with a column
///   `path`.
/// Columns of a table manifest besides `path`:
/// - `name`: optional
/// - a configuration key (`detection.threshold`): overrides the key for that image, also over --set; an empty field
///   does not
/// - `detect`, `band:g`, `positions`, `reference`: files beside the image (FilesBeside)
/// - `detect:input.hdu`, `reference:input.hdu`, `band:g:input.hdu`: a key of one of these files alone
/// - others: ignored and named in `notes`; an error if probably meant as one of these columns
/// Paths are relative to the manifest. A relative path that stays below the manifest's directory is also the name;
/// otherwise the name is the file name. `.forced` follows the name of an image with a table of positions, `.diff` the
/// name of one with a reference. An image with bands has the detection image's name with `.bands`.
/// A file that is given twice is taken once. Links to one file are all taken, each by its name.
/// `given` is the configuration of images that no manifest changes.
/// Throws Error{config} or Error{input} with manifest, line, reason and what to try:
/// - nothing there, or no image found
/// - a wrong key or value, or a key of `given` that no image uses
/// - a file given twice with two configurations, or files with the same outputs
/// - a directory that cannot be read: its images would be missing unnoticed
/// A missing file is no error here: it becomes one failure of the survey.
ImageFiles find_inputs(const std::vector<std::string>& inputs, const GivenConfig& given,
                       std::vector<std::string>* notes = nullptr);

}  // namespace srcextract
