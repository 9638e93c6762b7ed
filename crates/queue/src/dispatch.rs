//! Selecting a backend and an idle policy by value: the one runtime `match` over each.
//!
//! The backend is matched once per run, so its code is compiled into the crew. The policy is
//! matched at each call: a branch that is always predicted, instead of one copy of the crew per
//! pair of backend and policy.

#[cfg(feature = "lab")]
use crate::any_queue::AnyQueue;
use crate::backend::Backend;
use crate::backends::Deque;
#[cfg(feature = "lab")]
use crate::backends::Stack;
#[cfg(feature = "lab")]
use crate::config::QueueConfig;
use crate::config::{IdleConfig, RunConfig};
use crate::crew::run;
use crate::idle::{BiasedEvent, IdlePolicy, ParkEnd, SearchBudget, Sleeper, Wake};
use crate::job::Job;
#[cfg(feature = "lab")]
use crate::lab::{
    Biased, BiasedChain, Bwos, Channel, ChaseLev, FifoEvent, Injector, Poll1ms, ProducerToken,
    Sharded, ShardedLifo, St3Fifo, St3Lifo, YieldCondvar, run_with_producers,
};
use crate::names::{IdleKind, QueueKind};
use crate::report::{Panicked, RunReport};
use crate::sync::AtomicU64;

/// Evaluates an expression in which `$queue<T>` is the backend of a kind.
macro_rules! on_backend {
    ($kind:expr, $queue:ident => $call:expr) => {
        on_backend! { @of $kind, $queue => $call,
            ChaseLev, Stack, Sharded, ShardedLifo, St3Lifo, St3Fifo, Channel, Biased,
            Injector, Bwos
        }
    };
    (@of $kind:expr, $queue:ident => $call:expr, $($name:ident),+) => {
        match $kind {
            QueueKind::Deque => {
                type $queue<T> = Deque<T>;
                $call
            }
            $(
                #[cfg(feature = "lab")]
                QueueKind::$name => {
                    type $queue<T> = $name<T>;
                    $call
                }
            )+
        }
    };
}

/// An operation that works on any backend. See [`with_backend`].
pub trait BackendVisitor<T: Send> {
    /// The result of the operation.
    type Output;

    /// Performs the operation on the backend `B`.
    fn visit<B: Backend<T>>(self) -> Self::Output;
}

/// Calls `visitor` with the backend type of `kind`.
///
/// ```
/// use heist_queue::{Backend, BackendVisitor, PopOrder, QueueKind, with_backend};
///
/// struct Order;
///
/// impl BackendVisitor<u32> for Order {
///     type Output = Option<PopOrder>;
///
///     fn visit<B: Backend<u32>>(self) -> Option<PopOrder> {
///         B::ORDER
///     }
/// }
///
/// assert_eq!(with_backend(QueueKind::Deque, Order), Some(PopOrder::NewestFirst));
/// ```
pub fn with_backend<T: Send, V: BackendVisitor<T>>(kind: QueueKind, visitor: V) -> V::Output {
    on_backend!(kind, Queue => visitor.visit::<Queue<T>>())
}

