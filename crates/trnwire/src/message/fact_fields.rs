//! Facts as named values and as short sentences.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::fact::{Claim, DescriptorField, Fact, FactKind, FactValue, Phrase, Space, StartValue, Tensor};
use super::number::Number;
use super::words::plural;

type Fields = Vec<(&'static str, FactValue)>;

impl Fact {
    /// A stable name of the kind of fact.
    #[must_use]
    pub const fn kind_name(&self) -> &'static str {
        match &self.kind {
            FactKind::Location(_) => "location",
            FactKind::Tensor(_) => "tensor",
            FactKind::DebugShape(_) => "debug_shape",
            FactKind::AccessPattern { .. } => "access_pattern",
            FactKind::ElementOffset(_) => "element_offset",
            FactKind::ByteOffset(_) => "byte_offset",
            FactKind::ElementType { .. } => "element_type",
            FactKind::TensorSize { .. } => "tensor_size",
            FactKind::IndexRange { .. } => "index_range",
            FactKind::StartPartition { .. } => "start_partition",
            FactKind::AllowedStarts(_) => "allowed_starts",
            FactKind::PartitionCount { .. } => "partition_count",
            FactKind::OperandBytes { .. } => "operand_bytes",
            FactKind::StatedSum(_) => "stated_sum",
            FactKind::StatedLimit { .. } => "stated_limit",
            FactKind::TotalBytes { .. } => "total_bytes",
            FactKind::Field { .. } => "descriptor_field",
            FactKind::PsumBanks { .. } => "psum_banks",
            FactKind::PsumBankCount(_) => "psum_bank_count",
            FactKind::Phrase(phrase) => phrase.name(),
        }
    }

    /// The fact's values by name; what the text does not tell is left out.
    #[must_use]
    pub fn fields(&self) -> Fields {
        let mut fields = Vec::new();
        match &self.kind {
            FactKind::Location(location) => {
                fields.push(("space", text(location.space.name())));
                fields.push(("first_partition", FactValue::Number(location.first_partition)));
                fields.push(("byte_offset", FactValue::Number(location.byte_offset)));
                push_number(&mut fields, "partitions", location.partitions);
                push_number(&mut fields, "bytes_per_partition", location.bytes_per_partition);
            }
            FactKind::Tensor(tensor) | FactKind::DebugShape(tensor) => {
                if let Some((name, size)) = &tensor.element {
                    push_element_type(&mut fields, name, *size);
                }
                fields.push(("dimensions", FactValue::Numbers(tensor.dimensions.clone())));
                push_space(&mut fields, tensor.space);
            }
            FactKind::AccessPattern { dimensions, space } => {
                fields.push(("steps_nums", FactValue::Pairs(dimensions.clone())));
                push_space(&mut fields, *space);
            }
            FactKind::StartPartition { operand, value, space, denied } => {
                if let Some(operand) = operand {
                    fields.push(("operand", text(operand.name())));
                }
                push_space(&mut fields, *space);
                if *denied {
                    fields.push(("denied", text("yes")));
                }
                match value {
                    StartValue::Number(number) => fields.push(("start", FactValue::Number(*number))),
                    StartValue::Name(name) => fields.push(("name", text(name))),
                    StartValue::Expression(expression) => fields.push(("expression", text(expression))),
                }
            }
            FactKind::AllowedStarts(starts) => fields.push(("starts", FactValue::Numbers(starts.clone()))),
            FactKind::ElementOffset(number) => fields.push(("elements", FactValue::Number(*number))),
            FactKind::ByteOffset(number) => fields.push(("bytes", FactValue::Number(*number))),
            FactKind::ElementType { name, size } => push_element_type(&mut fields, name, *size),
            FactKind::TensorSize { elements, per_partition } => {
                let name = if *per_partition { "elements_per_partition" } else { "elements" };
                fields.push((name, FactValue::Number(*elements)));
            }
            FactKind::IndexRange { first, last, size } => {
                fields.push(("first_index", FactValue::Number(*first)));
                fields.push(("last_index", FactValue::Number(*last)));
                fields.push(("size", FactValue::Number(*size)));
            }
            FactKind::PartitionCount { count, space } => {
                fields.push(("partitions", FactValue::Number(*count)));
                push_space(&mut fields, *space);
            }
            FactKind::StatedSum(number) => fields.push(("bytes_per_partition", FactValue::Number(*number))),
            FactKind::PsumBankCount(number) => fields.push(("banks", FactValue::Number(*number))),
            FactKind::OperandBytes { per_partition, total, space } => {
                fields.push(("bytes_per_partition", FactValue::Number(*per_partition)));
                push_number(&mut fields, "total_bytes", *total);
                push_space(&mut fields, *space);
            }
            FactKind::StatedLimit { bytes, space } => {
                fields.push(("bytes_per_partition", FactValue::Number(*bytes)));
                push_space(&mut fields, *space);
            }
            FactKind::TotalBytes { bytes, space } => {
                fields.push(("bytes", FactValue::Number(*bytes)));
                fields.push(("space", text(space.name())));
            }
            FactKind::Field { field, value, stated_bound } => {
                fields.push(("field", text(field.name())));
                fields.push(("value", FactValue::Number(*value)));
                push_number(&mut fields, "stated_bound", *stated_bound);
            }
            FactKind::PsumBanks { first, last } => {
                fields.push(("first_bank", FactValue::Number(*first)));
                fields.push(("last_bank", FactValue::Number(*last)));
            }
            FactKind::Phrase(phrase) => fields.extend(phrase.fields()),
        }
        fields
    }

    /// The fact in a few words.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.kind {
            FactKind::Location(location) => {
                let size = match (location.partitions, location.bytes_per_partition) {
                    (Some(partitions), Some(bytes)) => {
                        format!(", {} x {bytes} bytes each", plural(partitions, "partition"))
                    }
                    _ => ", size not given".to_string(),
                };
                format!(
                    "{} location: first partition {}, byte offset {}{size}",
                    location.space, location.first_partition, location.byte_offset
                )
            }
            FactKind::Tensor(tensor) => describe_tensor("tensor", tensor),
            FactKind::DebugShape(tensor) => describe_tensor("debug information", tensor),
            FactKind::AccessPattern { dimensions, space } => match dimensions.split_first() {
                Some((first, free)) => format!(
                    "access pattern{}: {} (step {}), {}",
                    of_space(*space),
                    plural(first.num, "partition"),
                    first.step,
                    plural(Number::Exact(i128::try_from(free.len()).unwrap_or_default()), "free dimension")
                ),
                None => "access pattern without dimensions".to_string(),
            },
            FactKind::ElementOffset(offset) => format!("element offset {offset}"),
            FactKind::ByteOffset(offset) => format!("byte offset {offset}"),
            FactKind::ElementType { name, size } => format!("elements of type {name}, {}", plural(size, "byte")),
            FactKind::TensorSize { elements, per_partition } => {
                let place = if *per_partition { " of each partition" } else { " of a tensor" };
                format!("{}{place}", plural(elements, "element"))
            }
            FactKind::IndexRange { first, last, size } => {
                format!("indices {first} to {last} of a dimension of size {size}")
            }
            FactKind::StartPartition { operand, value, space, .. } => {
                let operand = operand.map_or(String::new(), |operand| format!("{} ", operand.name()));
                let place = of_space(*space);
                match value {
                    StartValue::Number(number) => format!("{operand}start partition {number}{place}"),
                    StartValue::Name(text) | StartValue::Expression(text) => {
                        format!("{operand}start partition `{text}`{place}")
                    }
                }
            }
            FactKind::AllowedStarts(starts) => {
                format!("start partitions that the message allows: {}", join_numbers(starts, " or "))
            }
            FactKind::PartitionCount { count, space } => {
                format!("{}{}", plural(*count, "partition"), of_space(*space))
            }
            FactKind::OperandBytes { per_partition, total, space } => {
                let place = of_space(*space);
                let total = total.map_or(String::new(), |total| format!(", {total} in total"));
                format!("operand takes {per_partition} bytes per partition{place}{total}")
            }
            FactKind::StatedSum(bytes) => format!("stated sum: {bytes} bytes per partition"),
            FactKind::StatedLimit { bytes, space } => {
                let place = space.map_or(String::new(), |space| format!("{space} "));
                format!("stated limit: {bytes} bytes per {place}partition")
            }
            FactKind::TotalBytes { bytes, space } => format!("{bytes} bytes of {space}"),
            FactKind::Field { field, value, stated_bound } => {
                let bound = stated_bound.map_or(String::new(), |bound| format!(", stated bound {bound}"));
                format!("{} {value}{bound}", field.name())
            }
            FactKind::PsumBanks { first, last } if first == last => format!("PSUM bank {first}"),
            FactKind::PsumBanks { first, last } => format!("PSUM banks {first} to {last}"),
            FactKind::PsumBankCount(count) => plural(*count, "PSUM bank"),
            FactKind::Phrase(phrase) => phrase.describe().to_string(),
        }
    }
}

