//! One contract, every backend: whatever the flavour of a queue, these cases hold.
//!
//! | module | holds |
//! |---|---|
//! | `guard` | a watchdog that turns a hang into a message, and a small random generator |
//! | `tree` | synthetic trees, and a ledger that knows of each node how often it ran |
//! | `ends` | what one queue end owes its owner, its thieves and the items |
//! | `crew` | what a run owes its caller: each item once, order, outputs, counts |
//! | `early` | quits, panics, refused threads |
//! | `feed` | producers |
//! | `policies` | every idle policy with every queue |
//! | `stress` | all of it at random, seeded |
//!
//! What depends on the order in which owners pop asks [`Backend::ORDER`](heist_queue::Backend::ORDER)
//! what was promised. A new backend adds its name at the end of this file.
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
    ($($name:ident: $file:ident::$ty:ident),+ $(,)?) => {
        /// The backends under contract.
        const UNDER_CONTRACT: &[&str] = &[$(stringify!($name)),+];

        $(
            mod $name {
                use heist_queue::backends::$file::$ty as Queue;

                contract_for! { @cases
                    ends: a_batch_pops_in_its_order, an_owner_pops_in_the_declared_order,
                        a_steal_takes_no_more_than_asked, one_item_can_be_stolen_at_any_share,
                        injected_items_are_found_by_all, empty_is_said_and_counted,
                        leftovers_are_dropped_with_the_queue, a_push_is_seen_across_fences,
                        owner_and_thieves_share_without_loss;
                    crew: every_tree_on_every_number_of_workers, roots_run_in_order_on_one_worker,
                        flush_keeps_the_order, outputs_come_in_the_order_of_jobs,
                        a_tiny_run_starts_no_thread, no_roots_no_jobs_and_too_many_jobs,
                        siblings_of_a_long_item_run_meanwhile, a_flushed_item_runs_meanwhile,
                        children_of_a_sealed_item_run_meanwhile, counts_add_up,
                        a_sleeper_is_asked_before_and_hungry_tells, a_reserve_comes_when_it_is_called;
                    early: a_quit_drops_the_rest_and_counts_it, others_hear_of_a_quit,
                        a_panic_ends_the_run_with_that_panic, a_panic_at_the_end_counts_too, a_quit_before_parking_counts_too,
                        spawning_after_a_seal_panics, refused_threads_do_not_matter;
                    feed: produced_items_run_once, produced_items_wake_the_crew,
                        a_producers_panic_ends_the_run, producers_hear_of_a_quit;
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
    deque: deque::Deque,
    chase_lev: chase_lev::ChaseLev,
    stack: stack::Stack,
    sharded: sharded::Sharded,
    sharded_lifo: sharded::ShardedLifo,
    st3_lifo: st3::St3Lifo,
    st3_fifo: st3::St3Fifo,
    channel: channel::Channel,
    biased: biased::Biased,
    injector: injector::Injector,
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
