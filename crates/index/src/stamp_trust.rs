//! What stamps prove, by file system (docs/decisions/0179-file-systems-and-their-stamps.md).

use std::{io, path::Path};

/// What an unchanged stamp proves on the file system of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampTrust {
    /// A file with the same stamp has the same contents, a directory the same names.
    FilesAndDirs,
    /// A file with the same stamp has the same contents. A directory may have other names: on an
    /// overlay, those that another program has added to a lower layer.
    Files,
    /// Nothing, for this reason.
    Nothing(&'static str),
}

impl StampTrust {
    /// Returns what stamps prove in the directory at `path`. Elsewhere than on Linux that is
    /// nothing.
    ///
    /// # Errors
    /// The system's error.
    pub fn of(path: &Path) -> io::Result<StampTrust> {
        #[cfg(target_os = "linux")]
        {
            // Magic numbers have 32 bits; the width of the field depends on the architecture.
            let magic = rustix::fs::statfs(path)?.f_type as u32;
            match magic {
                linux::OVERLAY_MAGIC => linux::of_overlay(path),
                magic => Ok(linux::of_magic(magic)),
            }
        }
        #[cfg(not(target_os = "linux"))]
        std::fs::metadata(path).map(|_| StampTrust::Nothing(UNKNOWN))
    }
}

/// The reason for file systems of which nothing is known.
const UNKNOWN: &str =
    "this file system is not known to change the times of a file with each change";

#[cfg(target_os = "linux")]
mod linux {
    use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

    use super::{StampTrust, UNKNOWN};

    /// `linux/magic.h`: an overlay.
    pub(super) const OVERLAY_MAGIC: u32 = 0x794c_7630;

    /// What is known of a file system by its magic number, as `linux/magic.h` has it.
    pub(super) fn of_magic(magic: u32) -> StampTrust {
        match magic {
            // ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, ZFS.
            0xef53 | 0x5846_5342 | 0x9123_683e | 0xf2f5_2010 | 0x0102_1994 | 0x2fc1_2fc1 => {
                StampTrust::FilesAndDirs
            }
            0x6573_5546 => StampTrust::Nothing(
                "a program serves this file system (FUSE, virtiofs), which may report times late, \
                 or times that it makes up",
            ),
            0x6969 => StampTrust::Nothing(
                "this is NFS: the system learns of a change on the server up to a minute later",
            ),
            0xff53_4d42 | 0xfe53_4d42 => StampTrust::Nothing(
                "this is SMB: the system learns of a change on the server later",
            ),
            0x0102_1997 => StampTrust::Nothing(
                "this is 9P: a server reports the times, perhaps in whole seconds",
            ),
            // SquashFS, EROFS, ISO 9660.
            0x7371_7368 | 0xe0f5_e1e2 | 0x9660 => StampTrust::Nothing(
                "the times are those that an image was made with, and another image may have the \
                 same",
            ),
            // FAT, exFAT.
            0x4d44 | 0x2011_bab0 => StampTrust::Nothing(
                "this file system stores no time of change, only times that any program can set",
            ),
            _ => StampTrust::Nothing(UNKNOWN),
        }
    }

    /// What is known of an overlay by the options that it was mounted with.
    pub(super) fn of_overlay(path: &Path) -> io::Result<StampTrust> {
        let device = fs::metadata(path)?.dev();
        let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        let unknown = StampTrust::Nothing("the options of this overlay are not known");
        let Ok(mounts) = fs::read_to_string("/proc/self/mountinfo") else { return Ok(unknown) };
        // An option is listed if it is not the default.
        let Ok(xino) = fs::read_to_string("/sys/module/overlay/parameters/xino_auto") else {
            return Ok(unknown);
        };
        let options = options_of(&mounts, &device);
        Ok(options.map_or(unknown, |options| of_overlay_with(options, xino.trim() != "N")))
    }

    /// The options of the file system on this device in the lines of `/proc/self/mountinfo`.
    ///
    /// ```text
    /// 36 35 0:39 / /mnt rw,relatime - overlay overlay rw,lowerdir=lo,upperdir=up,workdir=wk
    /// ```
    fn options_of<'m>(mounts: &'m str, device: &str) -> Option<&'m str> {
        mounts.lines().rev().find_map(|line| {
            let (mount, file_system) = line.split_once(" - ")?;
            let is_it = mount.split(' ').nth(2) == Some(device);
            file_system.split(' ').nth(2).filter(|_| is_it)
        })
    }

    /// What is known of an overlay with these options, and `xino=auto` if that is the default.
    pub(super) fn of_overlay_with(options: &str, xino_is_default: bool) -> StampTrust {
        let has = |option: &str| options.split(',').any(|given| given.starts_with(option));
        if !has("upperdir=") {
            return StampTrust::Nothing(
                "this overlay has no upper layer, and its lower layers may be images with times \
                 that others also have",
            );
        }
        if has("metacopy=on") {
            return StampTrust::Nothing(
                "this overlay is mounted with metacopy=on: a file's contents may be in another \
                 layer than its times",
            );
        }
        if has("xino=on") || has("xino=auto") || xino_is_default && !has("xino=off") {
            return StampTrust::Nothing(
                "this overlay is mounted with xino: files on other file systems cannot be \
                 distinguished from its own",
            );
        }
        StampTrust::Files
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn options_decide_about_overlays() {
            let plain = "rw,lowerdir=a,upperdir=b,workdir=c,uuid=on";
            assert_eq!(of_overlay_with(plain, false), StampTrust::Files);
            assert_eq!(of_overlay_with(&format!("{plain},xino=off"), true), StampTrust::Files);
            assert!(matches!(of_overlay_with(plain, true), StampTrust::Nothing(_)));
            for options in [
                "ro,lowerdir=a:b".to_owned(),
                format!("{plain},metacopy=on"),
                format!("{plain},xino=on"),
                format!("{plain},xino=auto"),
            ] {
                let trust = of_overlay_with(&options, false);
                assert!(matches!(trust, StampTrust::Nothing(_)), "{options}");
            }
        }

        #[test]
        fn a_mount_is_found_by_its_device() {
            let mounts = "21 20 8:1 / / rw - ext4 /dev/sda1 rw\n\
                          36 21 0:39 / /a\\040b rw,relatime shared:7 - overlay overlay rw,upperdir=b\n\
                          nonsense\n";
            assert_eq!(options_of(mounts, "0:39"), Some("rw,upperdir=b"));
            assert_eq!(options_of(mounts, "8:1"), Some("rw"));
            assert_eq!(options_of(mounts, "0:3"), None);
        }

        #[test]
        fn what_is_refused_has_a_reason() {
            assert_eq!(of_magic(0xef53), StampTrust::FilesAndDirs);
            for magic in [0x6969, 0x6573_5546, 0x0102_1997, 0x7371_7368, 0x4d44, 0x9fa0] {
                assert!(matches!(of_magic(magic), StampTrust::Nothing(_)), "{magic:x}");
            }
        }
    }
}
