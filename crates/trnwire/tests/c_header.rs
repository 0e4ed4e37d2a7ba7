//! A C compiler and a C++ compiler agree with the tables: the generated header compiles without a warning, and every size
//! and offset that it knows is the tables' own.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail so")]
#![allow(clippy::arithmetic_side_effects, reason = "small numbers")]

use core::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use trnwire::Kind;
use trnwire::table::{c_header, c_name};

fn run(program: &str, arguments: &[&str], directory: &Path) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every size and offset that the tables state, as the program below prints them.
fn stated() -> (String, Vec<String>) {
    let (mut statements, mut expected) = (String::new(), Vec::new());
    for kind in Kind::ALL {
        let table = kind.table();
        for layout in table.layouts {
            let name = c_name(table, layout.name);
            let is_word = layout.fields.iter().any(|field| field.bits.low % 8 != 0 || field.bits.width() % 8 != 0);
            if is_word {
                let _ = writeln!(statements, "    printf(\"{name} %zu\\n\", sizeof({name}));");
                expected.push(format!("{name} {}", table.size_bytes));
                for field in layout.fields {
                    let constant = format!("{}_{}", name.to_uppercase(), field.name.to_uppercase());
                    let _ = writeln!(
                        statements,
                        "    printf(\"{constant} %d %llx\\n\", {constant}_SHIFT, (unsigned long long){constant}_MASK);"
                    );
                    expected.push(format!("{constant} {} {:x}", field.bits.low, field.bits.wide_mask()));
                }
                continue;
            }
            let size = layout.fields.last().unwrap().bits.high / 8 + 1;
            let _ = writeln!(statements, "    printf(\"{name} %zu\\n\", sizeof({name}));");
            expected.push(format!("{name} {size}"));
            for field in layout.fields {
                let member = field.name;
                let _ = writeln!(
                    statements,
                    "    printf(\"{name}.{member} %zu %zu\\n\", offsetof({name}, {member}), sizeof((({name} *)0)->{member}));"
                );
                expected.push(format!("{name}.{member} {} {}", field.bits.low / 8, field.bits.width() / 8));
            }
        }
    }
    (statements, expected)
}

#[test]
fn compilers_agree_with_the_tables() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("c_header");
    std::fs::create_dir_all(&directory).unwrap();
    let header = c_header(Kind::ALL.iter().map(|kind| kind.table()));
    std::fs::write(directory.join("trnwire.h"), &header).unwrap();
    let (statements, expected) = stated();
    let source =
        format!("#include <stdio.h>\n#include \"trnwire.h\"\nint main(void) {{\n{statements}    return 0;\n}}\n");
    for (compiler, file, standard) in [("cc", "offsets.c", "-std=c11"), ("c++", "offsets.cpp", "-std=c++17")] {
        std::fs::write(directory.join(file), &source).unwrap();
        let program = format!("{file}.out");
        let flags = ["-Wall", "-Wextra", "-Werror", "-pedantic", standard, file, "-o", &program];
        run(compiler, &flags, &directory);
        let printed = run(&format!("./{program}"), &[], &directory);
        let printed: Vec<_> = printed.lines().collect();
        assert_eq!(printed, expected, "{compiler}");
    }
    // The proof of the proof: a wrong offset does not compile.
    let wrong = header.replacen(
        "offsetof(trnwire_ring_channel, recv_sema) == 56",
        "offsetof(trnwire_ring_channel, recv_sema) == 57",
        1,
    );
    assert!(wrong != header);
    std::fs::write(directory.join("wrong.h"), wrong).unwrap();
    let status =
        Command::new("cc").args(["-fsyntax-only", "-x", "c", "wrong.h"]).current_dir(&directory).output().unwrap();
    assert!(!status.status.success());
}