/// [`run`] on the backend `kind` and the policy that [`IdleConfig::policy`] names.
///
/// The [crate page](crate) has an example.
///
/// # Errors
///
/// [`Panicked`] if a job panicked.
pub fn run_on<T: Send, J: Job<T> + Send>(
    kind: QueueKind,
    cfg: &RunConfig,
    roots: Vec<T>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked> {
    on_backend!(kind, Queue => run::<T, Queue<T>, AnyPolicy, J>(cfg, roots, jobs))
}

/// Runs `jobs` on the backend `kind`, as [`run_on`] does, for a program that is to be small: the
/// default backend has a crew of its own, and all others share one.
///
/// # Errors
///
/// [`Panicked`] if a job panicked.
pub fn run_on_any<T: Send, J: Job<T> + Send>(
    kind: QueueKind,
    cfg: &RunConfig,
    roots: Vec<T>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked> {
    match kind {
        QueueKind::Deque => run::<T, Deque<T>, AnyPolicy, J>(cfg, roots, jobs),
        #[cfg(feature = "lab")]
        _ => {
            let cfg = RunConfig { queue: QueueConfig { kind, ..cfg.queue.clone() }, ..cfg.clone() };
            run::<T, AnyQueue<T>, AnyPolicy, J>(&cfg, roots, jobs)
        }
    }
}

/// [`run_with_producers`] on the backend `kind` and the policy that [`IdleConfig::policy`] names.
///
/// # Errors
///
/// [`Panicked`] if a job or a producer panicked.
#[cfg(feature = "lab")]
pub fn run_with_producers_on<T: Send, J: Job<T> + Send, F>(
    kind: QueueKind,
    cfg: &RunConfig,
    producers: Vec<F>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    on_backend!(kind, Queue => {
        run_with_producers::<T, Queue<T>, AnyPolicy, J, F>(cfg, producers, jobs)
    })
}

/// The policy that [`IdleConfig::policy`] names.
pub struct AnyPolicy(Inner);

#[cfg_attr(feature = "lab", allow(clippy::large_enum_variant, reason = "a run has one of it"))]
enum Inner {
    BiasedEvent(BiasedEvent),
    #[cfg(feature = "lab")]
    FifoEvent(FifoEvent),
    #[cfg(feature = "lab")]
    BiasedChain(BiasedChain),
    #[cfg(feature = "lab")]
    YieldCondvar(YieldCondvar),
    #[cfg(feature = "lab")]
    Poll1ms(Poll1ms),
}

/// Forwards methods to the policy that `self` holds.
macro_rules! forward {
    ($(fn $method:ident(&$this:ident $(, $arg:ident: $ty:ty)*) $(-> $result:ty)?;)+) => {
        $(
            #[inline]
            fn $method(&$this $(, $arg: $ty)*) $(-> $result)? {
                match &$this.0 {
                    Inner::BiasedEvent(policy) => policy.$method($($arg),*),
                    #[cfg(feature = "lab")]
                    Inner::FifoEvent(policy) => policy.$method($($arg),*),
                    #[cfg(feature = "lab")]
                    Inner::BiasedChain(policy) => policy.$method($($arg),*),
                    #[cfg(feature = "lab")]
                    Inner::YieldCondvar(policy) => policy.$method($($arg),*),
                    #[cfg(feature = "lab")]
                    Inner::Poll1ms(policy) => policy.$method($($arg),*),
                }
            }
        )+
    };
}

impl IdlePolicy for AnyPolicy {
    const NAME: &'static str = "any";

    fn new(workers: usize, cfg: &IdleConfig) -> AnyPolicy {
        AnyPolicy(match cfg.policy {
            IdleKind::BiasedEvent => Inner::BiasedEvent(BiasedEvent::new(workers, cfg)),
            #[cfg(feature = "lab")]
            IdleKind::FifoEvent => Inner::FifoEvent(FifoEvent::new(workers, cfg)),
            #[cfg(feature = "lab")]
            IdleKind::BiasedChain => Inner::BiasedChain(BiasedChain::new(workers, cfg)),
            #[cfg(feature = "lab")]
            IdleKind::YieldCondvar => Inner::YieldCondvar(YieldCondvar::new(workers, cfg)),
            #[cfg(feature = "lab")]
            IdleKind::Poll1ms => Inner::Poll1ms(Poll1ms::new(workers, cfg)),
        })
    }

    forward! {
        fn enter(&self, me: usize);
        fn budget(&self, workers: usize, cores: usize) -> SearchBudget;
        fn published(&self, me: Option<usize>, surplus: usize, owner_busy: bool) -> Wake;
        fn producer_published(&self, backlog: usize) -> Wake;
        fn reserve_search(&self) -> bool;
        fn search_begin(&self, me: usize) -> bool;
        fn search_end(&self, me: usize, work_left: &mut dyn FnMut() -> bool) -> Wake;
        fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd;
        fn wake_all(&self);
        fn has_idle_workers(&self) -> bool;
        fn word(&self) -> &AtomicU64;
        fn searcher(&self) -> u64;
        fn each_searcher_looks(&self) -> bool;
        fn wake_one(&self, waker: Option<usize>) -> Wake;
        fn announcement(&self, me: usize) -> u64;
        fn sleep(&self, me: usize, sleeper: &dyn Sleeper);
        fn retract(&self, me: usize) -> bool;
    }
}
