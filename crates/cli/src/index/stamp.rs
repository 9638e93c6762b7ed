//! What the system reports of files, as indexes have it.

use heist_index::{Stamp, nanoseconds};
use heist_walk::FileMetadata;

/// What the system reports of a file that changes whenever its contents do.
pub(crate) fn stamp_of(metadata: &FileMetadata) -> Stamp {
    let FileMetadata { id, size, mode, modified, changed } = *metadata;
    Stamp {
        inode: id.inode,
        size,
        mode,
        modified: nanoseconds(modified.0, modified.1),
        changed: nanoseconds(changed.0, changed.1),
    }
}
