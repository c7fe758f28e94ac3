#!/usr/bin/env python3
"""Build the public English vocabulary, crates/allonym-text/data/english.txt.

The output is a header line followed by one token a line, most frequent first,
in the surface form in which the token is usually written. No two tokens are
equal when lower-cased. The special tokens (padding, unknown, start, end) are
not in the file: the program adds them itself.

Sources:

* Frequencies: the table `en_lexeme_prob.json.gz` of the Python package
  `spacy-lookups-data` (MIT licence): natural logarithms of the probabilities
  of case-sensitive, Treebank-like tokens.
* Spelling: the word lists of SCOWL, the Spell Checker Oriented Word Lists
  (permissive licences, see the README beside the vocabulary). Only sizes up
  to 60 are read.
* Exclusions: lists of slurs and obscene words, one a line or as a JSON list,
  for example from the npm packages `naughty-words` (CC BY 4.0),
  `badwords-list` (MIT) and `cuss` (MIT, rating 2 only). They only remove
  words; nothing of them reaches the output.
* The short lists in this script: clitics, punctuation, numbers, names of
  places and the like, and words of medical notes and of customer reviews.

Nothing is counted from any text of a user.

Example:

    python3 scripts/build_vocabulary.py \\
        --frequencies PATH/TO/en_lexeme_prob.json.gz \\
        --scowl PATH/TO/scowl \\
        --exclude PATH/TO/naughty-words/en.json PATH/TO/badwords.txt PATH/TO/cuss.txt \\
        --output crates/allonym-text/data/english.txt \\
        --review

The npm lists other than `naughty-words` are modules; print them one word a
line first, for example:

    node -e "console.log(require('badwords-list').array.join('\\n'))"
    node --input-type=module -e "import {cuss} from 'cuss';
        for (const w in cuss) if (cuss[w] === 2) console.log(w)"
"""

import argparse
import gzip
import json
import math
import random
import re
import sys
import unicodedata
from pathlib import Path

HEADER = "allonym-vocabulary 1 public"

# --- SCOWL ------------------------------------------------------------------

REGIONS = ["english", "american", "british", "british_z", "canadian"]
SIZES = [10, 20, 35, 40, 50, 55, 60]

# What a word loses, in log probability, for being in a larger (rarer) list.
# The frequency table was counted from one kind of text; the dictionaries
# behind SCOWL serve as a second opinion in favour of general words.
SIZE_PENALTY = {10: 0.0, 20: 0.0, 35: 0.2, 40: 0.5, 50: 1.0, 55: 1.5, 60: 2.0}

# --- Tokens that are always in ------------------------------------------------

# Each value is a log probability, on the scale of the frequency table. They
# are set by hand because the table counts mark-up as punctuation.
PUNCTUATION = {
    ".": -3.07, ",": -3.45, '"': -5.0, "?": -5.1, "!": -5.4, ")": -5.7,
    "(": -5.7, "-": -5.8, ":": -6.1, "...": -6.4, ";": -6.8, "/": -7.4,
    "$": -7.5, "%": -7.7, "--": -8.0, "&": -8.2, "[": -8.4, "]": -8.4,
    "#": -9.0, "*": -9.0, "@": -9.6, "+": -9.6, "=": -9.8,
}

# Clitics and the halves into which the Treebank rules split contractions.
# The halves are set by hand where the table keeps the contraction whole.
CLITICS = {
    "'s": -4.83, "n't": -4.86, "'m": -6.0, "'re": -6.26, "'ve": -6.59,
    "'": -6.74, "'ll": -6.96, "ca": -7.07, "'d": -7.08, "wo": -8.04,
    "na": -8.5, "gon": -8.8, "ta": -9.8, "wan": -9.9, "ai": -10.4,
    "o'clock": -12.3, "ma'am": -12.6, "'em": -11.1, "'cause": -11.5, "'til": -11.5, "lem": -13.0, "gim": -13.2,
    "'t": -13.0, "sha": -14.6,
}

