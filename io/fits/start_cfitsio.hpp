#pragma once

namespace srcextract {

/// Comes before any other call of CFITSIO, in any thread. Left to itself the library (4.2) initialises its lock when
/// the first file is opened, while other threads may hold it already: then all wait for ever.
void start_cfitsio();

}  // namespace srcextract
