#pragma once

#include <span>
#include <string>

#include "stages/catalogue/declared_columns.hpp"

namespace srcextract::documents {

/// The texts about a column in docs/catalogue.md that do not follow from its declaration in the code. Each text is
/// Markdown on one line.
struct ColumnNote {
  std::string name = {};
  std::string definition = {};
  std::string source = {};  ///< who defined the column: one of the constants below
  /// name in SExtractor, then a colon or semicolon and the difference, if there is one; `same` or empty (SExtractor
  /// lacks the column) are special
  std::string sextractor = {};
  std::string sep = {};  ///< name of the field that sep.extract returns, or of the sep function for the same quantity
  std::string photutils = {};  ///< name in photutils' SourceCatalog
};

// Values of ColumnNote::source: who defined a column. `manual` stands for SExtractor's manual.
inline constexpr const char* manual = "";
inline constexpr const char* bertin_arnouts = "Bertin & Arnouts (1996)";
inline constexpr const char* kron = "Kron (1980)";
inline constexpr const char* petrosian = "Petrosian (1976)";
inline constexpr const char* maddox = "Maddox et al. (1990)";
inline constexpr const char* king = "King (1983)";
inline constexpr const char* stetson = "Stetson (1987)";
inline constexpr const char* ours_alone = "srcextract";

/// Value of ColumnNote::sextractor for a column that has the same name and meaning in SExtractor.
inline constexpr const char* same = "=";

/// Notes of the columns that catalogues contain by default.
std::span<const ColumnNote> notes_of_default_columns();
/// Notes of all other columns in pixel units, except magnitudes and ISO1 to ISO7, whose notes derive from their names.
std::span<const ColumnNote> notes_of_further_columns();

/// The note of the column `name`, which is computed from the columns `needs`. Throws std::runtime_error if there is no
/// note.
ColumnNote note_of(const std::string& name, const ColumnNeeds& needs);

/// Markdown tables of all catalogue columns for docs/catalogue.md: meaning and unit by group, then types and UCDs, and
/// the names in other programs. Each has at most four columns, which fit a phone.
std::string column_table();

}  // namespace srcextract::documents
