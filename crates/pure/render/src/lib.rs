//! Templates: hostile input, so strict, with fuel, and without environment, clock or loader.
