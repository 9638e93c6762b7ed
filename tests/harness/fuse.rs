//! A file system in this process, by the kernel's FUSE protocol, whose oddities a test chooses:
//! those of network file systems, of `/proc`, and of programs that serve files.
//!
//! The protocol is used directly, because libraries have no listing without types and none that
//! repeats itself (`docs/decisions/0099-fuse-without-a-library.md`). Its structures and numbers are
//! those of `linux/fuse.h`.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::AsRawFd,
    path::Path,
    thread,
    time::Duration,
};

use nix::mount::MsFlags;
use rustix::{fs::FileType, io::Errno};

/// The contents of a file, directory or link, and how it misbehaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odd {
    /// The bytes of a file, the target of a link, nothing in a directory.
    pub(crate) contents: Vec<u8>,
    /// The length that is reported, if not that of `contents`.
    pub(crate) len: Option<u64>,
    /// Reads pass the page cache by, and may be short anywhere.
    pub(crate) is_direct: bool,
    /// The most bytes that a read returns, or entries that a listing does.
    pub(crate) step: Option<usize>,
    /// Bytes or entries from this position on cannot be read.
    pub(crate) error: Option<(u64, Errno)>,
    /// The file cannot be opened.
    pub(crate) open_error: Option<Errno>,
    /// The file cannot be found, although it is listed.
    pub(crate) find_error: Option<Errno>,
    /// The first listing that is continued starts this many entries too early, as on servers
    /// that give one position to several entries.
    pub(crate) again: usize,
    /// The time that each read takes.
    pub(crate) delay: Duration,
    /// Reads are never answered, until a signal interrupts them.
    pub(crate) is_silent: bool,
    /// The type in listings, if not the true one.
    pub(crate) listed_as: Option<FileType>,
}

/// A file with the contents `contents`, to be changed.
pub(crate) fn odd(contents: impl AsRef<[u8]>) -> Odd {
    Odd { contents: contents.as_ref().to_vec(), ..Odd::default() }
}

struct Node {
    name: Vec<u8>,
    file_type: FileType,
    odd: Odd,
    children: Vec<usize>,
    /// Whether the current listing has been continued.
    has_repeated: bool,
}

/// A tree of files, until it is mounted. Node numbers are indexes plus one.
pub(crate) struct OddFs {
    nodes: Vec<Node>,
    /// Whether listings have no types.
    has_no_types: bool,
    /// Whether listings have inode numbers that no file has, as those of sshfs.
    has_no_inodes: bool,
    /// Whether inode numbers change from call to call.
    has_new_inodes: bool,
    last_inode: u64,
    /// The requests that are not answered.
    silent: Vec<u64>,
}

/// A request of the kernel.
struct Request<'b> {
    opcode: u32,
    unique: u64,
    node: usize,
    body: &'b [u8],
}

/// `fuse_in_header` and `fuse_out_header`.
const IN_HEADER: usize = 40;
const OUT_HEADER: u32 = 16;

impl OddFs {
    pub(crate) fn new() -> OddFs {
        let mut this = OddFs {
            nodes: Vec::new(),
            has_no_types: false,
            has_no_inodes: false,
            has_new_inodes: false,
            last_inode: 1000,
            silent: Vec::new(),
        };
        this.push(b"", FileType::Directory, Odd::default());
        this
    }

    pub(crate) fn without_types(mut self) -> OddFs {
        self.has_no_types = true;
        self
    }

    pub(crate) fn without_inodes(mut self) -> OddFs {
        self.has_no_inodes = true;
        self
    }

    pub(crate) fn with_new_inodes(mut self) -> OddFs {
        self.has_new_inodes = true;
        self
    }

    /// Adds a file, and its directories if they are missing.
    pub(crate) fn file(mut self, path: impl AsRef<[u8]>, odd: Odd) -> OddFs {
        self.add(path.as_ref(), FileType::RegularFile, odd);
        self
    }

    /// Adds a symbolic link to the contents of `odd`.
    pub(crate) fn link(mut self, path: &str, odd: Odd) -> OddFs {
        self.add(path.as_bytes(), FileType::Symlink, odd);
        self
    }

    /// Adds a directory. An empty path is the root, which is there already.
    pub(crate) fn dir(mut self, path: &str, odd: Odd) -> OddFs {
        match path {
            "" => self.nodes[0].odd = odd,
            path => self.add(path.as_bytes(), FileType::Directory, odd),
        }
        self
    }

