//! The contract of backends and idle policies: the same cases for each of them.
//!
//! | module | holds |
//! |---|---|
//! | `guard` | a watchdog that turns a hang into a message |
//! | `tree` | synthetic trees, and a ledger that records how often each node ran |
//! | `ends` | the ends of a queue: order, shares, no item lost or duplicated |
//! | `crew` | whole runs: each item once, order, outputs, counts |
//! | `early` | quits, panics, refused threads |
//! | `feed` | producers |
//! | `policies` | every idle policy with every queue |
//! | `stress` | all of it at random, seeded |
//!
//! Cases that depend on the order in which owners pop read
//! [`Backend::ORDER`](heist_queue::Backend::ORDER). A new backend adds its name at the end of this
//! file.
#![cfg(not(loom))]

mod crew;
mod early;
mod ends;
mod feed;
mod guard;
mod policies;
mod stress;
mod tree;

/// Makes a test module of each backend, with the same cases in each.
macro_rules! contract_for {
    ($($name:ident: $room:ident::$ty:ident),+ $(,)?) => {
        /// The backends under contract.
        const UNDER_CONTRACT: &[&str] = &[$(stringify!($name)),+];

        $(
            mod $name {
                use heist_queue::$room::$ty as Queue;

                contract_for! { @cases
                    ends: a_batch_pops_in_its_order, an_owner_pops_in_the_declared_order,
                        a_steal_takes_no_more_than_requested, one_item_can_be_stolen_at_any_share,
                        injected_items_are_found_by_all, empty_queues_are_reported_and_counted,
                        leftovers_are_dropped_with_the_queue, a_push_is_seen_across_fences,
                        owner_and_thieves_share_without_loss;
                    crew: every_tree_on_every_number_of_workers, roots_run_in_order_on_one_worker,
                        flush_keeps_the_order, outputs_come_in_the_order_of_jobs,
                        a_tiny_run_starts_no_thread, no_roots_no_jobs_and_too_many_jobs,
                        siblings_of_a_long_item_run_meanwhile, a_flushed_item_runs_meanwhile,
                        children_of_a_sealed_item_run_meanwhile, counts_add_up,
                        before_park_is_called_and_idle_workers_are_seen,
                        extra_workers_start_when_allowed;
                    early: a_quit_drops_the_rest_and_counts_it, other_workers_see_a_quit,
                        a_panic_ends_the_run_with_that_panic, a_panic_at_the_end_counts_too,
                        a_quit_before_parking_counts_too,
                        spawning_after_a_seal_panics, refused_threads_do_not_matter;
                    feed: produced_items_run_once, produced_items_wake_the_crew,
                        a_producers_panic_ends_the_run, producers_see_a_quit;
                    stress: random_runs;
                }
            }
        )+
    };
    (@cases $($module:ident: $($case:ident),+;)+) => {
        $($(
            #[test]
            fn $case() {
                crate::$module::$case::<Queue<_>>();
            }
        )+)+
    };
}

contract_for!(
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
);

#[test]
fn every_backend_is_under_contract() {
    let names: Vec<String> = UNDER_CONTRACT.iter().map(|name| name.replace('_', "-")).collect();
    assert_eq!(names, heist_queue::QueueKind::NAMES);
}

#[test]
fn backends_and_kinds_have_the_same_name() {
    use heist_queue::{Backend, BackendVisitor, QueueKind, with_backend};
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
}

#[test]
fn kinds_are_parsed_by_name() {
    use heist_queue::QueueKind;
    for kind in QueueKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(*kind));
    }
    let unknown = "pile".parse::<QueueKind>().unwrap_err();
    let known = QueueKind::NAMES.join(", ");
    assert_eq!(unknown.to_string(), format!("unknown queue 'pile', expected one of: {known}"));
}
