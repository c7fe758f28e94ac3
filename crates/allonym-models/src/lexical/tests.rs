//! Claims about words with vectors of two numbers.

use super::*;
use allonym_dp::clopper_pearson::bounds;
use allonym_dp::mechanism::{Mechanism, Metric, Parameters, by_name};
use allonym_dp::statistics::{FALSE_ALARM, assert_distribution};
use allonym_dp::vector_noise::Norm;
use allonym_dp::{Drawing, Length, NoExpectation, PrivacyRng, Proposer, PublicContext, Terms, release};
use allonym_text::vocabulary::TokenId;
use allonym_text::{Document, Private};

/// Four words: east, north-east by (3, 4) / 5, north, and west. The last two of the special rows must not matter.
fn vocabulary() -> Vocabulary {
    Vocabulary::parse("allonym-vocabulary 1 public\neast\nslant\nnorth\nwest\n").unwrap()
}

fn vectors() -> Matrix<f32> {
    let special = [9.0, 9.0, -9.0, 9.0, 1.0, 0.0, 0.0, 1.0];
    Matrix::of(8, 2, [special, [2.0, 0.0, 3.0, 4.0, 0.0, 0.5, -1.0, 0.0]].concat())
}

fn lexical(reads: Reads) -> Lexical {
    Lexical::from_vectors(&vocabulary(), &vectors(), reads).unwrap()
}

fn scores(lexical: &Lexical, text: &str, length: Length) -> Vec<Vec<f32>> {
    let document = Document::read(text);
    let mut proposal = lexical.proposal(&document, length);
    (0..document.len() + 2).map(|step| proposal.scores(&vec![TokenId::new(4); step]).to_vec()).collect()
}

fn near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} for {expected:?}");
}

#[test]
fn every_kind_of_score_by_hand() {
    // Cosines of `slant` with east, itself, north and west: .6, 1, .8, -.6.
    let first = |reads| scores(&lexical(reads), "Slant", Length::Fixed).remove(0);
    near(&first(Reads::Ratings), &[0.0, 0.6, 1.0, 0.8, 0.0]);
    near(&first(Reads::Order), &[-2.0, 0.6, 1.0, 0.8, -0.6]);
    // Distances of unit vectors: sqrt(2 - 2 cosine).
    near(&first(Reads::Distances), &[1e9, 0.8_f32.sqrt(), 0.0, 0.4_f32.sqrt(), 3.2_f32.sqrt()]);
    // 5 + 15 (cosine - 1).
    near(&first(Reads::Logits), &[-1e4, -1.0, 5.0, 2.0, -19.0]);
    let weights = [(-6.0_f32).exp(), 1.0, (-3.0_f32).exp(), (-24.0_f32).exp()];
    let sum: f32 = weights.iter().sum();
    near(&first(Reads::Probabilities), &[0.0, weights[0] / sum, 1.0 / sum, weights[2] / sum, weights[3] / sum]);
    assert!(first(Reads::Nothing).is_empty());
}

#[test]
fn the_end_is_never_good_in_a_tokens_place_and_alone_good_after_the_last() {
    for (reads, best, worst) in [
        (Reads::Ratings, 1.0, 0.0),
        (Reads::Order, 1.0, -2.0),
        (Reads::Probabilities, 1.0, 0.0),
        (Reads::Logits, 1e4, -1e4),
        (Reads::Distances, 0.0, 1e9),
    ] {
        let found = scores(&lexical(reads), "east strange", Length::Fixed);
        assert_eq!((found[0][0], found[1][0]), (worst, worst));
        for after in &found[2..] {
            assert_eq!(after, &[best, worst, worst, worst, worst]);
        }
    }
}

#[test]
fn with_a_public_length_the_words_begin_at_zero() {
    near(&scores(&lexical(Reads::Ratings), "north", Length::Public)[0], &[0.0, 0.8, 1.0, 0.0]);
}

#[test]
fn a_word_without_a_vector_makes_all_words_equal() {
    for reads in [Reads::Ratings, Reads::Order, Reads::Probabilities, Reads::Logits, Reads::Distances] {
        let found = scores(&lexical(reads), "strange", Length::Public).remove(0);
        assert!(found.iter().all(|score| *score == found[0]), "{reads:?}: {found:?}");
    }
}

#[test]
fn a_word_outside_the_vocabulary_has_the_scores_of_its_own_vector() {
    let words = ["east", "slant", "north", "west", "up"].map(str::to_owned);
    let values = vec![2.0, 0.0, 3.0, 4.0, 0.0, 0.5, -1.0, 0.0, 0.0, 7.0];
    let embeddings = Arc::new(Embeddings::of(words, Matrix::of(5, 2, values)));
    let lexical = Lexical::from_embeddings(&vocabulary(), embeddings, Reads::Ratings).unwrap();
    near(&scores(&lexical, "Up", Length::Public)[0], &[0.0, 0.8, 1.0, 0.0]);
}

