#include "survey/inputs/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "io/tables/text_table.hpp"
#include "stages/catalogue/bands.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/foreign_columns.hpp"
#include "survey/inputs/leads_up.hpp"
#include "survey/inputs/manifest_columns.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

/// The path without "//", "." and "a/..". A quick test returns most paths unchanged, since there may be millions.
std::string normal(const std::string& path) {
  const bool is_normal = !path.starts_with('.') && path.find("//") == path.npos && path.find("/.") == path.npos;
  return is_normal ? path : fs::path(path).lexically_normal().string();
}

bool leads_out(const std::string& normal_path) {
  return normal_path.starts_with('/') || normal_path == ".." || normal_path.starts_with("../");
}

std::string name_of_path(const std::string& path) {
  std::string name = normal(path);
  return leads_out(name) ? fs::path(name).filename().string() : name;
}

bool is_of_directory(const std::string& name) {
  const std::string_view last = std::string_view(name).substr(name.rfind('/') + 1);
  return last.empty() || last == "." || last == "..";
}

/// Returns the normal form of a name given in a manifest. Throws if outputs of this name would be outside the output
/// directory.
std::string checked_name(const TextLines& lines, const std::string& given) {
  const std::string problem = "the name " + shown(given);
  if (given.starts_with('/'))
    fail_at_line(lines, problem + " is an absolute path; give one below the output directory, as in night1/m31.fits");
  if (leads_up(given))
    fail_at_line(lines, problem + " has a '..', which could lead out of the output directory; leave it out");
  std::string name = normal(given);
  if (is_of_directory(name)) fail_at_line(lines, problem + " is that of a directory; end it with that of a file");
  return name;
}

/// The names of the manifest's columns for files beside an image, for error messages.
NamesBeside columns_beside() {
  return {.detect = "`detect`",
          .detect_set = std::string(detect_mark),
          .positions = "`positions`",
          .reference_set = std::string(reference_mark),
          .band = "`band:NAME`",
          .band_hdu = "band:NAME:input.hdu",
          .detect_hdu = "detect:input.hdu",
          .instead = "give each a row with its image in `path`"};
}

/// Converts the fields of a manifest's line to a ManifestRow.
class RowMaker {
 public:
  RowMaker(const TextLines& lines, ConfigVariants& configs)
      : lines_(lines), configs_(configs), directory_(fs::path(lines.file().path()).parent_path().string()) {
    if (!directory_.empty() && !directory_.ends_with('/')) directory_ += '/';
  }

  /// Makes a row. If no name is given, the name is made from the path; for a row with bands, from the path of the
  /// detection image.
  ManifestRow make(const ManifestFields& fields) {
    check(fields);
    const std::string& path = fields.bands.empty() ? fields.path : fields.detect;
    if (path.empty() && !fields.detect.empty())
      fail_at_line(
          lines_,
          "the row has a detection image and nothing to measure; name an image in `path`, or a band, or remove "
          "the line");
    if (path.empty()) fail_at_line(lines_, "the path is empty; name a file, or remove the line");
    ManifestRow row;
    row.line = lines_.number();
    row.path = opened(path);
    row.name = fields.name.empty() ? name_of_path(path) : checked_name(lines_, fields.name);
    if (is_of_directory(row.name))
      fail_at_line(lines_, shown(path) + " is a directory; a manifest lists files: give the directory as INPUT");
    if (fields.name.empty() && !fields.positions.empty()) row.name = forced_name(row.name);
    if (fields.name.empty() && !fields.bands.empty()) row.name = bands_name(row.name);
    if (fields.name.empty() && !fields.reference.empty()) row.name = difference_name(row.name);
    row.config = config_with(fields.settings, !fields.reference.empty());
    row.beside = beside_of(fields, *row.config);
    return row;
  }

 private:
  std::string opened(const std::string& path) const {
    return path.empty() || path.starts_with('/') ? path : directory_ + path;
  }

  void check(const ManifestFields& fields) const {
    if (fields.detect.empty() && !fields.detect_settings.empty())
      fail_at_line(lines_,
                   std::string(detect_mark) + fields.detect_settings.front() +
                       " is for a detection image, and the row names none; name one in the column `detect`, or leave "
                       "the field empty");
    if (fields.reference.empty() && !fields.reference_settings.empty())
      fail_at_line(lines_,
                   std::string(reference_mark) + fields.reference_settings.front() +
                       " is for a reference, and the row names none; name one in the column `reference`, or leave the "
                       "field empty");
    if (!fields.detect.empty() && !fields.positions.empty())
      fail_at_line(
          lines_,
          "the row has a detection image and a table of positions, and at positions that are given nothing is found; "
          "leave `detect` or `positions` empty, or make two rows of it");
    if (!fields.reference.empty() && !(fields.detect.empty() && fields.positions.empty()))
      fail_at_line(
          lines_,
          "the row has a reference, and sources of a difference are found in the difference alone; leave `reference` "
          "empty, or `detect` and `positions`");
    if (!fields.reference.empty() && fields.reference == fields.path)
      fail_at_line(lines_, shown(fields.path) + " is its own reference: nothing is left of it; name another frame");
    for (const ManifestFields::Band& band : fields.bands)
      if (band.path.empty())
        fail_at_line(lines_, std::string(band_mark) + band.name + ":" + band.settings.front() +
                                 " is for a band that the row has no file of; name it in the column `band:" +
                                 band.name + "`, or leave the field empty");
    if (!fields.bands.empty() && fields.detect.empty())
      fail_at_line(lines_,
                   "the row has bands, and no image in which their sources are found; name it in the column `detect`");
    if (!fields.bands.empty() && !fields.path.empty())
      fail_at_line(lines_,
                   shown(fields.path) +
                       " is an image in a row with bands, and such a row measures its bands alone; leave `path` empty, "
                       "and make the image a band, or give it a row without bands");
  }

