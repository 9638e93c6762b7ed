//! The messages between a search and the process that watches a tree.
//!
//! ```text
//! question: magic 8 │ kind 4 │ identity of the index 8 │ mount namespace 8
//! reply:    magic 8 │ kind 4 │ bytes that follow 4 │ ...
//! ```
//!
//! Numbers are little-endian. Both sides run on one machine, perhaps in different versions: the
//! magic bytes change with the format, and what has others is not understood.

use crate::{
    changes::Changes,
    status::{Status, Unknown},
};

/// To be changed with any change of the format.
const PROTOCOL_MAGIC: [u8; 8] = *b"hswatch2";

/// What a search, or a command about the process, wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// What has changed since the index with this identity was built, as a process sees it that has
    /// these file systems mounted.
    Changes { identity: u64, mounts: u64 },
    /// What the process does.
    Status,
    /// That the process end.
    Stop,
}

/// The answer to a question.
#[derive(Debug)]
pub(crate) enum Reply<'a> {
    /// What has changed in the directory with this device and inode.
    Changes {
        root: (u64, u64),
        changes: &'a Changes,
    },
    Unknown(&'a Unknown),
    Status(Status),
    Stopping,
}

/// The answer to a question, as it is received.
#[derive(Debug)]
pub(crate) enum Received {
    Changes { root: (u64, u64), changes: Changes },
    Unknown(Unknown),
    Status(Status),
    Stopping,
}

impl Question {
    /// How many bytes a question has.
    pub(crate) const ENCODED_LEN: usize = 28;

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let (kind, identity, mounts) = match self {
            Question::Changes { identity, mounts } => (0u32, identity, mounts),
            Question::Status => (1, 0, 0),
            Question::Stop => (2, 0, 0),
        };
        let mut bytes = PROTOCOL_MAGIC.to_vec();
        bytes.extend(kind.to_le_bytes());
        bytes.extend(identity.to_le_bytes());
        bytes.extend(mounts.to_le_bytes());
        bytes
    }

    /// The question, unless another version sent it.
    pub(crate) fn from_bytes(bytes: &[u8; Question::ENCODED_LEN]) -> Option<Question> {
        let mut rest = bytes.strip_prefix(&PROTOCOL_MAGIC)?;
        let (kind, identity, mounts) = (u32_in(&mut rest)?, u64_in(&mut rest)?, u64_in(&mut rest)?);
        match kind {
            0 => Some(Question::Changes { identity, mounts }),
            1 => Some(Question::Status),
            2 => Some(Question::Stop),
            _ => None,
        }
    }
}

/// How many bytes a reply begins with that state its kind and how many more follow.
pub(crate) const HEAD_LEN: usize = 16;

impl Reply<'_> {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let mut put = |number: u64| body.extend(number.to_le_bytes());
        let kind: u32 = match self {
            Reply::Changes { root, changes } => {
                put(root.0);
                put(root.1);
                changes.write(&mut body);
                0
            }
            Reply::Unknown(why) => {
                put(match why {
                    Unknown::OtherIndex => 0,
                    Unknown::OtherMounts => 1,
                    Unknown::Comparing => 2,
                    Unknown::Lost => 3,
                    _ => 4,
                });
                1
            }
            Reply::Status(status) => {
                let Status { process, seconds, dirs, answers, changes, is_comparing } = status;
                [u64::from(*process), *seconds, *dirs, *answers].into_iter().for_each(&mut put);
                changes.iter().for_each(|&count| put(count.into()));
                put(u64::from(*is_comparing));
                2
            }
            Reply::Stopping => 3,
        };
        let mut bytes = PROTOCOL_MAGIC.to_vec();
        bytes.extend(kind.to_le_bytes());
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(body);
        bytes
    }
}

/// The kind of a reply, and how many bytes follow, unless another version sent it.
pub(crate) fn reply_head(head: &[u8; HEAD_LEN]) -> Option<(u32, usize)> {
    let mut rest = head.strip_prefix(&PROTOCOL_MAGIC)?;
    Some((u32_in(&mut rest)?, u32_in(&mut rest)? as usize))
}

/// The reply of this kind, unless another version sent it.
pub(crate) fn reply_of(kind: u32, body: &[u8]) -> Option<Received> {
    let mut rest = body;
    match kind {
        0 => {
            let root = (u64_in(&mut rest)?, u64_in(&mut rest)?);
            Some(Received::Changes { root, changes: Changes::take(&mut rest)? })
        }
        1 => Some(Received::Unknown(match u64_in(&mut rest)? {
            0 => Unknown::OtherIndex,
            1 => Unknown::OtherMounts,
            2 => Unknown::Comparing,
            3 => Unknown::Lost,
            _ => Unknown::OtherVersion,
        })),
        2 => {
            let process = u64_in(&mut rest)? as u32;
            let mut number = || u64_in(&mut rest);
            let (seconds, dirs, answers) = (number()?, number()?, number()?);
            let changes = [number()? as u32, number()? as u32, number()? as u32];
            let is_comparing = number()? != 0;
            let status = Status { process, seconds, dirs, answers, changes, is_comparing };
            Some(Received::Status(status))
        }
        3 => Some(Received::Stopping),
        _ => None,
    }
}

fn u32_in(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*bytes))
}

fn u64_in(rest: &mut &[u8]) -> Option<u64> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_written_or_not_at_all() {
        let questions =
            [Question::Changes { identity: 1 << 60, mounts: 77 }, Question::Status, Question::Stop];
        for question in questions {
            let mut bytes = question.to_bytes().try_into().unwrap();
            assert_eq!(Question::from_bytes(&bytes), Some(question));
            bytes[7] += 1;
            assert_eq!(Question::from_bytes(&bytes), None);
        }
        let mut changes = Changes::none(3, 100, 2);
        changes.add_dirs(1..3);
        let reply = Reply::Changes { root: (5, 1 << 40), changes: &changes }.to_bytes();
        let (head, body) = reply.split_first_chunk().unwrap();
        let (kind, len) = reply_head(head).unwrap();
        assert_eq!(len, body.len());
        let Some(Received::Changes { root, changes: received }) = reply_of(kind, body) else {
            panic!("another reply")
        };
        assert_eq!((root, received), ((5, 1 << 40), changes));
        for len in 0..body.len() {
            assert!(reply_of(kind, &body[..len]).is_none());
        }
    }
}
