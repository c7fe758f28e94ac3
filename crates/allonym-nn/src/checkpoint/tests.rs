//! What a checkpoint survives, and what it refuses.

use super::*;
use crate::card;
use allonym_dp::PrivacyRng;
use disk::Full;
use std::cell::Cell;

fn store(seed: u64) -> Store<f32> {
    let mut store = Store::new();
    let mut rng = PrivacyRng::reproducible(seed);
    store.add("a", 3, 4, 1.0, &mut rng).unwrap();
    store.add("b", 1, 5, 1.0, &mut rng).unwrap();
    store
}

fn write(disk: &dyn Disk, directory: &Path, step: u64, store: &Store<f32>) -> Result<PathBuf, NnError> {
    let card = card::example();
    let memory = vec![("first", store.values())];
    save(disk, directory, step, Contents { store, memory, run: "here".into(), card: &card })
}

#[test]
fn a_checkpoint_comes_back_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let (first, mut second) = (store(1), store(2));
    let path = write(&Machine, directory.path(), 7, &first).unwrap();
    assert_eq!(find(directory.path(), Pointer::Latest).unwrap(), Some(path.clone()));
    load(&path, &mut second).unwrap();
    assert_eq!(first, second);
    assert_eq!(load_card(&path).unwrap(), card::example());
    let state = load_state(&path, &["first"], 17).unwrap();
    assert_eq!((state.memory[0].as_slice(), state.run.as_str()), (first.values(), "here"));
}

#[test]
fn a_disk_that_fills_up_at_any_byte_leaves_the_checkpoint_before() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (store(1), store(2));
    let former = write(&Machine, directory.path(), 1, &first).unwrap();
    let all = Full { left: Cell::new(usize::MAX) };
    write(&all, tempfile::tempdir().unwrap().path(), 2, &second).unwrap();
    let needed = usize::MAX - all.left.get();
    // Every byte would take a minute of syncing.
    for room in (0..needed).step_by(61).chain(needed - 13..needed) {
        let error = write(&Full { left: Cell::new(room) }, directory.path(), 2, &second).unwrap_err();
        assert!(matches!(error, NnError::File { .. }), "{error}");
        let latest = find(directory.path(), Pointer::Latest).unwrap().unwrap();
        let mut read = store(3);
        load(&latest, &mut read).unwrap();
        // All files of the new one may be there and only its name in `latest` missing.
        assert!(latest == former && read == first, "{room} bytes of {needed}");
        let hidden = fs::read_dir(directory.path())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with('.'));
        assert_eq!(hidden.count(), 0, "{room} bytes of {needed}: something is left over");
    }
    write(&Full { left: Cell::new(needed) }, directory.path(), 2, &second).unwrap();
}

#[test]
fn the_same_step_can_be_written_again_and_a_failure_keeps_the_former() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (store(1), store(2));
    let path = write(&Machine, directory.path(), 1, &first).unwrap();
    assert!(write(&Full { left: Cell::new(10) }, directory.path(), 1, &second).is_err());
    let mut read = store(3);
    load(&path, &mut read).unwrap();
    assert_eq!(read, first);
    write(&Machine, directory.path(), 1, &second).unwrap();
    load(&path, &mut read).unwrap();
    assert_eq!(read, second);
}

#[test]
fn a_model_cut_short_at_any_byte_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = write(&Machine, directory.path(), 1, &store(1)).unwrap();
    let whole = fs::read(path.join(MODEL)).unwrap();
    for length in 0..whole.len() {
        fs::write(path.join(MODEL), &whole[..length]).unwrap();
        let mut read = store(2);
        let error = load(&path, &mut read).unwrap_err().to_string();
        assert!(error.contains("model.safetensors"), "{error}");
        assert_eq!(read, store(2));
    }
}

#[test]
fn no_byte_that_changed_makes_loading_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = write(&Machine, directory.path(), 1, &store(1)).unwrap();
    let whole = fs::read(path.join(MODEL)).unwrap();
    for place in 0..whole.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut bytes = whole.clone();
            bytes[place] ^= flip;
            let _ = tensors::into_store(Path::new("m"), &bytes, &mut store(2));
            let _ = tensors::about(Path::new("m"), &bytes, ABOUT);
        }
    }
}