#[test]
fn a_word_is_like_itself_even_if_its_vector_has_no_length() {
    let mut vectors = vectors();
    vectors.row_mut(4).fill(0.0);
    let found = |reads| {
        let lexical = Lexical::from_vectors(&vocabulary(), &vectors, reads).unwrap();
        scores(&lexical, "east", Length::Public).remove(0)
    };
    near(&found(Reads::Ratings), &[1.0, 0.0, 0.0, 0.0]);
    near(&found(Reads::Distances), &[0.0, 2.0_f32.sqrt(), 2.0_f32.sqrt(), 2.0_f32.sqrt()]);
}

/// A vocabulary of 300 words with vectors at random, and a text of them and of strange words.
fn larger() -> (Vocabulary, Matrix<f32>, String) {
    let vocabulary = Vocabulary::english(300).unwrap();
    let mut rng = PrivacyRng::reproducible(1);
    let mut values = |count: usize| (0..count).map(|_| (rng.bits() % 2001) as f32 / 1000.0 - 1.0).collect::<Vec<_>>();
    let vectors = Matrix::of(304, 7, values(304 * 7));
    let words: Vec<&str> = (4..304).filter_map(|id| vocabulary.word(id)).filter(|w| w.len() > 2).collect();
    let text: Vec<&str> = (0..90).map(|i| if i % 9 == 5 { "strange" } else { words[i * i % 61] }).collect();
    let text = text.join(" ");
    (vocabulary, vectors, text)
}

#[test]
fn neither_what_is_kept_nor_the_rest_of_a_text_shows_in_a_single_bit() {
    let (vocabulary, vectors, text) = larger();
    for reads in [Reads::Ratings, Reads::Distances, Reads::Probabilities] {
        let new = || Lexical::from_vectors(&vocabulary, &vectors, reads).unwrap();
        let first = new();
        let found = scores(&first, &text, Length::Fixed);
        assert_eq!(found, scores(&first, &text, Length::Fixed), "the second time, from what is kept");
        let nothing_kept = Lexical { kept: Box::default(), ..new() };
        assert_eq!(found, scores(&nothing_kept, &text, Length::Fixed));
        let document = Document::read(&text);
        for (token, found) in document.tokens().zip(&found) {
            assert_eq!(found, &scores(&nothing_kept, token.text, Length::Fixed)[0], "a text of this token alone");
        }
    }
}

#[test]
fn no_more_is_kept_than_was_promised() {
    let (vocabulary, vectors, _) = larger();
    assert_eq!(Lexical::from_vectors(&vocabulary, &vectors, Reads::Order).unwrap().kept.len(), 300);
    let english = Vocabulary::english(20_000).unwrap();
    let lexical = Lexical::from_vectors(&english, &Matrix::zeros(20_004, 1), Reads::Order).unwrap();
    assert_eq!(lexical.kept.len(), 838); // 2^26 / (4 * 20001) = 838.8
}

#[test]
fn vectors_of_another_vocabulary_are_refused() {
    for vectors in [Matrix::zeros(7, 2), Matrix::zeros(9, 2), Matrix::zeros(8, 0)] {
        assert!(Lexical::from_vectors(&vocabulary(), &vectors, Reads::Order).is_err());
        assert!(WordNoise::new(&vocabulary(), &vectors, 1.0, Norm::Euclidean).is_err());
    }
    let mut broken = vectors();
    broken.row_mut(5)[0] = f32::NAN;
    assert!(Lexical::from_vectors(&vocabulary(), &broken, Reads::Order).is_err());
}

#[test]
fn syntf_draws_words_by_their_ratings() {
    // Weights e^(rating epsilon / 2) at epsilon 4: e^1.2, e^2, e^1.6 and 1.
    let mechanism = by_name("syntf", &Parameters::of_epsilon(4.0), 4).unwrap();
    let lexical = lexical(mechanism.reads());
    let terms = Terms { max_tokens: 1, length: Length::Public, ..Terms::default() };
    let document = Document::read("slant");
    let (mut rng, mut counts) = (PrivacyRng::reproducible(1), [0; 4]);
    for _ in 0..20_000 {
        let proposer = Private::new(lexical.proposal(&document, Length::Public));
        let drawing = Drawing { proposer, rng: PrivacyRng::reproducible(rng.bits()) };
        let released = release(&*mechanism, &mut NoExpectation, &mut [drawing], &terms).remove(0);
        counts[released.value()[0].get() as usize - 4] += 1;
    }
    let weights = [1.2_f64, 2.0, 1.6, 0.0].map(f64::exp);
    assert_distribution(&counts, &weights.map(|weight| weight / weights.iter().sum::<f64>()));
}

