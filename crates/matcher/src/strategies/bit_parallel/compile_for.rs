//! The operations compiled for a kind of processor.

/// Defines `run`, which is [`Ops::run_by`](super::ops::Ops::run_by), and `mark`, which is
/// [`Class::mark`](super::class::Class::mark), with the function `members` of the module. Both are
/// compiled with `$features`, panic unless `$is_available` returns true, and are called `$kind`
/// there. Needs `#![allow(unsafe_code)]`.
macro_rules! compile_for {
    ($kind:literal, $features:literal, $is_available:expr) => {
        /// [`Ops::run_by`] with [`Class::members`].
        ///
        /// # Panics
        ///
        #[doc = concat!("If the processor does not have ", $kind, ".")]
        pub(super) fn run(
            ops: &Ops,
            text: &[u8],
            words: usize,
            extent: Extent,
            results: &mut Results,
            ids: Range<Id>,
        ) -> bool {
            #[target_feature(enable = $features)]
            fn compiled(
                ops: &Ops,
                text: &[u8],
                words: usize,
                extent: Extent,
                results: &mut Results,
                ids: Range<Id>,
            ) -> bool {
                ops.run_by(text, words, extent, results, ids, |class, block| members(class, block))
            }
            assert!($is_available(), concat!("this is for processors with ", $kind));
            // SAFETY: the assertion on the line before holds only if the processor has the
            // features.
            unsafe { compiled(ops, text, words, extent, results, ids) }
        }

        /// [`Class::mark`] with [`Class::members`].
        ///
        /// # Panics
        ///
        #[doc = concat!("If the processor does not have ", $kind, ".")]
        pub(super) fn mark(class: &Class, text: &[u8], fill: u8, marks: &mut [u64]) {
            #[target_feature(enable = $features)]
            fn compiled(class: &Class, text: &[u8], fill: u8, marks: &mut [u64]) {
                class.mark(text, fill, |class, block| members(class, block), marks);
            }
            assert!($is_available(), concat!("this is for processors with ", $kind));
            // SAFETY: the assertion on the line before holds only if the processor has the
            // features.
            unsafe { compiled(class, text, fill, marks) }
        }
    };
}
pub(super) use compile_for;