ABBREVIATIONS = {
    "etc.": -8.1, "vs.": -9.3, "i.e.": -10.3, "e.g.": -10.4, "U.S.": -10.4,
    "Mr.": -10.5, "Dr.": -10.9, "p.m.": -11.1, "St.": -11.3, "a.m.": -11.5,
    "Jr.": -12.3, "Mrs.": -12.5, "Ms.": -12.5, "U.K.": -12.5,
}

NUMBERS = (
    [str(n) for n in range(0, 32)]
    + "40 50 60 70 80 90 100 200 300 400 500 1000".split()
    + [str(n) for n in range(1990, 2026)]
    + "1st 2nd 3rd 4th 5th 10th 20th 21st".split()
    + "1960s 1970s 1980s 1990s 2000s".split()
)
NUMBER_FLOOR = -12.5

# The frequency table splits at hyphens, so it cannot rank these.
HYPHENATED = """
    long-term short-term full-time part-time real-time first-time so-called
    well-known well-being low-cost high-quality high-end low-level high-level
    self-esteem self-employed self-conscious self-defense self-control
    old-fashioned up-to-date state-of-the-art follow-up check-in check-out
    check-up mother-in-law father-in-law brother-in-law sister-in-law ex-wife
    ex-husband co-worker co-workers two-year three-year year-old face-to-face
    one-way two-way day-to-day middle-aged open-minded e-mail x-ray x-rays
    hands-on user-friendly sugar-free gluten-free run-down in-depth
    non-smoking en-suite over-the-counter high-risk low-risk post-operative
    non-profit decision-making problem-solving all-inclusive good-looking
    second-hand twenty-five twenty-four thirty-five family-friendly
""".split()
HYPHENATED_SCORE = -12.0

# Written in capitals, or with a fixed mixture of cases.
ACRONYMS = """
    TV OK USA UK EU UN FBI CIA NASA DNA HIV CEO CPU PC CD DVD GPS USB PDF
    FAQ HR MRI CT ICU ER ECG EKG GP BMI BP IV NHS PTSD ADHD OCD IBS UTI STD
    COPD ENT GI IUD TB ID ATM VIP CV PhD BBC CNN FDA IRS NYC DC VAT AC SUV
    DIY IQ HD WiFi DJ RN
""".split()

# --- Capitalised words --------------------------------------------------------

