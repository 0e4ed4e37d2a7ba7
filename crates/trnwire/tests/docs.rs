//! docs/formats is what the tables say. `BLESS=1 cargo test -p trnwire --test docs` rewrites it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

#[test]
fn every_page_in_docs_formats_is_generated_from_its_table() {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats"));
    let mut names = BTreeSet::new();
    let tables = trnwire::Kind::ALL.iter().map(|kind| (kind.name(), trnwire::table::markdown(kind.table())));
    for (kind, page) in tables.chain([("dtype", trnwire::dtype::markdown()), ("opcodes", trnwire::bundle::markdown())])
    {
        let name = format!("{kind}.md");
        let path = directory.join(&name);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &page).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == page, "{name} differs from its table; BLESS=1 rewrites it");
        names.insert(name);
    }
    let present: BTreeSet<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(present, names, "a page without a table, or a table without a page");
}
