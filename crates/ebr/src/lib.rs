//! Epoch-based reclamation: memory that readers may still look at is freed when none can.