# Places, peoples, languages, religions, days, months, feasts and a few
# companies known everywhere. Names of persons are left out on purpose: a
# vocabulary must not make it easy to write somebody's name.
CAPITALISED = """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Fridays
    Saturdays Sundays January February March April May June July August
    September October November December Christmas Easter Halloween Thanksgiving
    Hanukkah Ramadan

    Africa African Africans America American Americans Asia Asian Asians Europe
    European Europeans Australia Australian Australians Antarctica Arctic
    Atlantic Pacific Mediterranean Caribbean Scandinavia Scandinavian Latin
    Latino Hispanic Arab Arabs Arabic Western Eastern Midwest

    Afghanistan Afghan Albania Algeria Argentina Armenia Armenian Austria
    Austrian Bangladesh Belarus Belgium Belgian Bolivia Bosnia Brazil Brazilian
    Britain British Bulgaria Bulgarian Burma Cambodia Cameroon Canada Canadian
    Canadians Chile China Chinese Colombia Colombian Congo Croatia Croatian
    Cuba Cuban Cyprus Czech Denmark Danish Ecuador Egypt Egyptian England
    English Estonia Ethiopia Ethiopian Fiji Finland Finnish France French
    Georgia Germany German Germans Ghana Greece Greek Greeks Greenland
    Guatemala Haiti Haitian Holland Honduras Hungary Hungarian Iceland
    Icelandic India Indian Indians Indonesia Indonesian Iran Iranian Iraq Iraqi
    Ireland Irish Israel Israeli Italy Italian Italians Jamaica Jamaican Japan
    Japanese Jordan Kenya Kenyan Korea Korean Koreans Kuwait Latvia Lebanon
    Lebanese Libya Libyan Lithuania Luxembourg Madagascar Malaysia Malaysian
    Malta Mexico Mexican Mexicans Mongolia Morocco Moroccan Mozambique Nepal
    Netherlands Dutch Nicaragua Niger Nigeria Nigerian Norway Norwegian
    Pakistan Pakistani Palestine Palestinian Panama Paraguay Peru Peruvian
    Philippines Filipino Poland Polish Portugal Portuguese Qatar Romania
    Romanian Russia Russian Russians Rwanda Scotland Scottish Senegal Serbia
    Serbian Singapore Slovakia Slovenia Somalia Somali Spain Spanish Sudan
    Sweden Swedish Switzerland Swiss Syria Syrian Taiwan Taiwanese Tanzania
    Thailand Thai Tibet Tibetan Tunisia Turkey Turkish Uganda Ukraine Ukrainian
    Uruguay Venezuela Venezuelan Vietnam Vietnamese Wales Welsh Yemen Zambia
    Zimbabwe Zealand Arabia Saudi Soviet Persian Kurdish Roman Romans Celtic
    Nordic Victorian Balkans

    Alabama Alaska Arizona Arkansas California Californian Carolina Colorado
    Connecticut Dakota Delaware Florida Hawaii Hawaiian Idaho Illinois Indiana
    Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan
    Minnesota Mississippi Missouri Montana Nebraska Nevada Hampshire Jersey
    York Ohio Oklahoma Oregon Pennsylvania Tennessee Texas Texan Utah Vermont
    Virginia Washington Wisconsin Wyoming Manhattan Brooklyn Broadway Hollywood

    Alberta Ontario Quebec Saskatchewan Queensland Tasmania Yorkshire Normandy
    Sicily Siberia

    Adelaide Amsterdam Angeles Athens Atlanta Auckland Austin Baghdad Baltimore
    Bangkok Barcelona Beijing Belfast Berlin Birmingham Bombay Boston Brighton
    Brisbane Bristol Brussels Budapest Buffalo Cairo Calgary Cambridge Canberra
    Cardiff Charlotte Chicago Cincinnati Cleveland Cologne Columbus Copenhagen
    Dallas Delhi Denver Detroit Dubai Dublin Edinburgh Edmonton Florence
    Francisco Frankfurt Geneva Glasgow Halifax Hamburg Helsinki Hong Houston
    Indianapolis Istanbul Jerusalem Johannesburg Kong Leeds Lima Lisbon
    Liverpool London Madrid Manchester Manila Mecca Melbourne Memphis Miami
    Milan Milwaukee Minneapolis Montreal Moscow Mumbai Munich Nairobi Naples
    Nashville Newcastle Oakland Orlando Orleans Oslo Ottawa Oxford Paris Perth
    Philadelphia Phoenix Pittsburgh Portland Prague Rome Sacramento Santiago
    Seattle Seoul Shanghai Sheffield Stockholm Sydney Tampa Tehran Tokyo
    Toronto Vancouver Vegas Venice Vienna Warsaw Wellington Winnipeg Zurich

    Alps Everest Himalayas Nile Thames Amazon Sahara Mars Venus Jupiter Saturn
    Neptune Pluto Fahrenheit Celsius

    God Jesus Christ Christian Christians Christianity Catholic Catholics
    Protestant Protestants Baptist Methodist Lutheran Anglican Orthodox Mormon
    Mormons Jew Jews Jewish Judaism Hebrew Yiddish Muslim Muslims Islam Islamic
    Hindu Hindus Hinduism Hindi Urdu Bengali Mandarin Cantonese Buddha Buddhism
    Buddhist Buddhists Sikh Sikhs Bible Biblical Koran Quran Torah Satan
    Vatican Amish Zen

    Congress Republican Republicans Democrat Democrats Nazi Nazis Holocaust
    Renaissance Olympic Olympics Medicare Medicaid Pentagon

    Google Facebook Microsoft Wikipedia Twitter YouTube Netflix Walmart
    Starbucks Disney Hilton Marriott Yelp Toyota Honda Ford

    Alzheimer Parkinson Tylenol Advil Ebola
""".split()

# --- Words of the fields in which texts are released --------------------------

