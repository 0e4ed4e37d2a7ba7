//! Placeholder until the scanner and the rules compile.
