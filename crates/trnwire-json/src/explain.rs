//! Explanations as JSON.
