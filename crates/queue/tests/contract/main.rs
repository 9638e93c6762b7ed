//! The contract of backends and idle policies: the same cases for each of them.
//!
//! | module | holds |
//! |---|---|
//! | `guard` | a watchdog that turns a hang into a message |
//! | `tree` | synthetic trees, and a ledger that records how often each node ran |
//! | `setup` | the setups in which every case runs, and the jobs of the cases |
//! | `scripts` | the ends of a queue on one thread: order, shares, overflow |
//! | `ends` | the same on several threads: no item lost or duplicated |
//! | `runs` | whole runs as scripts: each item once, counts, quits, panics, refused threads |
//! | `crew` | whole runs that no script describes |
//! | `feed` | producers |
//! | `sleepers` | runs in which workers have parked |
//! | `stress` | all of it at random, seeded |
//!
//! Cases that depend on the order in which owners pop read
//! [`Backend::ORDER`](heist_queue::Backend::ORDER). A new backend or policy adds its name here.
#![cfg(not(loom))]

mod crew;
mod ends;
mod feed;
mod guard;
mod runs;
mod scripts;
mod setup;
mod sleepers;
mod stress;
mod tree;

use heist_queue::{
    Backend, BackendVisitor, BiasedEvent, IdleKind, IdlePolicy, QueueKind, Sharing, lab,
    with_backend,
};

/// Makes tests of cases. The function `run` of the module runs one in the module's setups.
macro_rules! tests {
    ($($module:ident: $($case:ident),+;)+) => {
        $($(
            #[test]
            fn $case() {
                run(crate::$module::$case);
            }
        )+)+
    };
}

/// Makes a test module of each backend, with the same cases in each.
macro_rules! backends {
    ($($name:ident: $room:ident::$ty:ident),+ $(,)?) => {
        /// The backends under contract.
        const BACKENDS: &[&str] = &[$(stringify!($name)),+];

        $(
            mod $name {
                type Queue = heist_queue::$room::$ty<crate::tree::Item>;

                fn run(case: fn(&crate::setup::Setup)) {
                    crate::setup::in_every_setup::<Queue>(case);
                }

                backends! { @typed
                    scripts: every_script_holds;
                    ends: a_steal_takes_no_more_than_requested, a_push_is_seen_across_fences,
                        owner_and_thieves_share_without_loss;
                    crew: flush_keeps_the_order;
                    stress: random_runs;
                }
                tests! {
                    runs: every_run_ends_as_scripted;
                    crew: roots_run_in_order_on_one_worker, outputs_come_in_the_order_of_jobs,
                        a_tiny_run_starts_no_thread, no_roots_no_jobs_and_too_many_jobs,
                        before_park_is_called_and_idle_workers_are_seen,
                        a_quit_before_parking_counts_too, a_panic_at_the_end_counts_too;
                    feed: produced_items_run_once, produced_items_wake_the_crew,
                        a_producers_panic_ends_the_run, producers_see_a_quit;
                }
            }
        )+
    };
    (@typed $($module:ident: $($case:ident),+;)+) => {
        $($(
            #[test]
            fn $case() {
                crate::$module::$case::<Queue>();
            }
        )+)+
    };
}

backends!(
    deque: backends::Deque,
    chase_lev: lab::ChaseLev,
    stack: backends::Stack,
    sharded: lab::Sharded,
    sharded_lifo: lab::ShardedLifo,
    st3_lifo: lab::St3Lifo,
    st3_fifo: lab::St3Fifo,
    channel: lab::Channel,
    biased: lab::Biased,
    injector: lab::Injector,
    bwos: lab::Bwos,
);

/// Makes a test module of each policy, with the same cases on every queue in each.
macro_rules! policies {
    ($($name:ident: $kind:ident),+ $(,)?) => {
        /// The policies under contract.
        const POLICIES: &[&str] = &[$(stringify!($name)),+];

        $(
            mod $name {
                fn run(case: fn(&crate::setup::Setup)) {
                    crate::setup::on_every_queue(heist_queue::IdleKind::$kind, case);
                }

                tests! {
                    runs: every_policy_ends_runs_as_scripted;
                    sleepers: no_worker_is_stranded, the_end_wakes_all_workers,
                        producers_wake_sleepers;
                }
            }
        )+
    };
}

policies!(
    biased_event: BiasedEvent,
    fifo_event: FifoEvent,
    biased_chain: BiasedChain,
    yield_condvar: YieldCondvar,
    poll_1ms: Poll1ms,
);

#[test]
fn every_backend_and_policy_is_under_contract() {
    let named = |names: &[&str]| names.iter().map(|n| n.replace('_', "-")).collect::<Vec<_>>();
    assert_eq!(named(BACKENDS), QueueKind::NAMES);
    assert_eq!(named(POLICIES), IdleKind::NAMES);
}

#[test]
fn types_and_kinds_have_the_same_name() {
    struct Name;
    impl BackendVisitor<()> for Name {
        type Output = &'static str;
        fn visit<B: Backend<()>>(self) -> &'static str {
            B::NAME
        }
    }
    for &kind in QueueKind::ALL {
        assert_eq!(with_backend(kind, Name), kind.name());
    }
    let policies = [
        BiasedEvent::NAME,
        lab::FifoEvent::NAME,
        lab::BiasedChain::NAME,
        lab::YieldCondvar::NAME,
        lab::Poll1ms::NAME,
    ];
    assert_eq!(policies, IdleKind::NAMES);
}

#[test]
fn kinds_are_parsed_by_name() {
    for kind in QueueKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(*kind));
    }
    for kind in IdleKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(*kind));
    }
    for way in Sharing::ALL {
        assert_eq!(way.to_string().parse(), Ok(*way));
    }
    let unknown = "pile".parse::<QueueKind>().unwrap_err();
    let known = QueueKind::NAMES.join(", ");
    assert_eq!(unknown.to_string(), format!("unknown queue 'pile', expected one of: {known}"));
    let unknown = "doze".parse::<IdleKind>().unwrap_err().to_string();
    assert!(unknown.starts_with("unknown idle policy 'doze', expected one of: "), "{unknown}");
}
