#pragma once

namespace srcextract {

/// The formats a catalogue can be written in; io/catalog/catalog.hpp says what each holds.
enum class CatalogFormat { fits, ldac, ecsv, csv, ascii_head, votable, votable_text, reg, crtf };

}  // namespace srcextract