  /// Makes the files beside an image. Consecutive rows with equal fields share the object.
  std::shared_ptr<const FilesBeside> beside_of(const ManifestFields& fields, const ImageConfig& config) {
    if (fields.detect.empty() && fields.positions.empty() && fields.reference.empty()) return nullptr;
    if (!beside_ || &config != beside_config_ || !fields.has_same_beside(beside_fields_)) {
      beside_ = make_beside(fields, config);
      beside_config_ = &config;
      beside_fields_ = fields;
    }
    return beside_;
  }

  std::shared_ptr<const FilesBeside> make_beside(const ManifestFields& fields, const ImageConfig& config) try {
    FilesBeside beside{.positions = opened(fields.positions), .reference = opened(fields.reference)};
    beside.of_reference =
        configs_.of_reference(fields.settings, fields.reference_settings, std::string(reference_mark));
    if (!fields.detect.empty())
      beside.detection = {opened(fields.detect),
                          configs_.with_own(fields.settings, fields.detect_settings, std::string(detect_mark))};
    SurveyNames names{fields.detect, fields.positions, fields.reference, {}};
    for (const ManifestFields::Band& band : fields.bands) {
      names.bands.push_back(band.path);
      const std::string mark = std::string(band_mark) + band.name + ":";
      beside.bands.push_back(
          {band.name, opened(band.path), band.settings, configs_.with_own(fields.settings, band.settings, mark)});
    }
    require_config_beside(config.config, beside, columns_beside());
    beside.hash = hash_of_files_beside(beside, names);
    return std::make_shared<const FilesBeside>(std::move(beside));
  } catch (const Error& error) {
    fail_at_line(lines_, error.what());
  }

  /// Makes the configuration of a row. Consecutive rows with equal settings share the object.
  std::shared_ptr<const ImageConfig> config_with(const std::vector<std::string>& settings, bool of_difference) try {
    if (!config_ || settings != settings_ || of_difference != of_difference_) {
      config_ = of_difference ? configs_.of_difference(settings) : configs_.with(settings);
      settings_ = settings;
      of_difference_ = of_difference;
    }
    return config_;
  } catch (const Error& error) {
    fail_at_line(lines_, error.what());
  }

  const TextLines& lines_;
  ConfigVariants& configs_;
  std::string directory_;  ///< directory of the manifest, with a slash, as prefix of relative paths; empty for the
                           ///< working directory
  std::vector<std::string> settings_;
  bool of_difference_ = false;
  std::shared_ptr<const ImageConfig> config_;  ///< made from settings_ and of_difference_
  ManifestFields beside_fields_;
  const ImageConfig* beside_config_ = nullptr;
  std::shared_ptr<const FilesBeside> beside_;  ///< made from beside_fields_ and beside_config_
};

void read_list(TextLines& lines, RowMaker& rows, const std::function<void(ManifestRow)>& on_row) {
  while (lines.next()) {
    const std::string_view path = without_blanks(lines.line());
    if (!path.empty() && !path.starts_with('#')) on_row(rows.make({.path = std::string(path)}));
  }
}

/// Reads the header of a table manifest. Converts Error{input} for wrong column names to Error{config}, the kind of all
/// errors in a manifest's contents.
TextLayout layout_of(TextLines& lines) {
  const bool is_ecsv = lines.next() && lines.line().starts_with("# %ECSV");
  lines.put_back();
  try {
    return is_ecsv ? ecsv_layout(lines) : csv_layout(lines);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    throw Error(ErrorKind::config, error.what());
  }
}

/// Reads all rows of a table manifest. Returns a message about ignored columns; empty if there are none.
std::string read_rows(TextLines& lines, RowMaker& rows, const std::function<void(ManifestRow)>& on_row) {
  const TextLayout layout = layout_of(lines);
  const ManifestColumns columns(layout, lines);
  FieldSplitter splitter(layout.delimiter);
  while (next_row(lines, layout)) on_row(rows.make(columns.read(lines, layout, splitter)));
  return describe_foreign_columns(columns.foreign(layout));
}

std::string ending(const std::string& path) {
  return in_small_letters(fs::path(path).extension().string());
}

}  // namespace

bool is_manifest_name(const std::string& path) {
  const std::string text = ending(path);
  return text == ".txt" || text == ".csv" || text == ".ecsv";
}

std::string read_manifest(const std::string& path, ConfigVariants& configs,
                          const std::function<void(ManifestRow)>& on_row) {
  TextLines lines(path);
  RowMaker rows(lines, configs);
  if (ending(path) != ".txt") return read_rows(lines, rows, on_row);
  read_list(lines, rows, on_row);
  return "";
}

}  // namespace srcextract