impl DescriptorField {
    /// `step` or `num`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Num => "num",
        }
    }
}

impl Phrase {
    const fn name(self) -> &'static str {
        match self {
            Self::MatmulDestination(_) => "matmul_destination",
            Self::MatmulSourcePartition => "matmul_source_partition",
            Self::PartitionCheck => "partition_check",
            Self::PatternOutOfBound => "pattern_out_of_bound",
            Self::AllocationOutOfBound => "allocation_out_of_bound",
            Self::AllocationFailed(_) => "allocation_failed",
            Self::GatherOutOfBound => "gather_out_of_bound",
            Self::NothingAllocated => "nothing_allocated",
        }
    }

    fn fields(self) -> Fields {
        match self {
            Self::MatmulDestination(Claim::Demanded) => vec![("claim", text("demanded"))],
            Self::MatmulDestination(Claim::Denied) => vec![("claim", text("denied"))],
            Self::AllocationFailed(space) => vec![("space", text(space.name()))],
            _ => Vec::new(),
        }
    }

    const fn describe(self) -> &'static str {
        match self {
            Self::MatmulDestination(Claim::Denied) => "the destination of a matmul is said not to be in PSUM",
            Self::MatmulDestination(Claim::Demanded) => "the destination of a matmul is said to belong in PSUM",
            Self::MatmulDestination(Claim::Mentioned) => "the destination of a matmul",
            Self::MatmulSourcePartition => "the check of a matmul's source partitions failed",
            Self::PartitionCheck => "a check of an operand's partitions failed",
            Self::PatternOutOfBound => "an access pattern is said to leave its tensor",
            Self::AllocationOutOfBound => "an allocation is said to leave its memory",
            Self::AllocationFailed(_) => "something could not be allocated",
            Self::GatherOutOfBound => "a gather or scatter is said to have left its tensor at run time",
            Self::NothingAllocated => "a failure because nothing was allocated",
        }
    }
}

