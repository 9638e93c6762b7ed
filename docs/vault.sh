#!/bin/sh
# Creates the repository `vault`, which the examples of GUIDE.md search, in the current directory.
set -eu
mkdir vault
cd vault
# A directory `.git` marks the top of a repository.
mkdir -p .git .github src notes target/debug
printf 'target/\n*.log\n!keep.log\n' > .gitignore
printf 'run: cargo test  # open the door\n' > .github/ci.yml
cat > README.md <<'END'
# Vault

How to open the door:

    vault open --door 3
END
cat > src/main.rs <<'END'
mod door;
mod key;

fn main() {
    let key = key::find();
    door::open(key);
}
END
cat > src/door.rs <<'END'
use crate::key::Key;

/// Open the door.
pub fn open(key: Key) {
    if key.fits() {
        println!("open");
    } else {
        panic!("TODO: the door is shut");
    }
}
END
cat > src/key.rs <<'END'
pub struct Key {
    teeth: u8,
}

impl Key {
    pub fn fits(&self) -> bool {
        self.teeth == 7
    }
}

// TODO: look for it
pub fn find() -> Key {
    Key { teeth: 7 }
}
END
printf 'open the door\r\ntake the gold\r\nclose the door\r\n' > notes/plan.txt
# In Latin-1.
printf 'le caf\351 est ouvert\n' > notes/café.txt
printf 'the old door\nthe old key\n' | gzip > notes/old.txt.gz
printf 'door\0\001\002' > logo.bin
printf 'door\n' > target/debug/out.txt
printf 'door built\n' > build.log
printf 'door kept\n' > keep.log
