#include "survey/inputs/manifest.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "config/checks.hpp"
#include "config/fields.hpp"
#include "io/tables/text_table.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/leads_up.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

std::string where(const TextLines& lines) {
  return lines.file().path() + ":" + std::to_string(lines.number());
}

[[noreturn]] void fail(const TextLines& lines, const std::string& problem) {
  throw Error(ErrorKind::config, where(lines) + ": " + problem);
}

/// Without "//", "." and "a/..". Most paths have none of them, and there may be millions.
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

/// The outputs are named after it: it must not lead out of their directory.
std::string checked_name(const TextLines& lines, const std::string& given) {
  const std::string problem = "the name " + shown(given);
  if (given.starts_with('/'))
    fail(lines, problem + " is an absolute path; give one below the output directory, as in night1/m31.fits");
  if (leads_up(given)) fail(lines, problem + " has a '..', which could lead out of the output directory; leave it out");
  std::string name = normal(given);
  if (is_of_directory(name)) fail(lines, problem + " is that of a directory; end it with that of a file");
  return name;
}

/// Columns that name files beside the image, what the names of those begin with that are keys of the detection image
/// alone, and what messages call them.
constexpr const char *detect_column = "detect", *positions_column = "positions", *detect_mark = "detect:";

NamesBeside columns_beside() {
  return {"`detect`", detect_mark, "`positions`"};
}

/// What the fields of a row say; but for the path each may be empty.
struct RowFields {
  std::string path, name, detect, positions;
  std::vector<std::string> settings, detect_settings;
};

/// Makes rows of what the fields say.
class RowMaker {
 public:
  RowMaker(const TextLines& lines, ConfigVariants& configs)
      : lines_(lines), configs_(configs), directory_(fs::path(lines.file().path()).parent_path().string()) {
    if (!directory_.empty() && !directory_.ends_with('/')) directory_ += '/';
  }

  /// Without a name the path is it.
  ManifestRow make(const RowFields& fields) {
    if (fields.path.empty()) fail(lines_, "the path is empty; name a file, or remove the line");
    ManifestRow row;
    row.line = lines_.number();
    row.path = opened(fields.path);
    row.name = fields.name.empty() ? name_of_path(fields.path) : checked_name(lines_, fields.name);
    if (is_of_directory(row.name))
      fail(lines_, shown(fields.path) + " is a directory; a manifest lists files: give the directory as INPUT");
    if (fields.name.empty() && !fields.positions.empty()) row.name = forced_name(row.name);
    row.config = config_with(fields.settings);
    row.beside = beside_of(fields, *row.config);
    return row;
  }

 private:
  std::string opened(const std::string& path) const {
    return path.empty() || path.starts_with('/') ? path : directory_ + path;
  }

  /// Of neighbours that have the same but once.
  std::shared_ptr<const FilesBeside> beside_of(const RowFields& fields, const ImageConfig& config) {
    if (fields.detect.empty() && !fields.detect_settings.empty())
      fail(lines_, "detect:" + fields.detect_settings.front() +
                       " is for a detection image, and the row names none; name one in the column `detect`, or leave "
                       "the field empty");
    if (fields.detect.empty() && fields.positions.empty()) return nullptr;
    if (!fields.detect.empty() && !fields.positions.empty())
      fail(lines_,
           "the row has a detection image and a table of positions, and at positions that are given nothing is found; "
           "leave `detect` or `positions` empty, or make two rows of it");
    const bool same = beside_ && &config == beside_config_ && fields.detect == detect_ &&
                      fields.detect_settings == detect_settings_ && fields.positions == positions_;
    if (!same) {
      beside_ = make_beside(fields, config);
      beside_config_ = &config;
      detect_ = fields.detect;
      detect_settings_ = fields.detect_settings;
      positions_ = fields.positions;
    }
    return beside_;
  }

  std::shared_ptr<const FilesBeside> make_beside(const RowFields& fields, const ImageConfig& config) try {
    FilesBeside beside{.positions = opened(fields.positions)};
    if (!fields.positions.empty()) require_forced_config(config.config, columns_beside());
    if (!fields.detect.empty()) {
      require_detection_config(config.config, columns_beside());
      beside.detection = {opened(fields.detect),
                          configs_.of_detection(fields.settings, fields.detect_settings, detect_mark)};
    }
    beside.hash = hash_of_files_beside(beside, fields.detect, fields.positions);
    return std::make_shared<const FilesBeside>(std::move(beside));
  } catch (const Error& error) {
    fail(lines_, error.what());
  }

  /// Neighbours often have the same.
  std::shared_ptr<const ImageConfig> config_with(const std::vector<std::string>& settings) try {
    if (!config_ || settings != settings_) {
      config_ = configs_.with(settings);
      settings_ = settings;
    }
    return config_;
  } catch (const Error& error) {
    fail(lines_, error.what());
  }

  const TextLines& lines_;
  ConfigVariants& configs_;
  std::string directory_;  ///< what relative paths begin with
  std::vector<std::string> settings_;
  std::shared_ptr<const ImageConfig> config_;  ///< with settings_
  std::string detect_, positions_;
  std::vector<std::string> detect_settings_;
  const ImageConfig* beside_config_ = nullptr;
  std::shared_ptr<const FilesBeside> beside_;  ///< by these
};

