//! The types under which a value may leave: what each of them promises, and who makes it.
//!
//! | type | made by | promise |
//! |---|---|---|
//! | [`Released`] | a mechanism of this crate | a bound |
//! | [`Rewritten`] | a [`Rewriter`] | none: measured only |
//! | [`Synthetic`] | a function of released values and public ones | the bound of those values |
//! | [`ForOwner`] | whoever shows the owner their own texts | none: it never enters a release |
//!
//! Writers accept the first three, through [`Exit`]. The types guard against mistakes, not against malice: a mechanism or a
//! rewriter of another crate can do what it likes with the text it is given, and the statement names that crate.

mod for_owner;
mod released;
mod rewritten;
mod synthetic;

pub use for_owner::ForOwner;
pub(crate) use released::DrawFrom;
pub use released::Released;
pub use rewritten::{Rewriter, Rewritten, rewrite, rewrite_batch};
pub use synthetic::Synthetic;

mod sealed {
    pub trait Sealed {}
}

/// A text that may be written into a release. Sealed: [`Released`], [`Rewritten`], [`Synthetic`] and [`ExitText`].
///
/// ```compile_fail
/// // An original is not one of them.
/// fn write(text: impl allonym_dp::Exit) {}
/// write(allonym_text::Private::new(String::from("an original")));
/// ```
/// ```compile_fail
/// // Neither is a bare string.
/// fn write(text: impl allonym_dp::Exit) {}
/// write(String::from("an original"));
/// ```
/// ```compile_fail
/// // Nor what is meant for the owner.
/// fn write(text: impl allonym_dp::Exit) {}
/// fn preview(preview: allonym_dp::ForOwner<String>) { write(preview) }
/// ```
/// ```compile_fail
/// // No other crate can add a type.
/// struct Mine(String);
/// impl allonym_dp::Exit for Mine {
///     fn into_text(self) -> String { self.0 }
///     fn text(&self) -> &str { &self.0 }
/// }
/// ```
pub trait Exit: sealed::Sealed {
    /// The text.
    fn text(&self) -> &str;

    /// Takes the text out.
    fn into_text(self) -> String;
}

/// A text under one of the three types, where the method decides which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExitText {
    /// Drawn by a mechanism with a bound.
    Released(Released<String>),
    /// Rewritten without a bound.
    Rewritten(Rewritten<String>),
    /// Computed from released values and public ones.
    Synthetic(Synthetic<String>),
}

impl From<Released<String>> for ExitText {
    fn from(text: Released<String>) -> Self {
        Self::Released(text)
    }
}

impl From<Rewritten<String>> for ExitText {
    fn from(text: Rewritten<String>) -> Self {
        Self::Rewritten(text)
    }
}

impl From<Synthetic<String>> for ExitText {
    fn from(text: Synthetic<String>) -> Self {
        Self::Synthetic(text)
    }
}

impl sealed::Sealed for ExitText {}

impl Exit for ExitText {
    fn text(&self) -> &str {
        match self {
            Self::Released(text) => text.text(),
            Self::Rewritten(text) => text.text(),
            Self::Synthetic(text) => text.text(),
        }
    }

    fn into_text(self) -> String {
        match self {
            Self::Released(text) => text.into_text(),
            Self::Rewritten(text) => text.into_text(),
            Self::Synthetic(text) => text.into_text(),
        }
    }
}

/// What the three types share: borrowing, taking apart, and maps that cannot capture.
macro_rules! exit_type {
    ($name:ident) => {
        impl<T> $name<T> {
            /// Computes on the value by a function that captures nothing, so that the result depends on this value alone.
            pub fn map<U>(self, compute: fn(T) -> U) -> $name<U> {
                $name(compute(self.0))
            }

            /// The same with a public argument: a vocabulary, a model, settings.
            pub fn map_with<U, P: ?Sized>(self, public: &P, compute: fn(T, &P) -> U) -> $name<U> {
                $name(compute(self.0, public))
            }

            /// Several values as one.
            pub fn together(values: impl IntoIterator<Item = Self>) -> $name<Vec<T>> {
                $name(values.into_iter().map(|value| value.0).collect())
            }

            /// The value.
            pub fn value(&self) -> &T {
                &self.0
            }

            /// Takes the value out.
            pub fn into_value(self) -> T {
                self.0
            }
        }

        impl<T> $name<Vec<T>> {
            /// One value as several.
            pub fn apart(self) -> Vec<$name<T>> {
                self.0.into_iter().map($name).collect()
            }
        }

        impl<T: std::fmt::Display> std::fmt::Display for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl $crate::exit::sealed::Sealed for $name<String> {}

        impl $crate::exit::Exit for $name<String> {
            fn text(&self) -> &str {
                &self.0
            }

            fn into_text(self) -> String {
                self.0
            }
        }
    };
}
use exit_type;
