//! Enums with named variants, for this crate and for `heist-queue`, which is built on it.

use std::fmt;

/// The error for a name that no variant has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was parsed, such as `stage` or `queue`.
    pub what: &'static str,
    /// The name that was given.
    pub name: String,
    /// The names that exist.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { what, name, known } = self;
        write!(f, "unknown {what} '{name}', expected one of: {}", known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Defines an enum with named variants, and `ALL`, `NAMES`, `name`, `Display` and `FromStr`. A
/// variant with a field states the value of the one in `ALL`, which is what its name parses to.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    (
        $what:literal
        $(#[$doc:meta])*
        $kinds:ident: $(
            $(#[$attr:meta])*
            $kind:ident $({ $(#[$note:meta])* $field:ident: $ty:ty = $value:expr })? = $name:literal,
        )+
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $kinds {
            $($(#[$attr])* $kind $({ $(#[$note])* $field: $ty })?,)+
        }

        impl $kinds {
            /// Every kind, in the order of [`NAMES`](Self::NAMES).
            pub const ALL: &'static [$kinds] = &[$($kinds::$kind $({ $field: $value })?),+];

            /// The names of all kinds.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name of this kind.
            pub fn name(self) -> &'static str {
                match self {
                    $($kinds::$kind { .. } => $name,)+
                }
            }
        }

        impl std::fmt::Display for $kinds {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $kinds {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<$kinds, $crate::UnknownName> {
                let found = $kinds::ALL.iter().find(|kind| kind.name() == name);
                found.copied().ok_or_else(|| $crate::UnknownName {
                    what: $what,
                    name: name.to_owned(),
                    known: $kinds::NAMES,
                })
            }
        }
    };
}