void read_list(TextLines& lines, RowMaker& rows, const std::function<void(ManifestRow)>& on_row) {
  while (lines.next()) {
    const std::string_view path = without_blanks(lines.line());
    if (!path.empty() && !path.starts_with('#')) on_row(rows.make({.path = std::string(path)}));
  }
}

/// A column without a section is no key, but may have been meant as one, unless it is what lists of files have anyway.
void check_no_key(const config::Fields& keys, const std::string& column, const TextLines& lines) {
  if (column == "file" || column == "files" || column == "size") return;
  std::string meant;
  for (const config::Field& field : keys)
    if (field.key == column) meant += (meant.empty() ? "" : " or ") + field.path();
  if (meant.empty()) return;
  fail(lines, "column '" + column + "' is no key of the configuration; write " + meant +
                  " if that is meant, and give it another name if not");
}

/// Whether the column is a key of the configuration, or, after `detect:`, of that of the detection image.
bool is_key(const config::Fields& keys, const std::string& column, const TextLines& lines) {
  const std::string mark = detect_mark;
  const bool of_detection = column.starts_with(mark);
  const std::string key = of_detection ? column.substr(mark.size()) : column;
  const std::size_t dot = key.find('.');
  if (of_detection && dot == std::string::npos)
    fail(lines, "column '" + column + "' is no key; write detect:section.key, as in detect:weights.file");
  if (dot == std::string::npos) return false;
  check_section(keys, key.substr(0, dot), where(lines));
  check_key(keys, key.substr(0, dot), key.substr(dot + 1), where(lines));
  if (of_detection) require_detection_settings({key}, {.detect_set = where(lines) + ": " + mark});
  return true;
}

/// Bands of a source are columns of one catalogue, and a survey makes one of every image.
void check_no_band(const std::string& column, const TextLines& lines) {
  if (!column.starts_with("band:")) return;
  fail(lines, "column '" + column +
                  "': batch measures every image by itself, and cannot join bands yet; use srcextract -d DETECT CONFIG "
                  "--band NAME=FILE... for each field, or a row for each band with its image in `path` and DETECT in "
                  "`detect`; a column that is none of these needs another name");
}

/// For every field of a row what it is: `path`, `name`, `detect`, `positions`, a key, or empty: nothing to us.
std::vector<std::string> meanings(const TextLayout& layout, const TextLines& lines) {
  const config::Fields keys = config::fields_of(Config{});
  std::vector<std::string> result(layout.fields);
  for (const TextLayout::Column& column : layout.columns) {
    const std::string& name = column.head.name;
    check_no_band(name, lines);
    if (is_key(keys, name, lines) || name == "path" || name == "name" || name == detect_column ||
        name == positions_column)
      result[column.field] = name;
    else
      check_no_key(keys, name, lines);
  }
  if (std::find(result.begin(), result.end(), "path") == result.end())
    fail(lines, "no column is called 'path'; a manifest names the file of every image in one");
  return result;
}

/// `meaning` is that of a column.
void take(const std::string& meaning, std::string_view field, RowFields& row) {
  const std::string mark = detect_mark;
  if (meaning.empty()) return;
  if (meaning == "path")
    row.path = field;
  else if (meaning == "name")
    row.name = field;
  else if (meaning == detect_column)
    row.detect = field;
  else if (meaning == positions_column)
    row.positions = field;
  else if (meaning.starts_with(mark))
    row.detect_settings.push_back(meaning.substr(mark.size()) + "=" + std::string(field));
  else
    row.settings.push_back(meaning + "=" + std::string(field));
}

void read_rows(TextLines& lines, RowMaker& rows, const std::function<void(ManifestRow)>& on_row) {
  const bool is_ecsv = lines.next() && lines.line().starts_with("# %ECSV");
  lines.put_back();
  const TextLayout layout = is_ecsv ? ecsv_layout(lines) : csv_layout(lines);
  const std::vector<std::string> meaning = meanings(layout, lines);
  FieldSplitter splitter(layout.delimiter);
  RowFields row;
  while (next_row(lines, layout)) {
    row = {};
    split_row(lines, layout, splitter, [&](std::size_t index, std::string_view field) {
      if (index < meaning.size() && !field.empty()) take(meaning[index], field, row);
    });
    on_row(rows.make(row));
  }
}

std::string ending(const std::string& path) {
  std::string text = fs::path(path).extension().string();
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

bool is_manifest_name(const std::string& path) {
  const std::string text = ending(path);
  return text == ".txt" || text == ".csv" || text == ".ecsv";
}

void read_manifest(const std::string& path, ConfigVariants& configs, const std::function<void(ManifestRow)>& on_row) {
  TextLines lines(path);
  RowMaker rows(lines, configs);
  ending(path) == ".txt" ? read_list(lines, rows, on_row) : read_rows(lines, rows, on_row);
}

}  // namespace srcextract
