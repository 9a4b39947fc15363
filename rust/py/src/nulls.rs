//! Arrays of nulls that share their memory.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, StringArray, StructArray,
    new_null_array,
};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::{ArrowError, DataType};

/// Creates arrays of nulls, all in one buffer of zeros.
#[derive(Default)]
pub struct Nulls(Buffer);

impl Nulls {
    /// Returns an array of `length` nulls.
    pub fn array(&mut self, kind: &DataType, length: usize) -> Result<ArrayRef, ArrowError> {
        let nulls = Some(NullBuffer::new(self.bits(length)));
        Ok(match kind {
            DataType::Boolean => Arc::new(BooleanArray::new(self.bits(length), nulls)),
            DataType::Int64 => Arc::new(Int64Array::try_new(self.numbers(length), nulls)?),
            DataType::Float64 => Arc::new(Float64Array::try_new(self.numbers(length), nulls)?),
            DataType::Utf8 => {
                let texts = Buffer::default();
                Arc::new(StringArray::try_new(self.offsets(length), texts, nulls)?)
            }
            DataType::List(field) => {
                let items = self.array(field.data_type(), 0)?;
                let offsets = self.offsets(length);
                Arc::new(ListArray::try_new(field.clone(), offsets, items, nulls)?)
            }
            DataType::Struct(fields) => {
                let columns = fields.iter();
                let columns = columns.map(|field| self.array(field.data_type(), length));
                let columns = columns.collect::<Result<_, _>>()?;
                let fields = fields.clone();
                Arc::new(StructArray::try_new_with_length(
                    fields, columns, nulls, length,
                )?)
            }
            _ => new_null_array(kind, length),
        })
    }

    fn zeros(&mut self, bytes: usize) -> Buffer {
        if self.0.len() < bytes {
            let numbers = bytes.next_power_of_two().div_ceil(size_of::<i64>());
            self.0 = Buffer::from_vec(vec![0_i64; numbers]);
        }
        self.0.slice_with_length(0, bytes)
    }

    fn bits(&mut self, length: usize) -> BooleanBuffer {
        BooleanBuffer::new(self.zeros(length.div_ceil(8)), 0, length)
    }

    fn numbers<T: ArrowNativeType>(&mut self, length: usize) -> ScalarBuffer<T> {
        ScalarBuffer::new(self.zeros(length * size_of::<T>()), 0, length)
    }

    fn offsets(&mut self, length: usize) -> OffsetBuffer<i32> {
        OffsetBuffer::new(self.numbers(length + 1))
    }
}
