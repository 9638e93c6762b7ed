//! Prints the files that a search would look at: `cargo run --example list -- [PATH…]`.

use heist::{Error, Walk};

fn main() -> Result<(), Error> {
    let mut walk = Walk::default().sorted();
    for path in std::env::args_os().skip(1) {
        walk = walk.root(path);
    }
    for entry in walk {
        match entry {
            Ok(entry) => println!("{}", entry.path().display()),
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(())
}