#[test]
fn exponential_draws_of_two_words_differ_by_epsilon_times_their_distance_at_most() {
    let mechanism = Metric::new(3.0, 2.0, 5).unwrap();
    let lexical = lexical(mechanism.reads());
    let words = ["east", "slant", "north", "west"];
    let rows: Vec<Vec<f32>> = words.iter().map(|word| scores(&lexical, word, Length::Fixed).remove(0)).collect();
    let laws: Vec<Vec<f64>> =
        rows.iter().map(|row| mechanism.distribution(row, &PublicContext::NONE).unwrap()).collect();
    for (row, law) in rows.iter().zip(&laws) {
        for (distance, other) in row[1..].iter().zip(&laws) {
            let loss = law.iter().zip(other).map(|(a, b)| (a / b).ln()).fold(0.0, f64::max);
            assert!(loss <= mechanism.loss_at(f64::from(*distance)) + 1e-6, "{loss} at {distance}");
        }
    }
}

#[test]
fn term_frequencies_are_pairs_in_the_order_of_the_vocabulary() {
    let vocabulary = Vocabulary::parse("allonym-vocabulary 1 public\nthe\n\"\n\\\ncat\n").unwrap();
    let noise = WordNoise::new(&vocabulary, &vectors(), 1e6, Norm::Euclidean).unwrap();
    let text = |text: &str| {
        let document = Document::read(text);
        let released = noise.release(Private::new(&document), &mut PrivacyRng::reproducible(1));
        term_frequencies(released.value(), &vocabulary)
    };
    assert_eq!(text("cat the \" cat \\ the cat"), r#"{"the": 2, "\"": 1, "\\": 1, "cat": 3}"#);
    assert_eq!(text(""), "{}");
}

#[test]
fn noise_releases_a_word_for_every_token_and_no_token_passes_as_it_is() {
    let (vocabulary, vectors, text) = larger();
    let noise = WordNoise::new(&vocabulary, &vectors, 3.0, Norm::Euclidean).unwrap();
    let document = Document::read(&text);
    let found = noise.release(Private::new(&document), &mut PrivacyRng::reproducible(1)).into_value();
    assert_eq!(found.len(), 90);
    assert!(found.iter().all(|id| (4..304).contains(&id.get())));
    let other = Document::read(&text.replace("strange", "wondrous"));
    let again = noise.release(Private::new(&other), &mut PrivacyRng::reproducible(1)).into_value();
    assert_eq!(found, again, "one strange word is like another");
}

/// The largest loss that a released word shows between two texts of a hundred tokens, each one word.
fn found(noise: &WordNoise, texts: [&str; 2]) -> f64 {
    const DRAWS: usize = 100_000;
    let [first, second] = texts.map(|text| {
        let document = Document::read(&[text; 100].join(" "));
        let mut rng = PrivacyRng::reproducible(7);
        let mut counts = [0; 4];
        for _ in 0..DRAWS / 100 {
            let drawn = noise.release(Private::new(&document), &mut rng).into_value();
            drawn.into_iter().for_each(|id| counts[id.get() as usize - 4] += 1);
        }
        // Four words, two directions, two bounds each.
        counts.map(|count| bounds(count, DRAWS as u64, 1.0 - FALSE_ALARM / 16.0).unwrap())
    });
    let loss = |first: (f64, f64), second: (f64, f64)| (first.0 / second.1).ln();
    first.into_iter().zip(second).map(|(a, b)| loss(a, b).max(loss(b, a))).fold(0.0, f64::max)
}

/// Words on a line through the plane, the first two at distance 1, and two far away.
fn on_a_line() -> Matrix<f32> {
    Matrix::of(8, 2, [[0.0; 8], [0.0, 0.0, 1.0, 0.0, 6.0, 0.0, -5.0, 0.0]].concat())
}

#[test]
fn noise_tells_near_words_apart_as_claimed_and_no_better() {
    let noise = WordNoise::new(&vocabulary(), &on_a_line(), 1.0, Norm::Euclidean).unwrap();
    let found = found(&noise, ["east", "slant"]);
    assert!(found <= 1.0 && found > 0.6, "{found}");
    // The mean of the words is at (.5, 0), half as far from the first.
    let strange = self::found(&noise, ["east", "strange"]);
    assert!(strange <= 0.5 && strange > 0.25, "{strange}");
}

#[test]
fn in_the_mahalanobis_norm_distances_along_the_spread_are_shorter() {
    // All variance is along the first axis: twice the mean. The norm shrinks it by sqrt(1 - .5 + .5 * 2) = sqrt(1.5).
    let noise = WordNoise::new(&vocabulary(), &on_a_line(), 1.0, Norm::Mahalanobis { lambda: 0.5 }).unwrap();
    let spread = noise.spread().unwrap();
    let shrunk = 1.5_f64.sqrt();
    // From -5 to 6; nearest neighbours at 1, 1, 5 and 5, of which the upper middle is 5.
    assert!((spread.largest - 11.0 / shrunk).abs() < 1e-4, "{spread:?}");
    assert!((spread.median_nearest - 5.0 / shrunk).abs() < 1e-4, "{spread:?}");
    let found = found(&noise, ["east", "slant"]);
    assert!(found <= 1.0 / shrunk && found > 0.5, "{found}");
}

#[test]
fn deniability_grows_with_the_noise() {
    let mut rng = PrivacyRng::reproducible(1);
    let mut figures = |epsilon| {
        let noise = WordNoise::new(&vocabulary(), &on_a_line(), epsilon, Norm::Euclidean).unwrap();
        let deniability = noise.deniability(10, 500, &mut rng);
        assert_eq!(deniability.fates.iter().map(|fate| fate.id).collect::<Vec<_>>(), [4, 5, 6, 7]);
        (deniability.median_unchanged(), deniability.median_different())
    };
    assert_eq!(figures(1e6), (1.0, 1.0));
    let (unchanged, different) = figures(0.1);
    assert!(unchanged < 0.7 && different == 4.0, "{unchanged}, {different}");
    let none = WordNoise::new(&vocabulary(), &on_a_line(), 1.0, Norm::Euclidean).unwrap().deniability(0, 0, &mut rng);
    assert_eq!((none.median_unchanged(), none.median_different()), (0.0, 0.0));
}

#[test]
#[ignore = "measures speed: cargo test --release -p allonym-models tokens_a_second -- --ignored --nocapture"]
fn tokens_a_second() {
    let vocabulary = Vocabulary::english(20_000).unwrap();
    let mut rng = PrivacyRng::reproducible(1);
    let mut value = || (0..4).map(|_| (rng.bits() >> 40) as f32 / (1 << 24) as f32 - 0.5).sum();
    let vectors = Matrix::of(20_004, 100, (0..20_004 * 100).map(|_| value()).collect());
    // Frequent words stand first: the word of rank r has a share of about 1 / r, as in a text.
    let mut word = || vocabulary.word(3 + (20_000.0_f64.powf((rng.bits() >> 11) as f64 / (1_u64 << 53) as f64)) as u32);
    let texts: Vec<Document> =
        (0..40).map(|_| Document::read(&(0..50).filter_map(|_| word()).collect::<Vec<_>>().join(" "))).collect();
    let tokens: usize = texts.iter().map(Document::len).sum();
    let terms = Terms { length: Length::Public, max_tokens: 100, ..Terms::default() };
    for name in ["syntf", "metric", "subset", "two-set", "clipped-logit"] {
        let mechanism = by_name(name, &Parameters::of_epsilon(6.0), 20_000).unwrap();
        let lexical = Lexical::from_vectors(&vocabulary, &vectors, mechanism.reads()).unwrap();
        for round in ["nothing kept yet", "frequent words kept"] {
            let mut rng = PrivacyRng::reproducible(2);
            let start = std::time::Instant::now();
            for text in &texts {
                let proposer = Private::new(lexical.proposal(text, Length::Public));
                let drawing = Drawing { proposer, rng: PrivacyRng::reproducible(rng.bits()) };
                release(&*mechanism, &mut NoExpectation, &mut [drawing], &terms);
            }
            println!("{name}, {round}: {:.0} tokens a second", tokens as f64 / start.elapsed().as_secs_f64());
        }
    }
    let noise = WordNoise::new(&vocabulary, &vectors, 20.0, Norm::Euclidean).unwrap();
    let start = std::time::Instant::now();
    texts.iter().for_each(|text| drop(noise.release(Private::new(text), &mut rng)));
    println!("noise: {:.0} tokens a second", tokens as f64 / start.elapsed().as_secs_f64());
    let start = std::time::Instant::now();
    let spread = noise.spread().unwrap();
    println!("{spread:?}: {:.1} seconds", start.elapsed().as_secs_f64());
}