# Wanted even when the general frequency table ranks them low.
MEDICAL = """
    abdomen abdominal abnormal abscess ache aches acute addiction adhesion
    adjuvant admission admitted adolescent adrenal afebrile airway alert
    allergic allergies allergy ambulance ambulatory amputation anaemia
    anaesthesia analgesia analgesic anemia anesthesia aneurysm angina ankle
    anterior antibiotic antibiotics antibodies anticoagulation antidepressant
    antidepressants anxiety aorta aortic appendicitis appendix appetite
    arrhythmia arterial artery arthritis aspirin assessment asthma asymptomatic
    atrial atrophy auscultation autoimmune bandage baseline benign bilateral
    bilaterally biopsy bladder bleed bleeding blister bloating bloodstream
    bowel bowels bradycardia breathlessness bronchial bronchitis bruise
    bruising calcium cancer cancers cannula capsule carcinoma cardiac
    cardiologist cardiology cardiovascular cartilage cataract catheter cerebral
    cervical cervix chemotherapy chills chiropractor cholesterol chronic
    cirrhosis clavicle clinic clinical clinically clinician clinicians clot
    clots colitis colon colonoscopy coma complication complications concussion
    congenital congestion congestive constipation consultation contraception
    contraceptive contusion convulsions coronary cough coughing cramps
    creatinine cyst cysts deficiency dehydrated dehydration delirium delivery
    dementia dental dentist dermatitis dermatologist dermatology diabetes
    diabetic diagnose diagnosed diagnoses diagnosis diagnostic dialysis
    diaphragm diarrhea diarrhoea diastolic dietary digestive dilated discharge
    discharged discomfort disorder disorders distal distended distress diuretic
    dizziness dizzy dosage dose doses drainage drowsiness drowsy duodenal
    dysfunction dyspnea dyspnoea eczema edema effusion elbow electrolytes
    embolism emergency emphysema endocrine endoscopy epidural epilepsy
    epileptic erythema esophagus estrogen exacerbation examination examined
    excision extremities extremity fainting fatigue febrile femoral femur
    fertility fetal fetus fever fevers fibrillation fibrosis flu fluid fluids
    forearm fracture fractured fractures gallbladder gastric gastritis
    gastrointestinal genetic genital glands glucose gout groin gynaecologist
    gynecologist haemoglobin haemorrhage hallucinations hamstring headache
    headaches heartbeat heartburn hematoma hemoglobin hemorrhage hepatic
    hepatitis hernia herpes hip hips history hives hormonal hormone hormones
    hospice hospital hospitalization hospitalized hydration hygiene
    hyperlipidemia hypersensitivity hypertension hypertensive hypotension
    hypothyroidism hypoxia hysterectomy ibuprofen immune immunity immunization
    implant incision incontinence indigestion infant infarction infected
    infection infections infectious inferior infertility inflamed inflammation
    inflammatory influenza infusion ingestion inhaler inhalers inject injection
    injections injured injuries injury inpatient insomnia insulin intensive
    intestinal intestine intestines intravenous intubated intubation irritation
    ischemia ischemic itching itchy jaundice joint joints kidney kidneys knee
    knees laceration laparoscopic laryngeal larynx lesion lesions lethargic
    lethargy leukaemia leukemia ligament ligaments liver lobe lumbar lump lumps
    lung lungs lupus lymph lymphoma malaise malaria malignancy malignant
    mammogram manic mastectomy maternal maternity medication medications
    medicine medicines melanoma membrane meningitis menopause menstrual
    menstruation metabolic metabolism metastases metastasis metastatic
    metformin midwife migraine migraines miscarriage morphine mucosa mucus
    murmur muscular musculoskeletal myocardial nasal nausea nauseous neck
    necrosis needle neonatal nerve nerves neurological neurologist neurology
    neuropathy normal nosebleed numbness nurse nursing nutrition nutritional
    obese obesity obstetric obstetrician obstruction oedema ointment oncologist
    oncology ophthalmology opioid opioids optometrist oral organs orthopaedic
    orthopedic osteoarthritis osteoporosis outpatient ovarian ovaries ovary
    overdose oxygen pacemaker paediatric pain painful painkiller painkillers
    palliative pallor palpable palpation palpitations pancreas pancreatic
    pancreatitis paracetamol paralysis paramedic paramedics paranoia patella
    paternal pathology patient patients pediatric pediatrician pelvic pelvis
    penicillin penis peptic perforation peripheral pharmacist pharmacy phlegm
    physician physicians physiotherapist physiotherapy pituitary placebo
    placenta plasma platelet platelets pleural pneumonia poisoning polyp polyps
    posterior postnatal postoperative postpartum potassium precautions
    pregnancies pregnancy pregnant prenatal preoperative prescribe prescribed
    prescription prescriptions prognosis prophylaxis prostate prosthesis
    proximal psoriasis psychiatric psychiatrist psychological psychologist
    psychosis psychotic pulmonary pulse puncture pupils quadriceps radiation
    radiograph radiology radiotherapy rash rashes reactive recovery rectal
    rectum recurrence recurrent reflex reflexes reflux regurgitation rehab
    rehabilitation relapse remission renal resection respiration respiratory
    resuscitation retina retinal rheumatic rheumatoid rib ribs saline saliva
    scan scans scar scarring schizophrenia sciatica sclerosis scoliosis
    secretions sedated sedation sedative seizure seizures sensation sepsis
    septic serum sexual shivering shoulder sinus sinuses sinusitis skeletal
    sleepiness smear sodium sore soreness spasm spasms specimen spinal spine
    spleen splint sprain sputum stable stent sterile steroid steroids
    stethoscope stiffness stitches stool stools stroke strokes subcutaneous
    surgeon surgeons surgeries surgery surgical suture sutures swallowing
    sweating swelling swollen symptom symptomatic symptoms syncope syndrome
    syringe systolic tachycardia tender tenderness tendon tendonitis testicular
    tetanus therapies therapist therapists therapy thigh thoracic throat
    throbbing thrombosis thyroid tibia tingling tinnitus tissue tissues
    tonsillitis tonsils topical toxic toxicity trachea transfusion transplant
    trauma traumatic treatment treatments tremor tremors triage trimester
    tuberculosis tumor tumors tumour tumours ulcer ulcers ultrasound
    unconscious unremarkable unwell urgent urinary urinate urination urine
    urologist urology uterine uterus vaccinated vaccination vaccinations
    vaccine vaccines vagina vaginal valve varicose vascular vasectomy vein
    veins venous ventilation ventilator ventricle ventricular vertebrae vertigo
    virus viruses vitamin vitamins vomit vomited vomiting ward warfarin
    weakness wheelchair wheezing withdrawal womb wound wounds wrist
""".split()

