use super::*;

#[test]
fn names_are_different_and_found() {
    for (place, attacker) in CATALOGUE.iter().enumerate() {
        assert_eq!(find(attacker.name()).unwrap().about(), attacker.about());
        assert!(CATALOGUE[..place].iter().all(|other| other.name() != attacker.name()));
    }
    assert!(matches!(find("nobody"), Err(EvalError::Attacker { .. })));
}

#[test]
fn every_attacker_learns_two_writers_judges_an_empty_text_and_puts_a_class_without_texts_last() {
    let one =
        ["I would say, perhaps, that it rains", "perhaps it would be wise, I think", "rain, I would think, is wise"];
    let two = ["gonna go NOW!!! so cool", "so cool!!! NOW we go", "cool cool, go go NOW!!!"];
    let texts: Vec<&str> = one.into_iter().chain(two).cycle().take(24).collect();
    // Class 1 has no text.
    let classes: Vec<u32> = [0, 0, 0, 2, 2, 2].into_iter().cycle().take(24).collect();
    for attacker in CATALOGUE {
        let learned = attacker.learn(&texts, &classes, 3).unwrap();
        let scores = learned.scores(&["perhaps I would, I think", "cool!!! so go NOW!!!", "", "\u{2603}"]).unwrap();
        // A tree asks for one feature of the many that would do, which a new text may have by accident.
        let known = learned.scores(&[texts[0], texts[3]]).unwrap();
        let judged = if attacker.name() == "style-tree" { &known } else { &scores };
        assert!(judged[0][0] > judged[0][2] && judged[1][2] > judged[1][0], "{}: {scores:?}", attacker.name());
        for scores in scores {
            assert!(scores.len() == 3 && !scores.iter().any(|score| score.is_nan()), "{}", attacker.name());
            assert!(scores[1] < scores[0] && scores[1] < scores[2], "{}: {scores:?}", attacker.name());
        }
    }
}

#[test]
fn every_attacker_refuses_one_class_and_no_texts() {
    for attacker in CATALOGUE {
        assert!(matches!(attacker.learn(&[], &[], 2), Err(EvalError::NoTexts)), "{}", attacker.name());
        let one = attacker.learn(&["one text", "two texts"], &[1, 1], 2);
        assert!(matches!(one, Err(EvalError::OneClass { .. })), "{}", attacker.name());
    }
}
