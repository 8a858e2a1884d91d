#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Finds the images of a survey, sorted by name. An INPUT, an argument of the command line, is one of:
/// - a file; its name is the file name
/// - a directory: every file in it or below it that ends in .fits, .fit or .fts, optionally with .fz or .gz, in upper
///   or lower case. Hidden files and directories, and outputs of this program, are skipped. Names are paths below the
///   directory. Symbolic links are followed. A directory that is below it and also linked from there is read once,
///   under its own path.
/// - a pattern (glob(7)) of files and directories as above, unless a file has that exact name. Names are paths below
///   the last directory before the first wildcard.
/// - a manifest (list of images): `.txt` with a path in each line, where lines that begin with # are comments; or a
///   table `.csv` or `.ecsv` with a column `path`, or with columns for bands and `detect`
///
/// Further columns of a table:
/// - `name`: name of the image; optional
/// - a configuration key (`detection.threshold`): a value for this image, which also overrides --set; an empty field
///   overrides nothing
/// - `detect`, `band:g`, `positions`, `reference`: files beside the image (FilesBeside)
/// - `detect:input.hdu`, `reference:input.hdu`, `band:g:input.hdu`: a configuration key of one of these files alone
/// - any other column is ignored and named in `notes`; if one of the above columns was probably meant, an error is
///   thrown
///
/// Paths in a manifest are relative to its directory. A relative path that stays below that directory is also the
/// image's name; else the name is the file name. ".forced" replaces the FITS ending in the name of an image with a
/// table of positions, and ".diff" in that of an image with a reference. An image with bands has the name of its
/// detection image, with ".bands" in place of the ending. A name given in the column `name` is not changed.
///
/// A file that is given twice under one name is taken once. Files that are links to one file are all taken. `given` is
/// the configuration of images for which no manifest changes it.
///
/// Throws Error{config} or Error{input}, with manifest, line, reason and advice, in these cases:
/// - an INPUT does not exist and has no image ending, or contains no image
/// - a key or value is wrong, or a key of `given` has no use for any image
/// - a file is given twice with different configurations, or two files would have the same outputs
/// - a directory cannot be read, since its images would be missing without notice
///
/// A file that does not exist is no error here; its extraction fails later.
ImageFiles find_inputs(const std::vector<std::string>& inputs, const GivenConfig& given,
                       std::vector<std::string>* notes = nullptr);

}  // namespace srcextract