REVIEWS = """
    accommodating accommodation accommodations airline airport ambiance
    ambience amenities app appetizer appetizers apps attentive bartender
    bathroom bathtub bedding bellboy bland booking bookings breakfast brunch
    buffet cafe cancellation cashier checkout chef cleanliness comfortable
    comfy complimentary concierge courteous cozy cosy crispy cuisine decor
    delectable delicious delivered dentistry dessert desserts diner dingy
    disappointing discount durable eatery elevator entree entrees espresso
    exceptional excellent flavorful flavorless flavourful flimsy friendly
    furnishings generous greasy greeted hairdresser helpful hostel hostess
    hotel hotels housekeeping hygienic impeccable inedible inexpensive
    itinerary knowledgeable landlord latte lobby locksmith lounge luggage
    luxurious manicure massage mattress mechanic menu minibar mediocre menus
    motel motels musty noisy outdated overcharged overcooked overpriced
    oversized packaging parking pastries patio pedicure pillow pillows plumber
    polite portions pricey prompt promptly purchase purchased quiet realtor
    reasonably receipt reception receptionist recommend recommendation
    recommended refills refund refunded refunds reliable renovated reservation
    reservations responsive restaurant restaurants restroom restrooms roomy
    rude salon sandwich scenic seafood seating server servers shipment shipping
    shuttle soggy souvenir spacious spotless staff stained stale sturdy
    subpar suite suites tasty tasteless technician thoughtful tidy toiletries
    towel towels uncomfortable undercooked underwhelming unfriendly
    unhelpful unprofessional upholstery upscale valet vegan vegetarian waiter
    waitress warranty yummy
""".split()

# --- Words that are never in --------------------------------------------------

