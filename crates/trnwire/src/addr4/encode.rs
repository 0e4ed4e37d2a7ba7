//! From a place or a register to a word.

use core::fmt;

use super::word::Addr4;
use crate::geometry::{
    ADDRESS_MASK, ADDRESS_REGISTERS, PARTITIONS, PSUM_BANK_SIZE, PSUM_BANKS, PSUM_BASE, QUADRANT_PARTITIONS,
    SBUF_STRIDE,
};

/// What to encode. Numbers are as wide as callers have them, so that a value out of range is an error and not a wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A byte address.
    Address(u64),
    /// A place in a memory.
    Place(Place, Resolver),
    /// An address register.
    Register(Register),
    /// A symbolic pattern, which has no address yet.
    Symbolic,
    /// A base pattern, which has no address yet.
    Base,
}

/// A word to write into a record: as it is, or built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordRequest {
    /// A word to write back as it is.
    Verbatim(Addr4),
    /// A word to build, and whether to stamp it as a gather index.
    Build {
        /// What to encode.
        request: Request,
        /// Set bit 29 afterwards.
        stamp_indirect: bool,
    },
}

impl From<Request> for WordRequest {
    fn from(request: Request) -> Self {
        Self::Build { request, stamp_indirect: false }
    }
}

impl WordRequest {
    /// The word.
    ///
    /// # Errors
    /// The encoder's first error, then that of the stamp.
    pub fn encode(self) -> Result<Addr4, EncodeError> {
        match self {
            Self::Verbatim(word) => Ok(word),
            Self::Build { request, stamp_indirect: false } => encode(request),
            Self::Build { request, stamp_indirect: true } => stamp_indirect(encode(request)?),
        }
    }

    /// The same place, resolved as a slot of a descriptor wants it.
    #[must_use]
    pub const fn resolved_by(self, resolver: Resolver) -> Self {
        match self {
            Self::Build { request: Request::Place(place, _), stamp_indirect } => {
                Self::Build { request: Request::Place(place, resolver), stamp_indirect }
            }
            other => other,
        }
    }
}

/// A place in a memory. The legal ranges are those of the wire, not of a generation's backed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A byte of SBUF.
    Sbuf {
        /// 0..=127.
        partition: i64,
        /// Byte in the partition's stride, 0..=0x3FFFF.
        offset: i64,
    },
    /// A byte of PSUM.
    Psum {
        /// 0..=127.
        partition: i64,
        /// 0..=7.
        bank: i64,
        /// Byte in the bank, 0..=0x7FF.
        bank_offset: i64,
    },
}

/// How a place becomes an address. The slot of a descriptor decides; no bit of the word tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolver {
    /// Every ordinary slot, gather index, gather data, MX data.
    #[default]
    Data,
    /// MX scale words, SBUF only: the partition is rounded down to its quadrant; the partition in the quadrant
    /// travels elsewhere in the descriptor.
    Scale,
}

/// An address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// 0..=63, or `None` when none is allocated yet.
    pub id: Option<i64>,
    /// Whether an offset register is attached. A word cannot say so.
    pub offset_register: bool,
}

/// Why a request has no word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The address needs more than 32 bits.
    AddrExceedsU32(u64),
    /// The address needs 30 to 32 bits and would set mode or register bits (adopted; the compiler stores it).
    AddrExceeds29Bits(u64),
    /// The scale resolver was asked for a place in PSUM.
    ScaleNotInSbuf,
    /// No such partition.
    PartitionRange(i64),
    /// The offset is outside the partition's stride.
    OffsetRange(i64),
    /// No such bank.
    BankRange(i64),
    /// The offset is outside the bank.
    BankOffsetRange(i64),
    /// An offset register cannot be combined with an address register.
    OffsetRegister,
    /// The register has no number yet.
    RegisterUnallocated,
    /// No such register (adopted; the compiler truncates).
    RegIdRange(i64),
    /// Symbolic and base patterns do not reach the encoder.
    KindNotEncodable,
    /// A gather index must be a plain address before it is stamped, and this one has bits 31:29 set.
    DynamicAddressInIndirect(Addr4),
}

