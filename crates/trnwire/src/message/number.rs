//! Numbers as a message spells them: of any size, some of them absurd.

use core::fmt;

/// A whole number read from a message, or computed from such numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    /// The number itself.
    Exact(i128),
    /// Beyond what can be computed with; it is farther from zero than any limit of a chip.
    TooLarge {
        /// Whether it has a minus sign.
        negative: bool,
    },
}

impl Number {
    /// The largest distance from zero that is read exactly. Sums of such numbers cannot overflow.
    pub const LARGEST: i128 = 0xFFFF_FFFF_FFFF_FFFF;

    /// Reads digits of a base; `None` when a byte is no digit of it.
    pub(super) fn from_digits(digits: &[u8], base: u32, negative: bool) -> Option<Self> {
        if digits.is_empty() {
            return None;
        }
        let mut value: i128 = 0;
        let mut too_large = false;
        for &byte in digits {
            let digit = i128::from(char::from(byte).to_digit(base)?);
            if !too_large {
                value = value.saturating_mul(i128::from(base)).saturating_add(digit);
                too_large = value > Self::LARGEST;
            }
        }
        Some(if too_large {
            Self::TooLarge { negative }
        } else if negative {
            Self::Exact(value.saturating_neg())
        } else {
            Self::Exact(value)
        })
    }

    /// The number, unless it is too large.
    #[must_use]
    pub const fn exact(self) -> Option<i128> {
        match self {
            Self::Exact(value) => Some(value),
            Self::TooLarge { .. } => None,
        }
    }

    /// Whether it is less than zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        match self {
            Self::Exact(value) => value < 0,
            Self::TooLarge { negative } => negative,
        }
    }

    /// Whether it is greater than a limit; a number that is too large exceeds every limit.
    #[must_use]
    pub const fn exceeds(self, limit: i128) -> bool {
        match self {
            Self::Exact(value) => value > limit,
            Self::TooLarge { negative } => !negative,
        }
    }

    /// Whether it is greater than another number; of two that are too large, no one can tell.
    pub(super) const fn exceeds_number(self, other: Self) -> bool {
        match other {
            Self::Exact(other) => self.exceeds(other),
            Self::TooLarge { negative } => negative && !matches!(self, Self::TooLarge { negative: true }),
        }
    }

    /// Whether it is less than a limit.
    #[must_use]
    pub const fn falls_below(self, limit: i128) -> bool {
        match self {
            Self::Exact(value) => value < limit,
            Self::TooLarge { negative } => negative,
        }
    }

    /// The sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact(left), Self::Exact(right)) => match left.checked_add(right) {
                Some(sum) => Self::Exact(sum),
                None => Self::TooLarge { negative: left < 0 },
            },
            (Self::TooLarge { negative }, _) | (_, Self::TooLarge { negative }) => Self::TooLarge { negative },
        }
    }

    /// The product.
    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Self::Exact(left), Self::Exact(right)) => match left.checked_mul(right) {
                Some(product) => Self::Exact(product),
                None => Self::TooLarge { negative },
            },
            _ => Self::TooLarge { negative },
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) => value.fmt(f),
            Self::TooLarge { negative: false } => f.pad("(number too large)"),
            Self::TooLarge { negative: true } => f.pad("(negative number too large)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn numbers_are_exact_up_to_64_bits_and_named_beyond() {
        let decimal = |digits: &str| Number::from_digits(digits.as_bytes(), 10, false);
        assert_eq!(decimal("0"), Some(Number::Exact(0)));
        assert_eq!(decimal("18446744073709551615"), Some(Number::Exact(Number::LARGEST)));
        assert_eq!(decimal("18446744073709551616"), Some(Number::TooLarge { negative: false }));
        assert_eq!(decimal(&"9".repeat(100_000)), Some(Number::TooLarge { negative: false }));
        assert_eq!(decimal("12a"), None);
        assert_eq!(decimal(""), None);
        assert_eq!(Number::from_digits(b"2d600", 16, true), Some(Number::Exact(-185_856)));
    }

    #[test]
    fn arithmetic_never_wraps() {
        let largest = Number::Exact(i128::MAX);
        assert_eq!(largest.plus(Number::Exact(1)), Number::TooLarge { negative: false });
        assert_eq!(largest.times(Number::Exact(-2)), Number::TooLarge { negative: true });
        let huge = Number::TooLarge { negative: false };
        assert!(huge.exceeds(i128::MAX) && !huge.falls_below(0));
        assert_eq!(huge.plus(Number::Exact(5)), huge);
        assert!(huge.to_string().contains("number too large"));
    }
}
