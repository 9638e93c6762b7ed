//! Texts in the encodings that are guessed: the first article of the Universal Declaration of Human
//! Rights, or a part of it.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_4, ISO_8859_5,
    ISO_8859_6, ISO_8859_7, ISO_8859_8, KOI8_U, SHIFT_JIS, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
};

use super::guess::guess;

const POLISH: &str = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych \
    praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu \
    braterstwa.\n";
const CZECH: &str = "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou \
    nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.\n";
const RUSSIAN: &str = "Все люди рождаются свободными и равными в своем достоинстве и правах. Они \
    наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.\n";
const UKRAINIAN: &str = "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони \
    наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.\n";
const GREEK: &str = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα \
    δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ \
    τους με πνεύμα αδελφοσύνης.\n";
const ARABIC: &str = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا \
    وعليهم أن يعامل بعضهم بعضا بروح الإخاء.\n";
const HEBREW: &str = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה \
    ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחוה.\n";
const JAPANESE: &str = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて\
    平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。\n";

const GUESSED_TEXTS: [(&Encoding, &str); 27] = [
    (
        WINDOWS_1252,
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de \
        raison et de conscience et doivent agir les uns envers les autres dans un esprit de \
        fraternité.\n",
    ),
    (
        WINDOWS_1252,
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und \
        Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.\n",
    ),
    (
        WINDOWS_1252,
        "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med \
        förnuft och samvete och bör handla gentemot varandra i en anda av gemenskap.\n",
    ),
    (WINDOWS_1250, POLISH),
    (ISO_8859_2, POLISH),
    (WINDOWS_1250, CZECH),
    (ISO_8859_2, CZECH),
    (WINDOWS_1251, RUSSIAN),
    (KOI8_U, RUSSIAN),
    (ISO_8859_5, RUSSIAN),
    (IBM866, RUSSIAN),
    (WINDOWS_1251, UKRAINIAN),
    (WINDOWS_1253, GREEK),
    (ISO_8859_7, GREEK),
    (
        WINDOWS_1254,
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana \
        sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.\n",
    ),
    (WINDOWS_1255, HEBREW),
    (ISO_8859_8, HEBREW),
    (WINDOWS_1256, ARABIC),
    (ISO_8859_6, ARABIC),
    (
        WINDOWS_1257,
        "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir \
        sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai.\n",
    ),
    (
        ISO_8859_4,
        "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir apveltīti \
        ar saprātu un sirdsapziņu, un viņiem jāizturas citam pret citu brālības garā.\n",
    ),
    (WINDOWS_874, "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม\n"),
    (
        GBK,
        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。\n",
    ),
    (
        BIG5,
        "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。\n",
    ),
    (
        EUC_KR,
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 \
        양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.\n",
    ),
    (SHIFT_JIS, JAPANESE),
    (EUC_JP, JAPANESE),
];

/// Whether `bytes` are decoded to `text`. The name may differ: many encodings have most characters
/// in common.
fn is_guessed(bytes: &[u8], text: &str) -> bool {
    guess(bytes).is_some_and(|encoding| encoding.decode_without_bom_handling(bytes).0 == text)
}

#[test]
fn texts_are_guessed() {
    for (encoding, text) in GUESSED_TEXTS {
        let (bytes, _, is_lossy) = encoding.encode(text);
        assert!(!is_lossy, "{encoding:?}: {text}");
        for times in [1, 20] {
            let (bytes, text) = (bytes.repeat(times), text.repeat(times));
            let guessed = guess(&bytes);
            assert!(is_guessed(&bytes, &text), "{encoding:?}, guessed {guessed:?}: {text}");
        }
        // Behind much ASCII.
        let text = ["a line of text\n".repeat(1000).as_str(), text].concat();
        assert!(is_guessed(&encoding.encode(&text).0, &text), "{encoding:?} behind ASCII");
    }
    let bytes = ISO_2022_JP.encode(JAPANESE).0;
    assert!(is_guessed(&bytes, JAPANESE));
}

#[test]
fn the_head_may_end_within_a_character() {
    for (encoding, text) in GUESSED_TEXTS {
        let bytes = encoding.encode(text).0;
        let ends = bytes.len() - 12..bytes.len();
        for end in ends {
            let guessed = guess(&bytes[..end]);
            assert!(
                guessed.is_some_and(|guessed| {
                    let whole = guessed.decode_without_bom_handling(&bytes).0;
                    whole == text
                }),
                "{encoding:?}, guessed {guessed:?} of {end} bytes"
            );
        }
    }
}

#[test]
fn utf8_is_no_guess() {
    for (_, text) in GUESSED_TEXTS {
        assert_eq!(guess(text.as_bytes()), None, "{text}");
        for end in 0..text.len() {
            assert_eq!(guess(&text.as_bytes()[..end]), None, "{end} bytes of {text}");
        }
    }
    assert_eq!(guess(b""), None);
    assert_eq!(guess(b"\x1b[31mred\x1b[0m\n"), None);
    assert_eq!(guess("\x1b[31mrød\x1b[0m\n".as_bytes()), None);
}