fn text(value: &str) -> FactValue {
    FactValue::Text(value.to_string())
}

fn push_number(fields: &mut Fields, name: &'static str, number: Option<Number>) {
    if let Some(number) = number {
        fields.push((name, FactValue::Number(number)));
    }
}

fn push_element_type(fields: &mut Fields, name: &str, size: u32) {
    fields.push(("element_type", text(name)));
    fields.push(("element_bytes", FactValue::Number(Number::Exact(size.into()))));
}

fn push_space(fields: &mut Fields, space: Option<Space>) {
    if let Some(space) = space {
        fields.push(("space", text(space.name())));
    }
}

/// ` of PSUM`, or nothing.
fn of_space(space: Option<Space>) -> String {
    space.map_or(String::new(), |space| format!(" of {space}"))
}

fn describe_tensor(what: &str, tensor: &Tensor) -> String {
    let element = tensor.element.as_ref().map_or("", |(name, _)| name);
    let space = tensor.space.map_or(String::new(), |space| format!(" in {space}"));
    format!("{what}: {element}[{}]{space}", join_numbers(&tensor.dimensions, ", "))
}

/// Numbers as a list in text.
pub(super) fn join_numbers(numbers: &[Number], separator: &str) -> String {
    let mut joined = String::new();
    for (index, number) in numbers.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(&number.to_string());
    }
    joined
}
