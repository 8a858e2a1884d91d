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

/// Makes rows of what the fields say.
class RowMaker {
 public:
  RowMaker(const TextLines& lines, ConfigVariants& configs)
      : lines_(lines), configs_(configs), directory_(fs::path(lines.file().path()).parent_path().string()) {
    if (!directory_.empty() && !directory_.ends_with('/')) directory_ += '/';
  }

  /// `name` may be empty: the path is it.
  ManifestRow make(const std::string& path, const std::string& name, const std::vector<std::string>& settings) {
    if (path.empty()) fail(lines_, "the path is empty; name a file, or remove the line");
    ManifestRow row;
    row.line = lines_.number();
    row.path = path.starts_with('/') ? path : directory_ + path;
    row.name = name.empty() ? name_of_path(path) : checked_name(lines_, name);
    if (is_of_directory(row.name))
      fail(lines_, shown(path) + " is a directory; a manifest lists files: give the directory as INPUT");
    row.config = config_with(settings);
    return row;
  }

 private:
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
};

void read_list(TextLines& lines, RowMaker& rows, const std::function<void(ManifestRow)>& on_row) {
  while (lines.next()) {
    const std::string_view path = without_blanks(lines.line());
    if (!path.empty() && !path.starts_with('#')) on_row(rows.make(std::string(path), "", {}));
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

/// For every field of a row what it is: `path`, `name`, a key, or empty: nothing to us.
std::vector<std::string> meanings(const TextLayout& layout, const TextLines& lines) {
  const config::Fields keys = config::fields_of(Config{});
  std::vector<std::string> result(layout.fields);
  for (const TextLayout::Column& column : layout.columns) {
    const std::string& name = column.head.name;
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos) {
      check_section(keys, name.substr(0, dot), where(lines));
      check_key(keys, name.substr(0, dot), name.substr(dot + 1), where(lines));
    } else if (name != "path" && name != "name") {
      check_no_key(keys, name, lines);
      continue;
    }
    result[column.field] = name;
  }
  if (std::find(result.begin(), result.end(), "path") == result.end())
    fail(lines, "no column is called 'path'; a manifest names the file of every image in one");
  return result;
}

void read_rows(TextLines& lines, RowMaker& rows, const std::function<void(ManifestRow)>& on_row) {
  const bool is_ecsv = lines.next() && lines.line().starts_with("# %ECSV");
  lines.put_back();
  const TextLayout layout = is_ecsv ? ecsv_layout(lines) : csv_layout(lines);
  const std::vector<std::string> meaning = meanings(layout, lines);
  FieldSplitter splitter(layout.delimiter);
  std::string path, name;
  std::vector<std::string> settings;
  while (next_row(lines, layout)) {
    name.clear();
    settings.clear();
    split_row(lines, layout, splitter, [&](std::size_t index, std::string_view field) {
      if (index >= meaning.size() || meaning[index].empty()) return;
      if (meaning[index] == "path") {
        path = field;
      } else if (meaning[index] == "name") {
        name = field;
      } else if (!field.empty()) {
        settings.push_back(meaning[index] + "=" + std::string(field));
      }
    });
    on_row(rows.make(path, name, settings));
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