#[test]
fn another_model_is_refused_with_tensor_and_shapes() {
    let directory = tempfile::tempdir().unwrap();
    let path = write(&Machine, directory.path(), 1, &store(1)).unwrap();
    let mut rng = PrivacyRng::reproducible(1);
    let of = |shapes: &[(&str, usize, usize)], rng: &mut PrivacyRng| {
        let mut store = Store::<f32>::new();
        for (name, rows, columns) in shapes {
            store.add(*name, *rows, *columns, 1.0, rng).unwrap();
        }
        store
    };
    let mut error = |shapes: &[(&str, usize, usize)]| load(&path, &mut of(shapes, &mut rng)).unwrap_err().to_string();
    assert!(error(&[("a", 3, 5), ("b", 1, 5)]).ends_with("tensor `a` is [3, 4]; the model has [3, 5]"));
    assert!(error(&[("a", 3, 4), ("b", 1, 5), ("c", 1, 1)]).ends_with("tensor `c` is missing; the model has [1, 1]"));
    assert!(error(&[("a", 3, 4)]).ends_with("has a tensor `b`, which the model has not"));
}

#[test]
fn weights_that_are_no_numbers_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut broken = store(1);
    broken.values_mut()[13] = f32::NAN;
    let path = write(&Machine, directory.path(), 1, &broken).unwrap();
    let error = load(&path, &mut store(1)).unwrap_err().to_string();
    assert!(error.ends_with("at number 1 of tensor `b`"), "{error}");
}

#[test]
fn a_pointer_that_leads_nowhere_falls_back_to_the_last_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(find(directory.path(), Pointer::Latest).unwrap(), None);
    let path = write(&Machine, directory.path(), 5, &store(1)).unwrap();
    for line in ["step-000009\n", "", "../elsewhere", "\u{0}"] {
        fs::write(directory.path().join("latest"), line).unwrap();
        assert_eq!(find(directory.path(), Pointer::Latest).unwrap(), Some(path.clone()));
    }
    assert_eq!(find(directory.path(), Pointer::Best).unwrap(), None);
}

#[test]
fn only_the_last_and_the_best_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    for step in 1..=6 {
        write(&Machine, directory.path(), step, &store(step)).unwrap();
        if step == 2 {
            point(&Machine, directory.path(), Pointer::Best, step).unwrap();
        }
        prune(directory.path(), 2);
    }
    assert_eq!(steps(directory.path()), [2, 5, 6]);
}

#[test]
fn eight_bits_are_read_as_any_other_model() {
    let directory = tempfile::tempdir().unwrap();
    let (first, mut second) = (store(1), store(2));
    let path = directory.path().join("small");
    export(&path, model_file_int8(&first).unwrap(), &card::example(), &[]).unwrap();
    load(&path, &mut second).unwrap();
    let largest = first.values()[..12].iter().fold(0.0_f32, |m, v| m.max(v.abs()));
    let far = first.values().iter().zip(second.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far > 0.0 && far <= largest / 254.0 * 1.000_01, "{far}");
    assert_eq!(first.values()[12..], second.values()[12..]);
    export(&path, model_file(&first).unwrap(), &card::example(), &[]).unwrap();
    load(&path, &mut second).unwrap();
    assert_eq!(first, second);
}

#[test]
fn a_directory_with_other_files_is_not_replaced_by_a_model() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("thesis.txt"), "words").unwrap();
    assert!(export(directory.path(), model_file(&store(1)).unwrap(), &card::example(), &[]).is_err());
    assert!(directory.path().join("thesis.txt").exists());
}

#[test]
fn matrices_come_back_by_their_names() {
    let path = Path::new("state.safetensors");
    let (a, b) = (crate::Matrix::of(1, 2, vec![1.5, 0.0]), crate::Matrix::of(2, 1, vec![-2.0, 3.0]));
    let bytes = matrices_file(&[("a", &a), ("b", &b)]).unwrap();
    let found = read_matrices(path, &bytes).unwrap();
    assert_eq!((found.len(), &found["a"], &found["b"]), (2, &a, &b));
    let broken = matrices_file(&[("a", &crate::Matrix::of(1, 2, vec![1.5, f32::NAN]))]).unwrap();
    assert!(read_matrices(path, &broken).is_err(), "what is no number is refused, as in every checkpoint");
    assert!(read_matrices(path, &bytes[..bytes.len() - 1]).is_err());
}
