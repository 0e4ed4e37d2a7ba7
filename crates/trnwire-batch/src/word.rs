//! What a slice to judge may consist of.

use trnwire::addr4::{Addr4, Addr4Wire};

mod sealed {
    pub trait Sealed {}
    impl Sealed for trnwire::addr4::Addr4 {}
    impl Sealed for trnwire::addr4::Addr4Wire {}
}

/// A word in a slice: an [`Addr4`], or an [`Addr4Wire`], which is four bytes of a file at any alignment.
pub trait Word: Copy + Send + Sync + sealed::Sealed {
    /// The word.
    #[must_use]
    fn addr4(self) -> Addr4;
}

impl Word for Addr4 {
    #[inline(always)]
    fn addr4(self) -> Addr4 {
        self
    }
}

impl Word for Addr4Wire {
    #[inline(always)]
    fn addr4(self) -> Addr4 {
        self.get()
    }
}
