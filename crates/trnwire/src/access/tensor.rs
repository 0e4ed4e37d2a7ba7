//! TENSORnD: a start address and nested loops over elements.

use zerocopy::little_endian::{I16, U16};

use crate::addr4::Addr4Wire;
use crate::table::Legal::{Any, Depends};
use crate::table::record;

record! {
    /// One loop over elements from a start address.
    pub struct Tensor1d[8] = "tensor1d": "one loop over elements from a start address";

    // offset, field  type        unit      legal    sources
    0 start_addr:     Addr4Wire,  Bytes,    Depends, [CompilerBook, HeaderBook],
        "where the first element lies; its mode says how the rest is read";
    4 step:           [I16; 1],   Elements, Any,     [CompilerBook, HeaderBook, AwsDocumentation],
        "distance from one element to the next; 0 repeats one, negative walks back";
    6 num:            [U16; 1],   None,     Depends, [CompilerBook, HeaderBook, AwsDocumentation],
        "number of elements; zero is legal only where a register holds the shape";
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::{FromBytes, IntoBytes};

    #[test]
    fn bytes_round_trip_and_fields_stand_where_the_table_says() {
        let bytes = [0x20, 0x01, 0x14, 0x00, 0xFE, 0xFF, 0x00, 0x02];
        let record = Tensor1d::ref_from_bytes(&bytes).unwrap();
        assert_eq!(record.start_addr.get().bits(), 0x0014_0120);
        assert_eq!(record.step[0].get(), -2);
        assert_eq!(record.num[0].get(), 512);
        assert_eq!(record.as_bytes(), bytes);
    }

    #[test]
    fn any_other_length_is_refused() {
        assert!(Tensor1d::ref_from_bytes(&[0; 7]).is_err());
        assert!(Tensor1d::ref_from_bytes(&[0; 9]).is_err());
    }
}
