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

/// Bytes for the columns that are compared at once. With pairs and sorting, a comparison of ten million rows stays
/// below 4 GB.
constexpr std::int64_t memory_for_columns = std::int64_t{13} << 27;

/// Reading one catalogue may take --memory divided by this number: a comparison holds two catalogues, and shared data.
constexpr std::int64_t readings = 4;

/// The memory limit of a comparison: --memory, or that of its control group, which would kill the process beyond it.
std::optional<std::int64_t> memory_of(const CompareOptions& options) {
  if (options.memory) return options.memory;
  const AvailableMemory available = available_memory();
  return available.by_group ? std::optional(available.bytes) : std::nullopt;
}

/// The memory limit of reading one catalogue.
TableRoom room_of(const std::optional<std::int64_t>& memory) {
  return {memory ? *memory / readings : available_memory().bytes};
}

/// Estimates a file's number of rows. A text field takes about as many bytes as a number in memory; gzip shrinks text
/// to a quarter.
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

/// Compares two files. If `options.matched` is set, also writes the matched rows of both sides there.
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

/// Throws Error{config} unless both paths are whole files: --update cannot replace single extensions.
void require_whole_files(const CompareOptions& options) {
  for (const std::string& path : {options.reference, options.other}) {
    if (!std::filesystem::is_regular_file(path))
      throw Error(ErrorKind::config, path +
                                         " is not a file that --update could replace or put in place; name files "
                                         "without an extension in brackets");
  }
}

/// The files to compare; none is read yet.
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
    table_format(options.matched);  // reports a wrong ending before the work
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

/// Compares all files. For directories, an error is a failure of that file alone, unless it is internal or for lack of
/// memory.
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
    // The matched rows are no longer needed, and may be large.
    file.comparison.matches = {};
  }
}

/// Exit code for a file: the code of its error, 0 if it is within the rules, else the code of a mismatch.
int code_of(const FileComparison& file) {
  if (file.code != 0) return file.code;
  return file.within() ? 0 : exit_code(ErrorKind::mismatch);
}

/// No output may replace an input or another output.
void require_kept(const CompareOptions& options, const std::vector<FileComparison>& files) {
  std::vector<std::string> inputs, outputs;
  for (const FileComparison& file : files) {
    // Cuts off the extension in brackets that the user may have named.
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
    // A difference no longer counts once the new catalogue is the reference.
    if (options.update.empty() || file.code != 0) code = std::max(code, code_of(file));
  }
  return code;
}

}  // namespace srcextract