impl EncodeError {
    /// The name in JSON and text.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::AddrExceedsU32(_) => "addr_exceeds_u32",
            Self::AddrExceeds29Bits(_) => "addr_exceeds_29_bits",
            Self::ScaleNotInSbuf => "scale_not_in_sbuf",
            Self::PartitionRange(_) => "partition_range",
            Self::OffsetRange(_) => "offset_range",
            Self::BankRange(_) => "bank_range",
            Self::BankOffsetRange(_) => "bank_offset_range",
            Self::OffsetRegister => "offset_register",
            Self::RegisterUnallocated => "register_unallocated",
            Self::RegIdRange(_) => "reg_id_range",
            Self::KindNotEncodable => "kind_not_encodable",
            Self::DynamicAddressInIndirect(_) => "dynamic_address_in_indirect",
        }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::AddrExceedsU32(address) => write!(f, "addr {address:#X} needs more than 32 bits"),
            Self::AddrExceeds29Bits(address) => {
                write!(f, "addr {address:#X} is beyond {ADDRESS_MASK:#010X} and would set mode or register bits")
            }
            Self::ScaleNotInSbuf => f.write_str("region psum: a scale word can only name SBUF"),
            Self::PartitionRange(value) => out_of_range(f, "partition", value, PARTITIONS),
            Self::OffsetRange(value) => out_of_range(f, "offset", value, SBUF_STRIDE),
            Self::BankRange(value) => out_of_range(f, "bank", value, PSUM_BANKS),
            Self::BankOffsetRange(value) => out_of_range(f, "bank_offset", value, PSUM_BANK_SIZE),
            Self::OffsetRegister => f.write_str("an offset register cannot go with an address register"),
            Self::RegisterUnallocated => f.write_str("reg_id is null: the register is not allocated yet"),
            Self::RegIdRange(value) => out_of_range(f, "reg_id", value, ADDRESS_REGISTERS),
            Self::KindNotEncodable => f.write_str("only physical and register patterns can be encoded"),
            Self::DynamicAddressInIndirect(word) => {
                write!(f, "{word} cannot be stamped as a gather index: bits 31:29 must be zero before")
            }
        }
    }
}

impl core::error::Error for EncodeError {}

fn out_of_range(f: &mut fmt::Formatter<'_>, field: &str, value: i64, count: u32) -> fmt::Result {
    write!(f, "{field} {value} is outside 0..={}", count.saturating_sub(1))
}

/// Builds the word of a request. Bits that the request does not name are zero.
///
/// The validator is not run: an offset beyond the backed bytes of a partition encodes, and is a lint.
///
/// # Errors
/// The first [`EncodeError`] that applies: for a place the resolver's, then those of its fields in order.
pub fn encode(request: Request) -> Result<Addr4, EncodeError> {
    let bits = match request {
        Request::Address(address) => address_bits(address)?,
        Request::Place(Place::Psum { .. }, Resolver::Scale) => return Err(EncodeError::ScaleNotInSbuf),
        Request::Place(Place::Sbuf { partition, offset }, resolver) => {
            let mut partition = below(partition, PARTITIONS).ok_or(EncodeError::PartitionRange(partition))?;
            let offset = below(offset, SBUF_STRIDE).ok_or(EncodeError::OffsetRange(offset))?;
            if resolver == Resolver::Scale {
                partition &= !(QUADRANT_PARTITIONS - 1);
            }
            Addr4::SBUF_PARTITION.place(partition) | Addr4::SBUF_OFFSET.place(offset)
        }
        Request::Place(Place::Psum { partition, bank, bank_offset }, Resolver::Data) => {
            let partition = below(partition, PARTITIONS).ok_or(EncodeError::PartitionRange(partition))?;
            let bank = below(bank, PSUM_BANKS).ok_or(EncodeError::BankRange(bank))?;
            let offset = below(bank_offset, PSUM_BANK_SIZE).ok_or(EncodeError::BankOffsetRange(bank_offset))?;
            PSUM_BASE
                | Addr4::PSUM_PARTITION.place(partition)
                | Addr4::PSUM_BANK.place(bank)
                | Addr4::PSUM_BANK_OFFSET.place(offset)
        }
        Request::Register(Register { offset_register: true, .. }) => return Err(EncodeError::OffsetRegister),
        Request::Register(Register { id, .. }) => {
            let id = id.ok_or(EncodeError::RegisterUnallocated)?;
            let id = below(id, ADDRESS_REGISTERS).ok_or(EncodeError::RegIdRange(id))?;
            Addr4::REGISTER.mask() | Addr4::REGISTER_ID.place(id)
        }
        Request::Symbolic | Request::Base => return Err(EncodeError::KindNotEncodable),
    };
    Ok(Addr4::from_bits(bits))
}

/// Marks a plain address as the index of a gather: sets bit 29.
///
/// # Errors
/// [`EncodeError::DynamicAddressInIndirect`] when any of bits 31:29 is set already (the mask is adopted).
pub fn stamp_indirect(word: Addr4) -> Result<Addr4, EncodeError> {
    if word.bits() & !ADDRESS_MASK != 0 {
        return Err(EncodeError::DynamicAddressInIndirect(word));
    }
    Ok(Addr4::from_bits(word.bits() | Addr4::INDIRECT.mask()))
}

