#pragma once

namespace srcextract {

/// Initialises CFITSIO; must precede any other CFITSIO call in any thread. Otherwise CFITSIO 4.2 initialises its lock
/// when the first file is opened. Another thread may hold the lock by then, and all threads wait for ever.
void start_cfitsio();

}  // namespace srcextract
