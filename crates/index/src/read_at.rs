//! Reads at an offset, which leave a file's position alone.

use std::{fs::File, io};

/// Fills `into` from `offset` on.
pub(crate) fn read_exact_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, into, offset)
    }
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < into.len() {
            let at = offset + done as u64;
            match std::os::windows::fs::FileExt::seek_read(file, &mut into[done..], at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }
}
