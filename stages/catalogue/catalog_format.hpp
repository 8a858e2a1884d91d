#pragma once

namespace srcextract {

/// The formats a catalogue can be written in; io/catalog/catalog.hpp says what each holds.
enum class CatalogFormat { fits, ecsv, csv, votable, votable_text, reg, crtf };

}  // namespace srcextract
