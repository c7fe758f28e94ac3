//! Snapshots of what the program prints. Change them with `TRYCMD=overwrite cargo test -p allonym --test cli`.

#[test]
fn the_program_prints_what_it_printed() {
    trycmd::TestCases::new().env("COLUMNS", "100").case("tests/cmd/*.trycmd").case("tests/cmd/*.toml");
}
