//! Closed-class words of a few languages: what holds sentences together and names nothing.
//!
//! Only words a grammar lists completely stand here: determiners, pronouns, prepositions, auxiliaries,
//! conjunctions and the commonest adverbs of time and connection. No list of topics, names or verbs.

use std::{collections::HashMap, sync::LazyLock};

/// A language whose function words are known. Others are read by their punctuation and capitals alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Russian,
    Arabic,
    Hebrew,
    Hindi,
}

/// What a function word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Determiner,
    Pronoun,
    Preposition,
    Auxiliary,
    Conjunction,
    Adverb,
}

use Class::{Adverb, Auxiliary, Conjunction, Determiner, Preposition, Pronoun};
use Language::{
    Arabic, Dutch, English, French, German, Hebrew, Hindi, Italian, Portuguese, Russian, Spanish,
};

/// The class of a lower-cased word in a language, if it is a function word.
pub(crate) fn class(word: &str, language: Language) -> Option<Class> {
    WORDS.get(word)?.iter().find(|(of, _)| *of == language).map(|(_, class)| *class)
}

/// Whether a lower-cased word is a function word of any language, and not one that stands inside names.
pub(crate) fn starts_sentences(word: &str) -> bool {
    WORDS.contains_key(word) && !is_particle(word)
}

/// The language most of whose function words occur among these lower-cased words: English unless another has clearly
/// more, because short texts decide little and languages share small words.
pub(crate) fn language<'w>(words: impl Iterator<Item = &'w str>) -> Language {
    let mut counts = [0_u32; LANGUAGES.len()];
    for (of, _) in words.filter_map(|word| WORDS.get(word)).flatten() {
        counts[*of as usize] += 1;
    }
    counts[English as usize] += 1;
    // The first of equals wins.
    LANGUAGES.iter().copied().rev().max_by_key(|language| counts[*language as usize]).unwrap_or(English)
}

/// Lower-case words that join the capitalised parts of a name, in any language.
pub(crate) fn is_particle(word: &str) -> bool {
    matches!(
        word,
        "de" | "da"
            | "do"
            | "dos"
            | "das"
            | "di"
            | "du"
            | "des"
            | "del"
            | "della"
            | "dello"
            | "dei"
            | "degli"
            | "la"
            | "le"
            | "las"
            | "los"
            | "el"
            | "al"
            | "van"
            | "von"
            | "der"
            | "den"
            | "zu"
            | "zur"
            | "zum"
            | "ter"
            | "ten"
            | "te"
            | "af"
            | "av"
            | "bin"
            | "ibn"
            | "bint"
            | "ben"
            | "y"
            | "of"
    )
}

/// The month that a lower-cased word names, from 1, in the languages above.
pub(crate) fn month(word: &str) -> Option<u32> {
    MONTH_NUMBERS.get(word).copied()
}

static MONTH_NUMBERS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let numbered = (1_u32..).zip(MONTHS);
    numbered.flat_map(|(number, names)| names.split(' ').map(move |name| (name, number))).collect()
});

const MONTHS: [&str; 12] = [
    "january jan januar janvier enero gennaio janeiro januari января январь",
    "february feb februar février febrero febbraio fevereiro februari февраля февраль",
    "march mar märz mars marzo março maart марта март",
    "april apr avril abril aprile апреля апрель",
    "may mai mayo maggio maio mei мая май",
    "june jun juni juin junio giugno junho июня июнь",
    "july jul juli juillet julio luglio julho июля июль",
    "august aug août agosto augustus августа август",
    "september sep sept septembre septiembre settembre setembro сентября сентябрь",
    "october oct oktober octobre octubre ottobre outubro октября октябрь",
    "november nov novembre noviembre novembro ноября ноябрь",
    "december dec dezember décembre diciembre dicembre dezembro декабря декабрь",
];

/// Chinese characters that do the work of function words; text is cut into terms at them.
pub(crate) fn is_chinese_particle(c: char) -> bool {
    "的了在是和与與及或也都就而被把从從到对對为為于於以等其这這那他她它们們我你您有不之将將由向并並且但因所让讓给給着過过吗嗎呢吧很再又只还還没沒"
        .contains(c)
}

/// The endings that Korean words carry in place of prepositions, longest first.
pub(crate) const KOREAN_ENDINGS: [&str; 22] = [
    "에서는",
    "으로는",
    "에게서",
    "에서",
    "에게",
    "으로",
    "까지",
    "부터",
    "이다",
    "였다",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "와",
    "과",
    "도",
    "로",
];

const LANGUAGES: [Language; 11] =
    [English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Arabic, Hebrew, Hindi];