    fn add(&mut self, path: &[u8], file_type: FileType, odd: Odd) {
        let mut names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let name = names.pop().expect("a name");
        let mut dir = 0;
        for name in names {
            dir = self.child(dir, name).unwrap_or_else(|| {
                let node = self.push(name, FileType::Directory, Odd::default());
                self.nodes[dir].children.push(node);
                node
            });
        }
        let node = self.push(name, file_type, odd);
        self.nodes[dir].children.push(node);
    }

    fn push(&mut self, name: &[u8], file_type: FileType, odd: Odd) -> usize {
        let (name, children) = (name.to_vec(), Vec::new());
        self.nodes.push(Node { name, file_type, odd, children, has_repeated: false });
        self.nodes.len() - 1
    }

    fn child(&self, dir: usize, name: &[u8]) -> Option<usize> {
        self.nodes[dir].children.iter().copied().find(|node| self.nodes[*node].name == name)
    }

    /// Mounts the tree in the namespace of this thread, and serves it until it is unmounted.
    pub(crate) fn mount(mut self, at: &Path) -> io::Result<()> {
        let mut device = File::options().read(true).write(true).open("/dev/fuse")?;
        let options = format!("fd={},rootmode=40000,user_id=0,group_id=0", device.as_raw_fd());
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
        nix::mount::mount(Some("odd"), at, Some("fuse"), flags, Some(&*options))?;
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 18];
            loop {
                match device.read(&mut buffer) {
                    Ok(len) => self.serve(&buffer[..len], &mut device),
                    // A request that was interrupted before it was read.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // Unmounted.
                    Err(_) => return,
                }
            }
        });
        Ok(())
    }

    fn serve(&mut self, bytes: &[u8], device: &mut File) {
        let request = Request {
            opcode: u32_at(bytes, 4),
            unique: u64_at(bytes, 8),
            node: (u64_at(bytes, 16) as usize).saturating_sub(1),
            body: &bytes[IN_HEADER..],
        };
        let (unique, answer) = match request.opcode {
            // FORGET, BATCH_FORGET: nothing is to be answered.
            2 | 42 => return,
            // INTERRUPT.
            36 => {
                let unique = u64_at(request.body, 0);
                if !self.silent.contains(&unique) {
                    return;
                }
                self.silent.retain(|other| *other != unique);
                (unique, Err(Errno::INTR))
            }
            // READ.
            15 if self.nodes[request.node].odd.is_silent => {
                return self.silent.push(request.unique);
            }
            _ => (request.unique, self.answer(&request)),
        };
        let (error, body) = match answer {
            Ok(body) => (0, body),
            Err(error) => (-error.raw_os_error(), Vec::new()),
        };
        let mut reply = Vec::new();
        reply.extend((OUT_HEADER + body.len() as u32).to_ne_bytes());
        reply.extend(error.to_ne_bytes());
        reply.extend(unique.to_ne_bytes());
        reply.extend(body);
        // It fails if the process that waited has been killed.
        let _ = device.write_all(&reply);
    }

    fn answer(&mut self, request: &Request<'_>) -> Result<Vec<u8>, Errno> {
        let Request { opcode, node, body, .. } = *request;
        let odd = &mut self.nodes[node].odd;
        match opcode {
            // LOOKUP.
            1 => {
                let name = body.split(|byte| *byte == 0).next().unwrap_or_default();
                let found = self.child(node, name).ok_or(Errno::NOENT)?;
                self.nodes[found].odd.find_error.map_or(Ok(()), Err)?;
                // The node and its generation; nothing is kept.
                let mut reply = Reply::default().u64(found as u64 + 1).u64(1).zeros(24);
                self.write_attributes(found, &mut reply);
                Ok(reply.0)
            }
            // GETATTR, and SETATTR, which can change the length.
            3 | 4 => {
                if opcode == 4 && u32_at(body, 0) & 8 != 0 {
                    odd.contents.resize(u64_at(body, 16) as usize, 0);
                }
                let mut reply = Reply::default().zeros(16);
                self.write_attributes(node, &mut reply);
                Ok(reply.0)
            }
            // READLINK.
            5 => Ok(odd.contents.clone()),
            // OPEN, OPENDIR: a handle, and whether to go past the page cache.
            14 | 27 => {
                let reply = Reply::default().u64(0).u32(odd.is_direct.into()).u32(0);
                let opened = odd.open_error.map_or(Ok(reply.0), Err);
                self.nodes[node].has_repeated = false;
                opened
            }
            // READ, READDIR.
            15 => odd.read(u64_at(body, 8), u32_at(body, 16) as usize),
            28 => self.list(node, u64_at(body, 8), u32_at(body, 16) as usize),
            // WRITE.
            16 => {
                let (at, len) = (u64_at(body, 8) as usize, u32_at(body, 16));
                let end = at + len as usize;
                odd.contents.resize(odd.contents.len().max(end), 0);
                odd.contents[at..end].copy_from_slice(&body[40..][..len as usize]);
                Ok(Reply::default().u32(len).u32(0).0)
            }
            // STATFS: no size, and names of up to 255 bytes.
            17 => Ok(Reply::default().zeros(40).u32(4096).u32(255).u32(4096).zeros(28).0),
            // RELEASE, RELEASEDIR.
            18 | 29 => Ok(Vec::new()),
            // INIT: the version, no read-ahead, asynchronous reads, writes of up to 64 KiB.
            26 => {
                let version = Reply::default().u32(7).u32(31);
                Ok(version.u32(0).u32(1).u32(0).u32(1 << 16).u32(1).zeros(36).0)
            }
            _ => Err(Errno::NOSYS),
        }
    }

    /// `fuse_attr`.
    fn write_attributes(&mut self, node: usize, reply: &mut Reply) {
        self.last_inode += 1;
        let inode = if self.has_new_inodes { self.last_inode } else { node as u64 + 1 };
        let Node { odd, file_type, .. } = &self.nodes[node];
        let len = odd.len.unwrap_or(odd.contents.len() as u64);
        let mode = file_type.as_raw_mode() | 0o755;
        // Times and owners are zero, blocks have 4096 bytes.
        let attributes = Reply::default().u64(inode).u64(len).zeros(44).u32(mode).u32(1);
        reply.0.extend(attributes.zeros(12).u32(4096).u32(0).0);
    }

    /// `fuse_dirent`, as often as there is room.
    fn list(&mut self, node: usize, from: u64, room: usize) -> Result<Vec<u8>, Errno> {
        let Node { odd, has_repeated, .. } = &mut self.nodes[node];
        thread::sleep(odd.delay);
        let mut first = from as usize;
        if from > 0 && !std::mem::replace(has_repeated, true) {
            first = first.saturating_sub(odd.again);
        }
        let step = odd.step.unwrap_or(usize::MAX);
        let fails_from = odd.error.map_or(u64::MAX, |(from, _)| from);
        if let Some((position, error)) = odd.error
            && first as u64 >= position
        {
            return Err(error);
        }
        let mut reply = Reply::default();
        for (position, child) in self.nodes[node].children.iter().enumerate().skip(first).take(step)
        {
            let Node { name, file_type, odd, .. } = &self.nodes[*child];
            if reply.0.len() + 24 + name.len().next_multiple_of(8) > room
                || position as u64 >= fails_from
            {
                break;
            }
            let listed_as = odd.listed_as.unwrap_or(*file_type);
            // The type's bits of a mode are those of a listing, further left.
            let kind = if self.has_no_types { 0 } else { listed_as.as_raw_mode() >> 12 };
            let inode = if self.has_no_inodes { u32::MAX.into() } else { *child as u64 + 1 };
            reply = reply.u64(inode).u64(position as u64 + 1).u32(name.len() as u32).u32(kind);
            reply.0.extend(name);
            reply.0.resize(reply.0.len().next_multiple_of(8), 0);
        }
        Ok(reply.0)
    }
}

impl Odd {
    fn read(&self, from: u64, len: usize) -> Result<Vec<u8>, Errno> {
        thread::sleep(self.delay);
        let len = len.min(self.step.unwrap_or(usize::MAX));
        // The kernel takes a short read for the end, unless the page cache is passed by.
        let len = match self.error {
            None => len,
            Some((at, _)) if self.is_direct && from < at => len.min((at - from) as usize),
            Some((at, _)) if from + len as u64 <= at => len,
            Some((_, error)) => return Err(error),
        };
        let rest = self.contents.get(from as usize..).unwrap_or_default();
        Ok(rest[..len.min(rest.len())].to_vec())
    }
}

/// The bytes of a structure, field by field.
#[derive(Default)]
struct Reply(Vec<u8>);

impl Reply {
    fn u32(mut self, value: u32) -> Reply {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn u64(mut self, value: u64) -> Reply {
        self.0.extend(value.to_ne_bytes());
        self
    }

    fn zeros(mut self, len: usize) -> Reply {
        self.0.resize(self.0.len() + len, 0);
        self
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..][..4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..][..8].try_into().expect("eight bytes"))
}
