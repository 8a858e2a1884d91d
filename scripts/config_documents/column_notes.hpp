#pragma once

#include <span>
#include <string>

#include "stages/catalogue/declared_columns.hpp"

namespace srcextract::documents {

/// What docs/catalogue.md says of a column beside what is declared of it. Markdown, on one line.
struct ColumnNote {
  std::string name = {};
  std::string definition = {};
  std::string source = {};      ///< where the definition is from
  std::string sextractor = {};  ///< its name in SExtractor and, after a colon, the difference; empty: none
  std::string sep = {};         ///< the name in what sep.extract returns, or the function
  std::string photutils = {};   ///< the name in photutils' SourceCatalog
};

// Where definitions are from.
inline constexpr const char* manual = "";
inline constexpr const char* bertin_arnouts = "Bertin & Arnouts (1996)";
inline constexpr const char* kron = "Kron (1980)";
inline constexpr const char* petrosian = "Petrosian (1976)";
inline constexpr const char* maddox = "Maddox et al. (1990)";
inline constexpr const char* king = "King (1983)";
inline constexpr const char* stetson = "Stetson (1987)";
inline constexpr const char* ours_alone = "srcextract";

/// ColumnNote::sextractor of a column that has the same name and meaning in SExtractor.
inline constexpr const char* same = "=";

/// Notes of the columns that catalogues have without being asked for.
std::span<const ColumnNote> notes_of_default_columns();
/// Notes of the other columns in pixels, except magnitudes and ISO1 to ISO7, whose notes follow from their names.
std::span<const ColumnNote> notes_of_further_columns();

/// The note of a column. Throws std::runtime_error if there is none.
ColumnNote note_of(const std::string& name, const ColumnNeeds& needs);

}  // namespace srcextract::documents