fn address_bits(address: u64) -> Result<u32, EncodeError> {
    let bits = u32::try_from(address).map_err(|_| EncodeError::AddrExceedsU32(address))?;
    if bits > ADDRESS_MASK { Err(EncodeError::AddrExceeds29Bits(address)) } else { Ok(bits) }
}

/// The value as it goes into a field, when it is in 0..limit.
fn below(value: i64, limit: u32) -> Option<u32> {
    u32::try_from(value).ok().filter(|&value| value < limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addr4::Target;

    fn sbuf(partition: i64, offset: i64) -> Result<Addr4, EncodeError> {
        encode(Request::Place(Place::Sbuf { partition, offset }, Resolver::Data))
    }

    fn psum(partition: i64, bank: i64, bank_offset: i64) -> Result<Addr4, EncodeError> {
        encode(Request::Place(Place::Psum { partition, bank, bank_offset }, Resolver::Data))
    }

    #[test]
    fn every_place_decodes_to_what_was_asked() {
        for partition in 0..128_u8 {
            for offset in [0, 1, 0x2_FFFF, 0x3_7FFF, 0x3_FFFF_u32] {
                let word = sbuf(partition.into(), offset.into()).unwrap();
                assert_eq!(word.target(), Target::Sbuf { partition, offset });
            }
            for bank in 0..8_u8 {
                for bank_offset in [0, 1, 0x7FF_u32] {
                    let word = psum(partition.into(), bank.into(), bank_offset.into()).unwrap();
                    let offset = u32::from(bank) * 2048 + bank_offset;
                    assert_eq!(word.target(), Target::Psum { partition, offset, bank: Some(bank) });
                }
            }
        }
    }

    #[test]
    fn the_first_field_out_of_range_is_named() {
        assert_eq!(sbuf(128, 0x4_0000), Err(EncodeError::PartitionRange(128)));
        assert_eq!(sbuf(127, 0x4_0000), Err(EncodeError::OffsetRange(0x4_0000)));
        assert_eq!(psum(-1, 8, 2048), Err(EncodeError::PartitionRange(-1)));
        assert_eq!(psum(0, 8, 2048), Err(EncodeError::BankRange(8)));
        assert_eq!(psum(0, 7, 2048), Err(EncodeError::BankOffsetRange(2048)));
        assert_eq!(psum(0, 7, i64::MIN), Err(EncodeError::BankOffsetRange(i64::MIN)));
    }

    #[test]
    fn the_scale_resolver_keeps_the_quadrant_only() {
        for partition in 0..128 {
            let place = Place::Sbuf { partition, offset: 5 };
            let word = encode(Request::Place(place, Resolver::Scale)).unwrap();
            assert_eq!(word, sbuf(partition / 32 * 32, 5).unwrap());
        }
        let place = Place::Psum { partition: 999, bank: 0, bank_offset: 0 };
        assert_eq!(encode(Request::Place(place, Resolver::Scale)), Err(EncodeError::ScaleNotInSbuf));
    }

    #[test]
    fn addresses_stop_below_the_mode_bits() {
        assert_eq!(encode(Request::Address(0x1FFF_FFFF)).unwrap().bits(), 0x1FFF_FFFF);
        assert_eq!(encode(Request::Address(0x2000_0000)), Err(EncodeError::AddrExceeds29Bits(0x2000_0000)));
        assert_eq!(encode(Request::Address(0xFFFF_FFFF)), Err(EncodeError::AddrExceeds29Bits(0xFFFF_FFFF)));
        assert_eq!(encode(Request::Address(1 << 32)), Err(EncodeError::AddrExceedsU32(1 << 32)));
    }

    #[test]
    fn only_a_plain_address_can_be_stamped() {
        assert_eq!(stamp_indirect(Addr4::from_bits(0x40)).unwrap().bits(), 0x2000_0040);
        for bits in [0x2000_0000, 0x4000_0000, 0x8000_0000] {
            let word = Addr4::from_bits(bits);
            assert_eq!(stamp_indirect(word), Err(EncodeError::DynamicAddressInIndirect(word)));
        }
    }

    #[test]
    fn a_range_error_reads_as_a_sentence() {
        use alloc::string::ToString;
        assert_eq!(EncodeError::OffsetRange(-7).to_string(), "offset -7 is outside 0..=262143");
        assert_eq!(EncodeError::RegIdRange(64).to_string(), "reg_id 64 is outside 0..=63");
    }
}
