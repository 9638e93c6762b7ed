//! `--index-update` and `--index-verify`: every wanted file is shown to an index.

use std::{
    error::Error,
    io,
    ops::ControlFlow,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use heist_filter::{Filter, Problem};
use heist_index::{Added, Builder, Built, Home, Stamp, Verified, Verifier};
use heist_walk::{Assist, DirVisitor, Entry, Helpers, Listed, OrderedVisitor, Visitor, Wants};

use super::tree::{visit_tree, visit_tree_plainly};
use crate::{
    index::{Recorder, TrustedDevice, Unchanged, WorkerRecord, device_of, own_reason, stamp_of},
    resolved::ResolvedArgs,
    run::progress::Drawing,
    texts::messages::Messages,
};

/// Builds the index of `root` or brings it up to date, so that it covers all wanted files. Returns
/// also how many it does not cover because they have just changed, or as if in the future.
///
/// # Errors
/// The index cannot be written; files that cannot be read are reported.
pub(crate) fn update_index(
    home: &Home,
    root: &Path,
    args: &ResolvedArgs,
    filter: &Filter,
    messages: &Messages,
) -> Result<(Built, u64), Box<dyn Error>> {
    let TrustedDevice { device, trusts_dirs } = device_of(root)?;
    let builder = Builder::update(&home.dir_of(root), root)?;
    let drawing = draw_progress(args, filter);
    let tree = args.coverage.as_ref().map(|coverage| coverage.tree());
    let recorder = Recorder::new(device, root, tree.cloned());
    let unsettled = AtomicU64::new(0);
    let visitor = || {
        let create = || builder.collector();
        let visit = collect(create, args, device, |collector, stamp, file| {
            if !collector.keep(stamp) {
                let added = collector.add(&mut file.open()?.file).map_err(io_error)?;
                // Ordering: Relaxed; the number is read after all workers were joined.
                unsettled.fetch_add((added == Added::Unsettled).into(), Ordering::Relaxed);
                if added != Added::Covered {
                    log::debug!("{}: not covered: {added:?}", file.path().display());
                }
            }
            Ok(())
        });
        let files = EachFile { visit: Box::new(visit), messages };
        Recording { files, record: recorder.worker() }
    };
    visit_tree(args, filter, visitor);
    drop(drawing);
    let threads = threads(args);
    let built = match args.walk.follow || !trusts_dirs {
        // Paths through links are none of directories, whose stamps may prove nothing.
        true => builder.finish(threads),
        false => match tree.and_then(|tree| tree.index()) {
            Some(old) if recorder.is_unchanged() => {
                let old = &old.index;
                builder.finish_with_same_snapshot(threads, old, || recorder.finish())
            }
            _ => builder.finish_with_snapshot(threads, recorder.finish()),
        },
    }?;
    Ok((built, unsettled.into_inner()))
}

/// Reads every wanted file that the index of `root` covers, and compares. Reports the files that do
/// not contain what was indexed.
///
/// # Errors
/// There is no index, or it cannot be read.
pub(crate) fn verify_index(
    home: &Home,
    root: &Path,
    args: &ResolvedArgs,
    filter: &Filter,
    messages: &Messages,
) -> Result<Verified, Box<dyn Error>> {
    let verifier = Verifier::new(&home.dir_of(root), root);
    let verifier = verifier.map_err(|error| own_reason(home, root, &error))?;
    let device = device_of(root)?.device;
    let drawing = draw_progress(args, filter);
    each_file(args, filter, messages, &|| {
        let create = || verifier.collector();
        Box::new(collect(create, args, device, |collector, stamp, file| {
            collector.add(stamp, &mut file.open()?.file).map(drop).map_err(io_error)
        }))
    });
    drop(drawing);
    let verified = verifier.finish(threads(args))?;
    if !verified.differing.is_empty() {
        report_differing(&verified.differing, device, args, filter, messages);
    }
    Ok(verified)
}

/// The threads that write an index, which wait for no disk.
fn threads(args: &ResolvedArgs) -> usize {
    args.walk.workers - args.walk.extra_workers
}

/// Returns what one worker does with each file: it takes the stamp, counts the file, and calls
/// `add` with its own collector, which `create` returns. It leaves out files on other devices than
/// the tree: links lead to them, or they are mounted in the tree. Files in the tree could have the
/// same stamps.
fn collect<C: Send>(
    create: impl Fn() -> C + Send,
    args: &ResolvedArgs,
    device: u64,
    add: impl Fn(&mut C, &Stamp, &Entry<'_>) -> io::Result<()> + Send,
) -> impl FnMut(&Entry<'_>) -> io::Result<()> + Send {
    // A worker without files needs no collector.
    let mut collector = None;
    let counts = args.progress.as_ref().map(|progress| progress.worker());
    move |file| {
        let metadata = file.file_metadata()?;
        let stamp = stamp_of(&metadata);
        if let Some(counts) = &counts {
            counts.add_file();
            counts.add_bytes(stamp.size);
        }
        if metadata.id.device != device {
            log::debug!("{}: not covered: it is on another device", file.path().display());
            return Ok(());
        }
        add(collector.get_or_insert_with(&create), &stamp, file)
    }
}

/// Determines how much of a tree is as its index has it.
///
/// # Errors
/// There is no index, or it cannot be used.
pub(crate) fn compare_with_index(
    root: &Path,
    args: &ResolvedArgs,
    filter: &Filter,
) -> Result<Unchanged, heist_index::Error> {
    let indexes = args.indexes.as_ref().ok_or(heist_index::Error::Absent)?;
    let covers = indexes.covers(root)?;
    let [covered, all] = [const { AtomicU64::new(0) }; 2];
    each_file(args, filter, &Messages::new(true, true), &|| {
        Box::new(|file| {
            let is_covered = covers(&file.file_metadata()?);
            // Ordering: Relaxed; the numbers are read after all workers were joined.
            covered.fetch_add(is_covered.into(), Ordering::Relaxed);
            all.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    });
    let files = [covered.into_inner(), all.into_inner()];
    let dirs = args.coverage.as_ref().map_or([0; 2], |coverage| coverage.tree().unchanged());
    Ok(Unchanged { files, dirs })
}

/// Reports the files with these stamps on the device of the tree.
fn report_differing(
    stamps: &[Stamp],
    device: u64,
    args: &ResolvedArgs,
    filter: &Filter,
    messages: &Messages,
) {
    each_file(args, filter, messages, &|| {
        Box::new(|file| {
            let metadata = file.file_metadata()?;
            if metadata.id.device == device && stamps.contains(&stamp_of(&metadata)) {
                return Err(io::Error::other("the index is wrong about this file"));
            }
            Ok(())
        })
    });
}

/// The time after which the bar of an index is drawn first.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Draws a bar for all wanted files until what this returns is dropped, if that is wanted.
fn draw_progress(args: &ResolvedArgs, filter: &Filter) -> Option<Drawing> {
    let progress = args.progress.as_ref()?;
    let total = AtomicU64::new(0);
    // What is wrong is reported when the files are read.
    each_file(args, filter, &Messages::new(true, true), &|| {
        Box::new(|_| {
            // Ordering: Relaxed; the number is read after all workers were joined.
            total.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    });
    progress.begin(total.into_inner());
    Some(progress.draw(AT_ONCE))
}

fn io_error(error: heist_index::Error) -> io::Error {
    match error {
        heist_index::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Calls what `visit` creates, once for each worker, with every wanted file, and reports errors.
fn each_file<'a>(
    args: &ResolvedArgs,
    filter: &Filter,
    messages: &'a Messages,
    visit: &(dyn Fn() -> Visit<'a> + Sync),
) {
    visit_tree_plainly(args, filter, || EachFile { visit: visit(), messages });
}

/// What one worker does with each file.
type Visit<'a> = Box<dyn FnMut(&Entry<'_>) -> io::Result<()> + Send + 'a>;

/// One worker's part.
struct EachFile<'a> {
    visit: Visit<'a>,
    messages: &'a Messages,
}

impl Visitor for EachFile<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if let Err(error) = (self.visit)(file) {
            self.messages.path_error(file.path().as_os_str().as_encoded_bytes(), &error);
        }
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: heist_walk::Error) {
        self.messages.walk_error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }
}

/// One worker's part of a visit that also records directories.
struct Recording<'a> {
    files: EachFile<'a>,
    record: WorkerRecord<'a>,
}

impl Visitor for Recording<'_> {
    const WANTED_ENTRIES: Wants = Wants { listings: true, ..Wants::ONLY_FILES };

    fn entry(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()> {
        self.files.entry(file, helpers)
    }

    fn error(&mut self, error: heist_walk::Error) {
        self.files.error(error);
    }

    fn problem(&mut self, problem: Problem) {
        self.record.note_problem();
        self.files.problem(problem);
    }
}

impl OrderedVisitor for Recording<'_> {
    const FOLLOWS_ITEMS: bool = false;
}

impl Assist for Recording<'_> {}

impl DirVisitor for Recording<'_> {
    fn listed(&mut self, listed: &Listed<'_>) {
        self.record.add(listed);
    }
}
