//! Operations on bundles.

use serde_json::{Value, json};
use trnwire::arch::Generation;

use super::hex_bytes;
use crate::InputError;
use crate::bundle::{decoded_on, findings, verdicts, view};
use crate::input::Object;

pub(super) fn bundle(generation: Generation, input: &Value) -> Result<Value, InputError> {
    let mut object = Object::new(input)?;
    let bytes = hex_bytes(&mut object)?;
    object.finish()?;
    let bundle = view(&bytes).map_err(|error| InputError::new(format!("bytes: {error}")))?;
    let mut decoded = decoded_on(generation, bundle);
    decoded.insert("verdicts".to_owned(), json!(verdicts(generation, bundle)));
    decoded.insert("findings".to_owned(), json!(findings(generation, bundle)));
    Ok(Value::Object(decoded))
}
