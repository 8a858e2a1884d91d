#include "pipeline/compare/compare.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "config/rules.hpp"
#include "io/catalog/table_writer.hpp"
#include "io/files/output_file.hpp"
#include "io/tables/table_file.hpp"
#include "io/wcs/unit.hpp"
#include "pipeline/compare/catalog_files.hpp"
#include "pipeline/compare/compare_machine.hpp"
#include "pipeline/compare/compare_text.hpp"
#include "pipeline/compare/update_reference.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "regression/verdict/compare.hpp"
#include "regression/verdict/matched_table.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Bytes of columns that are compared at the same time. With the pairs and the memory for sorting, a comparison of ten
/// million rows stays below 4 GB (measured).
constexpr std::int64_t memory_for_columns = std::int64_t{13} << 27;

/// Reading one catalogue may take --memory divided by this number, since a comparison has two catalogues in memory, and
/// data of both.
constexpr std::int64_t readings = 4;

/// The memory limit of a comparison: --memory, or a limit that the system sets to the process (AvailableMemory). Null
/// without either limit.
std::optional<std::int64_t> memory_of(const CompareOptions& options) {
  if (options.memory) return options.memory;
  const AvailableMemory available = available_memory();
  return !available.limited_by.empty() ? std::optional(available.bytes) : std::nullopt;
}

/// The memory limit for reading one catalogue.
TableRoom room_of(const std::optional<std::int64_t>& memory) {
  return {memory ? *memory / readings : available_memory().bytes};
}

/// Estimates the number of rows from the size of a file. A number takes about 8 bytes in memory as well as in a text
/// file; gzip is assumed to shrink the file to a quarter.
std::int64_t expected_rows(const TableFile& file) {
  std::error_code ignored;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file.path, ignored));
  if (ignored || file.columns.empty()) return 0;
  const std::int64_t inflated = file.path.ends_with(".gz") ? 4 * bytes : bytes;
  return inflated / (8 * static_cast<std::int64_t>(file.columns.size()));
}

Catalog catalog_of(const TableFile& file, const SideRules& rules) {
  Catalog catalog;
  catalog.name = file.path;
  for (const ColumnHead& column : file.columns) {
    catalog.columns.push_back(column.name);
    catalog.units.push_back(column.unit);
  }
  catalog.meanings = meanings_of(catalog.columns, rules, file.path);
  catalog.expected_rows = expected_rows(file);
  catalog.read = [file](const std::vector<std::size_t>& columns) { return read_table(file, columns); };
  return catalog;
}