# Contractions written without their apostrophe, and contractions that the
# Treebank rules split, so that the whole form never is a token.
BROKEN_CONTRACTIONS = """
    aint arent cant couldnt didnt doesnt dont hadnt hasnt havent hes id im isnt
    ive mustnt neednt oughtnt shant shes shouldnt thats theyre til twas wasnt
    werent whats wont wouldnt youre youve gonna wanna gotta gimme lemme cannot
    tis em
""".split()

# Marks of one site or of one way of writing on line, not of English.
ONLINE_JARGON = """
    ya yo yea ho ls rs ts ks gs cs ms es fa sh ti mu xi nu om lo mi en bi ay
    newbie newbies noob emoji emojis emoticon emoticons selfie selfies meme
    memes troll trolls trolled trolling hashtag hashtags tl lol haha hahaha
    google googled googling tweet tweets tweeted tweeting retweet dongle doge
    rep reps pic pics mod mods modded modding spawn spawned respawn respawned
    grok tho thru meh och wot outta jag jags hivemind submitter facepalm
    jimmies fanboy fanboys aggro summoner summoners kart riven zed vita corsair
    toke faker sims mew mes mas pas ins ifs orc orcs mage mages paladin
    unplayable respawning noobs git vim java yahoo intel dell batman superman
    borderlands lulz pong tourney rematch spammer spammers wiki unsubscribe
    fedora cis jive tor meg sup hottie hotties cheapo
""".split()

# Contemptuous words that the lists of obscene words lack.
CONTEMPTUOUS = """
    midget midgets scumbag scumbags douche hooker hookers illegals
    spank spanked spanking porn cock cocks panties fart farts poop idiot idiots bastard
""".split()

# Names of persons that SCOWL also holds as rare ordinary words.
NAMES_ONLY = "lee billy johns madden lacy tom mike don carol drake".split()

# Words that the mark-up and the rules of the counted site make too frequent,
# with what they lose in log probability.
INFLATED = {
    "deleted": 5.0, "removed": 1.0, "edit": 2.5, "post": 1.0, "posts": 1.0,
    "posted": 1.0, "posting": 1.0, "comment": 1.0, "comments": 1.0,
    "thread": 2.0, "threads": 2.0, "link": 1.0, "links": 1.0, "bot": 2.5,
    "bots": 2.5, "message": 0.5, "moderators": 2.0, "moderator": 2.0,
    "submission": 2.0, "submissions": 2.0, "karma": 2.5, "source": 0.5,
    "spoiler": 2.0, "spoilers": 2.0, "flair": 3.0, "user": 0.5,
    "game": 1.0, "games": 1.0, "gaming": 2.0, "gamer": 2.0, "gamers": 2.0,
    "buff": 2.0, "nerf": 3.0, "loot": 2.0, "quest": 1.5, "quests": 1.5,
    "console": 1.0, "consoles": 1.5, "dude": 1.0, "dudes": 1.5, "lets": 2.5,
    "automatically": 0.5, "contact": 0.3, "steam": 1.5, "mana": 3.0,
    "raid": 1.0, "raids": 1.5, "shill": 2.0, "rant": 1.0,
    "atheist": 1.0, "atheists": 1.5, "atheism": 1.5, "dank": 1.5, "god": 0.5,
    "zerg": 3.0, "guild": 1.5, "clan": 1.0, "wizard": 1.0, "dungeon": 1.5,
    "amp": 3.0, "re": 2.0, "sub": 1.5, "subs": 1.5, "la": 1.5, "ram": 1.0,
    "lag": 1.0,
}

