//! Pins, retirements and collections in any order on one thread: no object is freed that an earlier
//! pin protects, and every object is freed once, at the latest with the collector.

#![cfg_attr(fuzzing, no_main)]

use std::{cell::Cell, rc::Rc};

use heist_ebr::{Barrier, Collector, Config, Guard, Handle, Reclaim};
use heist_fuzz::Input;

const HANDLES: usize = 3;

/// The number of times that an object was freed.
type Frees = Rc<Cell<u32>>;

/// An object that counts its drops.
struct Counted(Frees);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

/// A retired object, and the handles that protect it: those that were pinned then and have not been
/// unpinned since.
struct Retired {
    frees: Frees,
    protected_by: [bool; HANDLES],
}

fn retire(guard: &Guard<'_>, protected_by: [bool; HANDLES]) -> Retired {
    let frees = Frees::default();
    let object = Box::new(Counted(Rc::clone(&frees)));
    // SAFETY: the box is new, so there is no other pointer to it. The collector and all handles are
    // on this thread, so the object need not be `Send`.
    unsafe { guard.retire(Box::into_raw(object)) };
    Retired { frees, protected_by }
}

fn operate<'h>(
    input: &mut Input<'_>,
    handles: &'h [Handle; HANDLES],
    guards: &mut [Vec<Guard<'h>>; HANDLES],
    retired: &mut Vec<Retired>,
) {
    let operation = input.byte();
    let who = usize::from(operation >> 4) % HANDLES;
    let is_pinned =
        |guards: &[Vec<Guard<'h>>; HANDLES]| std::array::from_fn(|who| !guards[who].is_empty());
    match operation & 15 {
        0..=3 if guards[who].len() < 4 => guards[who].push(handles[who].pin()),
        4..=7 => {
            guards[who].pop();
            if guards[who].is_empty() {
                for object in retired {
                    object.protected_by[who] = false;
                }
            }
        }
        8..=11 => {
            for _ in 0..1 + input.below(80) {
                let pinned = is_pinned(guards);
                retired.push(retire(&handles[who].pin(), pinned));
            }
        }
        12 => handles[who].collect(),
        13 => handles[who].pin().flush(),
        // Some policies of reclamation count unpins.
        _ => {
            for _ in 0..=u16::from(input.byte()) * 2 {
                drop(handles[who].pin());
            }
        }
    }
}

fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let config = Config { reclaim: input.pick(Reclaim::ALL), barrier: input.pick(Barrier::ALL) };
    let collector = Collector::new(config);
    let mut retired = Vec::new();
    {
        let handles = [collector.register(), collector.register(), collector.register()];
        let mut guards: [Vec<Guard<'_>>; HANDLES] = Default::default();
        while !input.is_empty() && retired.len() < 5000 {
            operate(&mut input, &handles, &mut guards, &mut retired);
            for (number, object) in retired.iter().enumerate() {
                let frees = object.frees.get();
                assert!(frees <= 1, "{number} was freed {frees} times");
                assert!(
                    frees == 0 || object.protected_by == [false; HANDLES],
                    "{number} was freed under a pin: {config:?}"
                );
            }
        }
    }
    drop(collector);
    assert!(retired.iter().all(|object| object.frees.get() == 1), "not all are freed: {config:?}");
}

heist_fuzz::target!(check);
