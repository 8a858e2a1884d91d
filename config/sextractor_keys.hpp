#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace srcextract {

/// What the values of a key of SExtractor's are: any text, one of some words, a number, a whole one, or Y and N.
enum class SextractorValue { text, word, number, integer, yes_no };

/// What becomes of a key.
enum class SextractorFate {
  kept,     ///< keys of ours mean the same
  missing,  ///< none does: the catalogue may be another where it is not at its default
  idle      ///< no catalogue of ours depends on it
};

/// A key of SExtractor 2.25's configuration, as `source-extractor -dd` lists it.
struct SextractorKey {
  std::string_view name;
  std::string_view usual;  ///< its default, as SExtractor writes it
  SextractorValue value;
  std::size_t least, most;  ///< values; where it has one, SExtractor looks at no further ones
  std::string_view words;   ///< of SextractorValue::word, with blanks between them
  SextractorFate fate;
  std::string_view ours;  ///< our keys for it; or, where there are none, the reason and what comes nearest
};

/// All of them, in SExtractor's order.
std::span<const SextractorKey> sextractor_keys();

/// The one of this name, in any case, as SExtractor reads them; null if there is none.
const SextractorKey* find_sextractor_key(std::string_view name);

/// What to say of a word of this name that stands where a key of ours should: what it is here. Empty if it is none of
/// SExtractor's.
std::string sextractor_key_advice(const std::string& name);

}  // namespace srcextract