# Ordinary and medical words that lists of obscene words include.
KEPT = """
    anal anus assess assessed assessing ball balls bastard bestial bloody
    bondage breast breasts bum butt cervix chunky clitoris cock cocky coital
    coitus crap crappy cunning damn damned domination doom dope doping dumb
    dumber ejaculate ejaculation erection erotic escort eunuch fecal feces
    fetish gay gays genital genitals god grope hardcore hell heroin hoe
    homosexual hump idiot idiots incest intercourse jeez jig kinky knob knobs
    lesbian lesbians libido looser loser losers lust masochist masturbate
    masturbating masturbation naked nip nipple nipples nips nude nudity opium
    orgasm orgasms orgy ovary panties pawn pawns pedophile penetration penis
    phallic pimple poo poop porn pornographic pornography priced prices pricing
    prostitute pubic pubs pudding puke puked puking queer rape raped raping
    rapist rectal rectum rum scatter screw screwing scrotum semen sex sexes
    sexual sexuality sexually sexy shaggy shatter shave shaved shaves shaving
    sissy slave slaves snatch sniper snowballing spaced spaces spacing spiced
    spices spicy spike spiked spikes spit spits spitting spunk strip stupid
    suck sucked sucker suckers sucking sucks swastika swinger tang tested
    tester testers testicle testicles testing testis tests tinker tinkering
    toots topless tortured torturing ugly undressing urine uterus vagina
    vaginal viagra vibrator vomit voyeur vulva weed welfare whiz yank yanked
    yanks
""".split()

# The most that a word's sentence-initial or shouted forms may add to the
# probability of its lower-case form. It keeps names of products and of games
# ("Destiny", "Steam") from lifting the ordinary word.
TITLE_CAP = 1.0
UPPER_CAP = 0.1

# An ordinary word that SCOWL also knows as a name is taken for the name, and
# left out, when the capitalised form is so many times as probable.
NAME_RATIO = 6.0

# A word on the list CAPITALISED that is an ordinary word as well ("turkey") is
# written with the capital when that form is so many times as probable.
CAPITAL_RATIO = 1.5

# The probability taken for listed words that the table does not hold.
UNSEEN = -19.0

WORD = re.compile(r"[a-z]{2,}")


def strip_accents(word):
    """`café` -> `cafe`: the vocabulary is written with the letters a to z."""
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def read_scowl(directory):
    """Return ordinary words with their smallest size, and the set of names.

    The names (lower-cased) are those that SCOWL writes with a capital.
    """
    sizes, names = {}, set()
    for size in SIZES:
        for region in REGIONS:
            for kind in ["words", "upper", "proper-names"]:
                path = directory / f"{region}-{kind}.{size}"
                if not path.exists():
                    continue
                for line in path.read_text(encoding="latin-1").splitlines():
                    word = strip_accents(line.strip())
                    if kind == "words" and WORD.fullmatch(word):
                        sizes.setdefault(word, size)
                    elif kind != "words":
                        names.add(word.lower())
    if not sizes:
        sys.exit(f"no SCOWL word lists in {directory}")
    return sizes, names


def read_exclusions(paths):
    """Return the single words of the exclusion lists and their inflections."""
    listed = set()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        entries = json.loads(text) if path.suffix == ".json" else text.splitlines()
        listed.update(entry.strip().lower() for entry in entries)
    listed = {word for word in listed if WORD.fullmatch(word)} - set(KEPT)

    excluded = set(listed)
    for word in listed:
        if len(word) < 4:
            excluded.add(word + "s")
            continue
        stems = {word, word + word[-1], word.rstrip("e"), word.rstrip("y") + "i"}
        endings = ["s", "es", "ed", "er", "ers", "ing", "y", "ier", "iest", "ish"]
        excluded.update(stem + ending for stem in stems for ending in endings)
    return excluded - set(KEPT)


def add_listed(scores, log_prob):
    """Enter the fixed lists, which need no check of their spelling."""
    for fixed in [PUNCTUATION, CLITICS, ABBREVIATIONS]:
        scores.update(fixed)
    for token in NUMBERS:
        scores[token] = max(log_prob.get(token, NUMBER_FLOOR), NUMBER_FLOOR)
    for token in HYPHENATED:
        scores[token] = HYPHENATED_SCORE
    for token in ACRONYMS:
        scores[token] = log_prob.get(token, UNSEEN)


def add_capitalised(scores, log_prob, ordinary):
    """Enter places, peoples, days and the like when the capital prevails."""
    for token in CAPITALISED:
        lower = token.lower()
        capital_score = log_prob.get(token, UNSEEN)
        lower_score = log_prob.get(lower, UNSEEN)
        if lower in ordinary and capital_score < lower_score + math.log(CAPITAL_RATIO):
            continue
        scores[token] = capital_score


