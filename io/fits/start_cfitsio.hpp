#pragma once

namespace srcextract {

/// Initialises CFITSIO. Must precede any other CFITSIO call in any thread. Without this call CFITSIO 4.2 initialises
/// its lock when the first file is opened. If another thread holds the lock at that moment, all threads wait for ever.
void start_cfitsio();

}  // namespace srcextract
