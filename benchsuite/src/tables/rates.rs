//! The best walk of each corpus, for the facts before the first figure.

use minijinja::{Value, context};

use crate::record::{Comparison, Record, Row, fastest};

/// The task that visits every entry, so that entries per second are meaningful.
const WALK_OF_ALL: &str = "list-all";

/// The figures in document 3: mean, throughput and speedup of the best walk through each corpus.
/// Throughput is how many directories, files and symbolic links there are, divided by the mean, as
/// there.
pub(super) fn rates(record: &Record) -> Value {
    let walks = record.comparisons.iter().filter(|comparison| comparison.task == WALK_OF_ALL);
    walks.filter_map(|comparison| rate(record, comparison)).collect()
}

fn rate(record: &Record, comparison: &Comparison) -> Option<Value> {
    let corpus = record.corpora.iter().find(|corpus| corpus.name == comparison.corpus)?;
    let shape = &corpus.shape;
    let own = || comparison.rows.iter().filter(|row| row.is_house());
    let row = fastest(own())?;
    let mean = row.ranked()?.mean;
    let alone = own().filter(|row| row.threads == Some(1)).find_map(Row::ranked);
    (mean > 0.0).then(|| {
        context! {
            corpus => &corpus.name,
            cache => &comparison.cache,
            best => row.name(),
            mean,
            alone => alone.map(|wall| wall.mean),
            entries => shape.directories + shape.files + shape.symlinks,
        }
    })
}