static WORDS: LazyLock<HashMap<&'static str, Vec<(Language, Class)>>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Vec<(Language, Class)>> = HashMap::new();
    for (language, class, list) in LISTS {
        for word in list.split_whitespace() {
            words.entry(word).or_default().push((*language, *class));
        }
    }
    words
});

const LISTS: &[(Language, Class, &str)] = &[
    (
        English,
        Determiner,
        "the a an this that these those some any each every no all both either neither another such other \
         others many much more most few several less least own same two three four five six seven eight nine ten eleven \
         twelve my your his her its our their whose what",
    ),
    (
        English,
        Pronoun,
        "i me you he him she it we us they them who whom which myself yourself himself herself itself \
         ourselves themselves mine yours hers ours theirs someone something anyone anything everyone \
         everything nobody nothing one ones there here i'm i've i'd i'll it's he's she's that's there's \
         we're we've they're they've you're you've let's what's who's",
    ),
    (
        English,
        Preposition,
        "of in on at by for with from to into onto upon about above across after against along among amid \
         around as before behind below beneath beside besides between beyond despite down during except \
         inside like near off out outside over past per since than through throughout till toward towards \
         under underneath unlike until up via within without according following including regarding \
         depending due",
    ),
    (
        English,
        Auxiliary,
        "is are was were be been being am do does did done doing have has had having will would shall should \
         can could may might must cannot isn't aren't wasn't weren't don't doesn't didn't hasn't haven't \
         hadn't won't wouldn't shouldn't can't couldn't",
    ),
    (
        English,
        Conjunction,
        "and or but nor so yet if because although though while whereas when where why how whether unless \
         once whenever wherever however therefore moreover furthermore thus hence instead otherwise \
         meanwhile nevertheless nonetheless",
    ),
    (
        English,
        Adverb,
        "not also only just very too even still already again then now later ever never often always \
         sometimes almost quite rather perhaps maybe soon today yesterday tomorrow yes oh well please \
         first finally currently originally formerly together away back else",
    ),
    (
        German,
        Determiner,
        "der die das den dem des ein eine einen einem einer eines kein keine keinen dieser diese dieses \
         diesem diesen jeder jede jedes alle viele einige mein meine sein seine seinen seiner seinem ihr ihre \
         ihren ihrer ihrem unser unsere",
    ),
    (
        German,
        Pronoun,
        "ich du er sie es wir mich dich sich uns euch ihn ihm ihnen man wer was welche welcher",
    ),
    (
        German,
        Preposition,
        "in im ins an am ans auf aus bei beim mit nach von vom vor zu zum zur über unter zwischen durch für \
         gegen ohne um bis seit während wegen trotz neben hinter ab als",
    ),
    (
        German,
        Auxiliary,
        "ist sind war waren sei bin bist wird werden wurde wurden worden hat haben hatte hatten kann können \
         konnte muss müssen soll sollen will wollen darf gewesen",
    ),
    (German, Conjunction, "und oder aber denn sondern weil dass daß ob wenn obwohl sowie wie wo jedoch"),
    (German, Adverb, "nicht auch nur noch schon sehr dann hier dort heute damals später dabei daher so"),
    (
        French,
        Determiner,
        "le la les un une des du l' ce cet cette ces son sa ses leur leurs mon ma mes notre nos votre vos \
         quelques plusieurs tout toute tous toutes chaque aucun",
    ),
    (French, Pronoun, "je tu il elle on nous vous ils elles se y en qui que dont où lui eux ceci cela celui"),
    (
        French,
        Preposition,
        "de d' à au aux en dans par pour sur sous avec sans chez vers entre depuis pendant avant après \
         contre dès jusque selon comme",
    ),
    (
        French,
        Auxiliary,
        "est sont était étaient fut furent être été a ont avait avaient avoir sera seront peut peuvent",
    ),
    (French, Conjunction, "et ou mais donc or ni car si quand lorsque parce puisque ainsi"),
    (French, Adverb, "ne pas plus aussi très bien alors ici là encore déjà puis"),
    (
        Spanish,
        Determiner,
        "el la los las un una unos unas este esta estos estas ese esa su sus mi mis tu tus nuestro nuestra \
         cada todo toda todos todas algunos varias varios otro otra",
    ),
    (Spanish, Pronoun, "yo tú él ella nosotros ellos ellas usted ustedes se lo le les que quien cual cuyo"),
    (
        Spanish,
        Preposition,
        "de del a al en con por para sin sobre entre desde hasta hacia contra según durante como ante tras",
    ),
    (
        Spanish,
        Auxiliary,
        "es son era eran fue fueron ser sido está están estaba ha han había haber será puede pueden",
    ),
    (Spanish, Conjunction, "y e o u pero sino porque si cuando aunque donde mientras pues"),
    (Spanish, Adverb, "no también muy más ya así aquí allí luego después entonces"),
    (
        Italian,
        Determiner,
        "il lo la i gli le un uno una l' questo questa questi queste quel quella suo sua suoi sue loro ogni \
         alcuni tutti tutte",
    ),
    (Italian, Pronoun, "io lui lei noi voi essi esso essa si ci ne che chi cui quale"),
    (
        Italian,
        Preposition,
        "di del dello della dei degli delle a al allo alla ai agli alle da dal dalla dai in nel nello nella \
         nei con su sul sulla per tra fra dopo durante come",
    ),
    (
        Italian,
        Auxiliary,
        "è sono era erano fu furono essere stato stata ha hanno aveva avevano avere sarà può",
    ),
    (Italian, Conjunction, "e ed o ma perché se quando anche mentre dove"),
    (Italian, Adverb, "non più molto già poi qui così ancora"),
    (
        Portuguese,
        Determiner,
        "o a os as um uma uns umas este esta estes estas esse essa seu sua seus suas meu minha cada todo \
         toda todos todas alguns outros outra outro",
    ),
    (Portuguese, Pronoun, "eu tu ele ela nós eles elas você vocês se lhe que quem qual cujo"),
    (
        Portuguese,
        Preposition,
        "de do da dos das em no na nos nas por pelo pela para com sem sobre entre até desde ao à aos às após \
         como durante",
    ),
    (Portuguese, Auxiliary, "é são era eram foi foram ser sido está estão tem têm tinha há será pode"),
    (Portuguese, Conjunction, "e ou mas porque se quando embora onde enquanto pois"),
    (Portuguese, Adverb, "não também muito mais já assim aqui depois então"),
    (Dutch, Determiner, "de het een deze dit die dat mijn zijn haar hun ons onze elke alle veel enkele geen"),
    (Dutch, Pronoun, "ik jij hij zij ze wij we jullie hem hen zich wie wat er men"),
    (
        Dutch,
        Preposition,
        "van in op te aan met voor door uit bij naar om over onder tussen tegen zonder tot sinds tijdens na als",
    ),
    (
        Dutch,
        Auxiliary,
        "is was waren ben bent wordt worden werd werden heeft hebben had hadden kan kunnen zal zullen",
    ),
    (Dutch, Conjunction, "en of maar want omdat indien wanneer toen hoewel waar"),
    (Dutch, Adverb, "niet ook nog al zeer dan hier daar nu later"),
    (
        Russian,
        Determiner,
        "этот эта это эти тот та те свой своя свои своего своей мой наш ваш весь вся все каждый который \
         которая которое которые которого которой",
    ),
    (
        Russian,
        Pronoun,
        "я ты он она оно мы вы они его её ее их ему ей им него неё нее них себя кто что мне меня нас вас",
    ),
    (
        Russian,
        Preposition,
        "в во на с со к ко по из за от до у о об обо при для без над под между через после перед около про",
    ),
    (Russian, Auxiliary, "был была было были быть есть будет будут является являются стал стала"),
    (Russian, Conjunction, "и а но или да если когда чтобы потому хотя где как так"),
    (Russian, Adverb, "не ни же ли бы также уже ещё еще только очень там тут здесь затем"),
    (Arabic, Determiner, "هذا هذه ذلك تلك هؤلاء كل بعض"),
    (Arabic, Pronoun, "هو هي هم هن أنا نحن أنت الذي التي الذين اللذين ما من"),
    (Arabic, Preposition, "في على إلى عن مع بين حتى منذ بعد قبل خلال عند لدى تحت فوق"),
    (Arabic, Auxiliary, "كان كانت يكون تكون ليس ليست قد"),
    (Arabic, Conjunction, "و أو ثم لكن أن إن إذا حيث كما لأن"),
    (Hebrew, Pronoun, "הוא היא הם הן אני אתה את אנחנו זה זו זאת אלה אשר מי מה"),
    (Hebrew, Preposition, "של על אל עם בין אחרי לפני עד כדי תחת מן"),
    (Hebrew, Auxiliary, "היה הייתה היו יהיה תהיה יש אין"),
    (Hebrew, Conjunction, "או אבל כי אם גם לא רק כל"),
    (Hindi, Determiner, "यह वह ये वे इस उस इन उन एक कुछ सभी हर"),
    (Hindi, Pronoun, "मैं हम तुम आप उसने उन्होंने उसका उनका जो कौन क्या"),
    (Hindi, Preposition, "का की के को में से पर ने तक लिए द्वारा साथ बाद"),
    (Hindi, Auxiliary, "है हैं था थी थे हो होता होती गया गई गए किया हुआ हुए रहा"),
    (Hindi, Conjunction, "और या लेकिन कि अगर तो भी नहीं ही जब"),
];