def word_score(word, log_prob):
    """The log probability of an ordinary word over its forms of case."""
    lower = math.exp(log_prob.get(word, UNSEEN))
    title = math.exp(log_prob.get(word.capitalize(), UNSEEN))
    upper = math.exp(log_prob.get(word.upper(), UNSEEN))
    total = lower + min(title, TITLE_CAP * lower) + min(upper, UPPER_CAP * lower)
    return math.log(total)


def add_words(scores, log_prob, sizes, names, excluded):
    """Enter the ordinary words of SCOWL."""
    taken = {token.lower() for token in scores}
    never = excluded.union(
        BROKEN_CONTRACTIONS, ONLINE_JARGON, CONTEMPTUOUS, NAMES_ONLY
    )
    for word, size in sizes.items():
        if word in taken or word in never or word not in log_prob:
            continue
        capital = log_prob.get(word.capitalize(), UNSEEN)
        if word in names and capital > log_prob[word] + math.log(NAME_RATIO):
            continue
        score = word_score(word, log_prob)
        scores[word] = score - SIZE_PENALTY[size] - INFLATED.get(word, 0.0)


def build(log_prob, sizes, names, excluded, size):
    """Return the `size` best tokens, most frequent first."""
    scores = {}
    add_listed(scores, log_prob)
    add_capitalised(scores, log_prob, sizes)
    listed = set(scores)
    add_words(scores, log_prob, sizes, names, excluded)

    # "I" and "a" are the only single letters; SCOWL's others are not words.
    for letter in ["a", "I"]:
        scores[letter] = log_prob[letter]
        listed.add(letter)

    # The words of the fields are in whatever their rank.
    for word in MEDICAL + REVIEWS:
        scores.setdefault(word, word_score(word, log_prob) - 2.0)
        listed.add(word)

    ranked = sorted(scores, key=lambda token: (-scores[token], token))
    room = size - len(listed)
    chosen = []
    for token in ranked:
        if token in listed:
            chosen.append(token)
        elif room > 0:
            chosen.append(token)
            room -= 1
    return chosen


def check(tokens, size):
    """Stop rather than write a broken vocabulary."""
    assert len(tokens) == size, len(tokens)
    assert len({token.lower() for token in tokens}) == size, "tokens not unique"
    assert not any(re.search(r"\s", token) or not token for token in tokens)
    assert all(token.isascii() for token in tokens)


def review(tokens):
    """Print what a reader should look at."""
    capitals = [token for token in tokens if token != token.lower()]
    print(f"tokens: {len(tokens)}")
    print("first 100:", *tokens[:100])
    print("100 at random:", *random.Random(1).sample(tokens, 100))
    print("last 100:", *tokens[-100:])
    print(f"with capitals ({len(capitals)}):", *capitals)


def main():
    parser = argparse.ArgumentParser(
        description="Build the public English vocabulary.",
        epilog="The docstring of this script names the sources and licences.",
    )
    parser.add_argument("--frequencies", type=Path, required=True,
                        help="en_lexeme_prob.json.gz of spacy-lookups-data")
    parser.add_argument("--scowl", type=Path, required=True,
                        help="directory of the SCOWL word lists (latin-1)")
    parser.add_argument("--exclude", type=Path, nargs="+", required=True,
                        help="lists of words to leave out: one word a line, "
                             "or a JSON list (.json)")
    parser.add_argument("--output", type=Path, required=True,
                        help="vocabulary file to write")
    parser.add_argument("--size", type=int, default=20000,
                        help="number of tokens (default: %(default)s)")
    parser.add_argument("--review", action="store_true",
                        help="print samples of the result")
    arguments = parser.parse_args()

    with gzip.open(arguments.frequencies, "rt", encoding="utf-8") as file:
        log_prob = json.load(file)
    sizes, names = read_scowl(arguments.scowl)
    excluded = read_exclusions(arguments.exclude)

    tokens = build(log_prob, sizes, names, excluded, arguments.size)
    check(tokens, arguments.size)
    arguments.output.write_text("\n".join([HEADER, *tokens]) + "\n", encoding="utf-8")
    if arguments.review:
        review(tokens)


if __name__ == "__main__":
    main()