void write_file(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") return;
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_matched(const std::string& path, const Catalog& reference, const Catalog& other,
                   const Comparison& comparison, const CompareRules& rules) {
  const CatalogMetadata metadata{program_version(), dump_rules(rules), ""};
  write_table(path, make_matched_table(reference, other, comparison, rules), metadata).commit();
}

/// Compares two files. If `options.matched` is set, also writes the matched rows of both files to that path.
void compare_files(FileComparison& file, const CompareRules& rules, const CompareOptions& options) {
  const std::optional<std::int64_t> memory = memory_of(options);
  const Catalog reference = catalog_of(open_table(file.reference, room_of(memory)), rules.reference);
  const Catalog other = catalog_of(open_table(file.other, room_of(memory)), rules.other);
  const std::int64_t for_columns = memory ? std::min(memory_for_columns, *memory / 2) : memory_for_columns;
  file.comparison = compare_catalogs(reference, other, rules, unit_factor, options.threads, for_columns);
  if (!options.matched.empty()) write_matched(options.matched, reference, other, file.comparison, rules);
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/// Throws Error{config} unless both paths are files. --update can replace a file, but not one extension of a file.
void require_whole_files(const CompareOptions& options) {
  for (const std::string& path : {options.reference, options.other}) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
      throw Error(ErrorKind::config, path +
                                         " is not a file that --update could replace or put in place; name files "
                                         "without an extension in brackets");
  }
}

/// Lists the files to compare. Reads none of them.
std::vector<FileComparison> list_files(const CompareOptions& options) {
  const bool directories = is_directory(options.reference);
  for (const std::string& path : {options.reference, options.other}) {
    std::error_code failure;
    if (directories != is_directory(path) && !std::filesystem::exists(path, failure) && !path.ends_with(']'))
      throw Error(ErrorKind::config, path + ": there is no file or directory of this name");
  }
  if (directories != is_directory(options.other))
    throw Error(ErrorKind::config, (directories ? options.reference : options.other) + " is a directory and " +
                                       (directories ? options.other : options.reference) +
                                       " is not; compare two catalogues or two directories");
  if (!options.matched.empty() && !directories)
    table_format(options.matched);  // reports a wrong ending before the comparison, which may be long
  if (!options.update.empty() && !directories) require_whole_files(options);
  if (!directories) return {{options.reference, options.reference, options.other, {}, ""}};
  if (!options.matched.empty())
    throw Error(ErrorKind::config, "--matched is for two catalogues, and these are directories");
  std::vector<FileComparison> files;
  for (const FilePair& pair : pair_files(options.reference, options.other)) {
    FileComparison file{pair.name, pair.reference, pair.other, {}, ""};
    if (pair.other.empty()) file.failure = "the new directory has no catalogue of this name";
    if (pair.reference.empty()) file.failure = "the reference has no catalogue of this name";
    files.push_back(std::move(file));
  }
  return files;
}

/// Compares all files. In directories, an error counts only for the file that caused it; internal errors and a lack of
/// memory are thrown.
void compare_all(std::vector<FileComparison>& files, const CompareRules& rules, const CompareOptions& options) {
  const bool directories = is_directory(options.reference);
  for (FileComparison& file : files) {
    if (!file.failure.empty()) continue;
    try {
      compare_files(file, rules, options);
    } catch (const Error& error) {
      if (!directories || exit_code(error.kind()) == exit_code(ErrorKind::internal)) throw;
      file.failure = error.what();
      file.code = exit_code(error.kind());
    }
    // Frees the matched rows, which may be large and are not needed later.
    file.comparison.matches = {};
  }
}

/// Exit code for a file: the code of its error, or 0 if it is within the rules, or else the code of a mismatch.
int code_of(const FileComparison& file) {
  if (file.code != 0) return file.code;
  return file.within() ? 0 : exit_code(ErrorKind::mismatch);
}

/// Throws Error{config} if an output would replace an input or another output.
void require_kept(const CompareOptions& options, const std::vector<FileComparison>& files) {
  std::vector<std::string> inputs, outputs;
  for (const FileComparison& file : files) {
    // The path may end in an extension in brackets, as in "m31.fits[1]", so the path before the bracket is an input
    // too.
    for (const std::string& path : {file.reference, file.other}) {
      inputs.push_back(path);
      if (path.ends_with("]")) inputs.push_back(path.substr(0, path.rfind('[')));
    }
  }
  if (!options.rules.empty()) inputs.push_back(options.rules);
  for (const std::string& path : {options.json, options.junit, options.matched}) {
    if (path.empty() || path == "-") continue;
    if (std::find(outputs.begin(), outputs.end(), path) != outputs.end())
      throw Error(ErrorKind::config, path + " is named for two outputs; the second would replace the first");
    outputs.push_back(path);
  }
  KeptFiles(inputs).require_kept(outputs);
}

void print(const std::vector<FileComparison>& files, const CompareRules& rules, const CompareOptions& options) {
  if (options.json == "-") return print_result(format_json(files, rules));
  if (options.junit == "-") return print_result(format_junit(files));
  if (!is_directory(options.reference)) {
    if (options.verbosity == Verbosity::normal && is_equal(files.front()))
      return print_result(format_equal(files.front()));
    const bool quiet = options.verbosity == Verbosity::quiet;
    print_result(quiet ? format_notes(files.front()) : format_tables(files.front()));
    return print_result(format_verdict(files.front()));
  }
  for (const FileComparison& file : files) {
    if (options.verbosity == Verbosity::verbose && file.failure.empty()) print_result(format_tables(file));
  }
  print_result(format_files(files));
}

}  // namespace

std::vector<FileComparison> compare_paths(const CompareOptions& options, const CompareRules& rules) {
  std::vector<FileComparison> files = list_files(options);
  require_kept(options, files);
  compare_all(files, rules, options);
  write_file(options.json, options.json.empty() ? "" : format_json(files, rules));
  write_file(options.junit, options.junit.empty() ? "" : format_junit(files));
  return files;
}

int run_compare(const CompareOptions& options) {
  configure_log(options.verbosity, "", false);
  const CompareRules rules = options.rules.empty() ? default_rules() : load_rules(options.rules);
  if (options.dump_rules) {
    print_result(dump_rules(rules));
    return 0;
  }
  std::vector<FileComparison> files = compare_paths(options, rules);
  print(files, rules, options);
  if (!options.update.empty()) update_references(files, options.reference, options.update);
  int code = 0;
  for (const FileComparison& file : files) {
    // With --update, a file beyond the rules does not count, since the new catalogue has become the reference.
    if (options.update.empty() || file.code != 0) code = std::max(code, code_of(file));
  }
  return code;
}

}  // namespace srcextract
