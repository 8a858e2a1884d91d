#include "io/catalog/table_writer.hpp"

#include "io/catalog/row_sink.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

[[noreturn]] void refuse_ending(const std::string& path, const std::string& endings) {
  throw Error(ErrorKind::config, path + ": its ending tells no format to write; let the name end in one of " + endings);
}

template <class F>
std::string endings_of(F&& is_wanted) {
  std::string endings;
  for (const FormatNames& format : catalog_formats)
    if (is_wanted(format)) endings += (endings.empty() ? "" : " ") + std::string(format.ending);
  return endings;
}

}  // namespace

const FormatNames& format_of_ending(const std::string& path, const std::string& further) {
  const FormatNames* const found = format_of_name(path);
  if (!found) refuse_ending(path, endings_of([](const FormatNames&) { return true; }) + further);
  return *found;
}

CatalogFormat table_format(const std::string& path) {
  const FormatNames* const found = format_of_name(path);
  if (!found || !found->table) refuse_ending(path, table_endings());
  return found->format;
}

std::string table_endings() {
  return endings_of([](const FormatNames& format) { return format.table; });
}

OutputFile write_table(const std::string& path, const Table& table, const CatalogMetadata& metadata, const Cpu& where) {
  const CatalogFormat format = table_format(path);
  if (table.columns.empty()) {
    throw Error(ErrorKind::internal, path + ": a table without columns cannot be written; please report this");
  }
  OutputFile file(path);
  write_all(format, file, rows_of(table), metadata, where);
  return file;
}

}  // namespace srcextract
