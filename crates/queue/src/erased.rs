//! [`run_erased`]: jobs behind pointers, so that a program with many types of jobs contains one
//! crew per backend and type of items, not one per backend and type of jobs.

use std::ops::ControlFlow;

use crate::job::{Job, Spawner};
use crate::report::{Panicked, RunReport};

/// Runs `jobs` by `run`, which receives them behind pointers, and returns their outputs.
///
/// The crew calls its jobs, and they call their spawner, through these pointers. This costs about a
/// nanosecond per call. In return, a function `run` that is not generic itself is compiled once, in
/// the crate in which it stands.
///
/// ```
/// # use std::ops::ControlFlow;
/// use heist_queue::{
///     Erased, Job, Panicked, QueueKind, RunConfig, RunReport, Spawner, run_erased, run_on,
/// };
///
/// /// The only crews for numbers, whatever the jobs do with them.
/// fn run_numbers(roots: Vec<u32>, jobs: Vec<Erased<'_, u32>>) -> Result<RunReport<()>, Panicked> {
///     run_on(QueueKind::Deque, &RunConfig::default(), roots, jobs)
/// }
///
/// # #[derive(Default)]
/// # struct Sum(u32);
/// # impl Job<u32> for Sum {
/// #     type Output = u32;
/// #     fn run<S: Spawner<u32>>(&mut self, n: u32, _: &mut S) -> ControlFlow<()> {
/// #         self.0 += n;
/// #         ControlFlow::Continue(())
/// #     }
/// #     fn finish(self) -> u32 {
/// #         self.0
/// #     }
/// # }
/// let jobs = vec![Sum::default(), Sum::default()];
/// let report = run_erased(jobs, |jobs| run_numbers(vec![1, 2, 3], jobs))?;
/// assert_eq!(report.outputs.iter().sum::<u32>(), 6);
/// # Ok::<(), Panicked>(())
/// ```
///
/// # Errors
///
/// Returns what `run` returns: [`Panicked`] if a job panicked.
pub fn run_erased<T, J: Job<T> + Send>(
    jobs: Vec<J>,
    run: impl FnOnce(Vec<Erased<'_, T>>) -> Result<RunReport<()>, Panicked>,
) -> Result<RunReport<J::Output>, Panicked> {
    let slot = |job| Slot { job: Some(job), output: None };
    let mut slots: Vec<_> = jobs.into_iter().map(slot).collect();
    let report = run(slots.iter_mut().map(|slot| Erased(slot)).collect())?;
    Ok(report.with_outputs(slots.into_iter().filter_map(|slot| slot.output).collect()))
}

/// A job, and its output once it is finished.
struct Slot<J, O> {
    job: Option<J>,
    output: Option<O>,
}

/// The methods of a [`Job`] in a [`Slot`], callable through a pointer.
trait ErasedJob<T>: Send {
    fn run(&mut self, item: T, spawner: &mut dyn Spawner<T>) -> ControlFlow<()>;
    fn before_park(&mut self) -> ControlFlow<()>;
    fn finish(&mut self);
}

impl<T, J: Job<T> + Send> ErasedJob<T> for Slot<J, J::Output> {
    fn run(&mut self, item: T, mut spawner: &mut dyn Spawner<T>) -> ControlFlow<()> {
        let job = self.job.as_mut().expect("a finished job runs no items");
        job.run(item, &mut spawner)
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        self.job.as_mut().map_or(ControlFlow::Continue(()), J::before_park)
    }

    fn finish(&mut self) {
        self.output = self.job.take().map(J::finish);
    }
}

/// A [`Job`] behind a pointer, so that the crew does not know its type. See [`run_erased`].
pub struct Erased<'a, T>(&'a mut dyn ErasedJob<T>);

impl<T> Job<T> for Erased<'_, T> {
    type Output = ();

    fn run<S: Spawner<T>>(&mut self, item: T, spawner: &mut S) -> ControlFlow<()> {
        self.0.run(item, spawner)
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        self.0.before_park()
    }

    fn finish(self) {
        self.0.finish();
    }
}

impl<T, S: Spawner<T> + ?Sized> Spawner<T> for &mut S {
    fn spawn(&mut self, item: T) {
        (**self).spawn(item);
    }

    fn flush(&mut self) {
        (**self).flush();
    }

    fn stopped(&self) -> bool {
        (**self).stopped()
    }

    fn allow_extra_workers(&mut self) {
        (**self).allow_extra_workers();
    }

    fn has_idle_workers(&self) -> bool {
        (**self).has_idle_workers()
    }
}
