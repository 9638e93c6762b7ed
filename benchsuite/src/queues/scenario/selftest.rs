//! Scenarios that misbehave on purpose: what the tests of the runner run. They are found by name
//! but not listed.

use std::process;
use std::thread;
use std::time::Duration;

use crate::meter::Sample;
use crate::queues::case::{Case, Scenario};

/// A scenario with one row that does this.
pub(crate) enum SelfTest {
    /// Reports less than it should have done.
    Liar,
    /// Never ends.
    Sleeper,
    /// Dies without a sample.
    Crasher,
}

impl Scenario for SelfTest {
    fn name(&self) -> &'static str {
        match self {
            SelfTest::Liar => "liar",
            SelfTest::Sleeper => "sleeper",
            SelfTest::Crasher => "crasher",
        }
    }

    fn about(&self) -> &'static str {
        "Misbehaves, to see whether the runner notices."
    }

    fn cases(&self, _quick: bool) -> Vec<Case> {
        vec![Case::new(self.name(), "", "none", 1, 2)]
    }

    fn measure(&self, row: &Case) -> Result<Sample, String> {
        match self {
            SelfTest::Liar => Ok(Sample { expected: row.size, completed: 1, ..Sample::default() }),
            SelfTest::Sleeper => loop {
                thread::sleep(Duration::from_secs(3600));
            },
            SelfTest::Crasher => {
                eprintln!("it was not my | day");
                process::abort()
            }
        }
    }

    fn limit(&self, _row: &Case) -> Duration {
        // Only the sleeper needs as much.
        Duration::from_secs(if matches!(self, SelfTest::Sleeper) { 1 } else { 60 })
    }

    fn as_published(&self) -> Option<&'static str> {
        Some("it was never published")
    }
}
