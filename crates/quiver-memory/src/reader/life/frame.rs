//! Verbs, the facts that they state about people, and the objects that they take.

use super::lexicon::Class;

/// The object that a frame takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    /// A name.
    Name,
    /// Any identifiable noun phrase: with "a", a number or a name.
    Thing,
    /// The same, or a noun phrase with "my".
    Own,
    /// A name, or a noun phrase whose noun is in one of these classes.
    Of(&'static [Class]),
    /// A noun phrase whose noun is in one of these classes.
    Only(&'static [Class]),
    /// A noun phrase whose noun is in one of these classes, for an ongoing activity: "am taking".
    Lasting(&'static [Class]),
    /// A noun phrase whose noun is in one of these classes, with a moment.
    Dated(&'static [Class]),
    /// A few words without an article, such as a field: "in marketing", "chemistry".
    Field,
    /// A title in quotation marks.
    Title,
    /// A gerund, such as "camping", with a moment.
    Activity,
    /// Only a moment.
    When,
    /// A number from 1 to 120.
    Age,
}

/// A verb, the words after it, and the fact that it states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The words of the sentence, starting with the verb. The verb is in base form for a state, and inflected
    /// for an event.
    pub(super) words: &'static [&'static str],
    /// The predicate, if it differs from the words.
    pub(super) predicate: Option<&'static str>,
    pub(super) object: Object,
    /// Whether a phrase may be attached to the object: "job at Fenwick".
    pub(super) attaches: bool,
}

const fn frame(words: &'static [&'static str], object: Object) -> Frame {
    Frame { words, predicate: None, object, attaches: true }
}

const fn plain(words: &'static [&'static str], object: Object) -> Frame {
    Frame { words, predicate: None, object, attaches: false }
}

const fn said_as(words: &'static [&'static str], predicate: &'static str, object: Object) -> Frame {
    Frame { words, predicate: Some(predicate), object, attaches: true }
}

/// Lasting states, with the verb in base form.
pub(super) const STATES: &[Frame] = &[
    plain(&["live", "in"], Object::Name),
    plain(&["live", "near"], Object::Name),
    plain(&["work", "at"], Object::Thing),
    plain(&["work", "for"], Object::Thing),
    plain(&["work", "in"], Object::Field),
    plain(&["work", "as"], Object::Only(&[Class::Occupation, Class::Role])),
    plain(&["study", "at"], Object::Name),
    plain(&["study"], Object::Field),
    plain(&["teach", "at"], Object::Thing),
    plain(&["teach"], Object::Field),
    plain(&["major", "in"], Object::Field),
    plain(&["volunteer", "at"], Object::Thing),
    plain(&["volunteer", "for"], Object::Thing),
    plain(&["volunteer", "as"], Object::Thing),
    plain(&["read"], Object::Title),
    plain(&["take"], Object::Lasting(&[Class::Schooling])),
    plain(&["learn"], Object::Lasting(&[Class::Language, Class::Instrument])),
    plain(&["intern", "at"], Object::Thing),
    plain(&["play", "the"], Object::Only(&[Class::Instrument])),
    plain(&["play"], Object::Only(&[Class::Instrument, Class::Sport])),
    plain(&["play", "for"], Object::Name),
    plain(&["play", "in"], Object::Only(&[Class::Venture])),
    plain(&["drive"], Object::Of(&[Class::Belonging])),
    frame(&["own"], Object::Thing),
    frame(&["run"], Object::Only(&[Class::Venture])),
    plain(&["come", "from"], Object::Name),
    plain(&["belong", "to"], Object::Thing),
    plain(&["attend"], Object::Name),
    plain(&["coach"], Object::Only(&[Class::Sport])),
    plain(&["collect"], Object::Field),
    plain(&["practice"], Object::Field),
    plain(&["practise"], Object::Field),
    plain(&["suffer", "from"], Object::Only(&[Class::Condition])),
    plain(&["speak"], Object::Only(&[Class::Language])),
    frame(
        &["have"],
        Object::Only(&[Class::Kin, Class::Pet, Class::Belonging, Class::Condition, Class::Instrument]),
    ),
];

/// States with "be" that a gerund expresses: "am living in".
pub(super) const PROGRESSIVES: &[(&str, &str)] = &[
    ("living", "live"),
    ("working", "work"),
    ("studying", "study"),
    ("teaching", "teach"),
    ("volunteering", "volunteer"),
    ("interning", "intern"),
    ("majoring", "major"),
    ("coaching", "coach"),
    ("reading", "read"),
    ("taking", "take"),
    ("learning", "learn"),
];

/// Completed events whose result lasts, in the past tense. Excludes events whose result may still fall
/// through, such as a job somebody got or applied for, or a race they signed up for.
pub(super) const EVENTS: &[Frame] = &[
    plain(&["moved", "to"], Object::Name),
    plain(&["moved", "back", "to"], Object::Name),
    plain(&["relocated", "to"], Object::Name),
    plain(&["emigrated", "to"], Object::Name),
    plain(&["immigrated", "to"], Object::Name),
    plain(&["grew", "up", "in"], Object::Name),
    frame(&["joined"], Object::Thing),
    plain(&["graduated", "from"], Object::Of(&[Class::Schooling])),
    said_as(&["graduated", "with"], "graduated with", Object::Thing),
    plain(&["graduated"], Object::When),
    said_as(&["got", "hurt"], "got hurt", Object::When),
    said_as(&["got", "injured"], "got injured", Object::When),
    said_as(&["got", "hired"], "got hired", Object::When),
    said_as(&["got", "fired"], "got fired", Object::When),
    said_as(&["got", "laid", "off"], "got laid off", Object::When),
    plain(&["got", "married", "to"], Object::Name),
    plain(&["got", "engaged", "to"], Object::Name),
    said_as(&["got", "married"], "got married", Object::When),
    said_as(&["got", "engaged"], "got engaged", Object::When),
    said_as(&["got", "divorced"], "got divorced", Object::When),
    plain(&["got", "promoted", "to"], Object::Field),
    said_as(&["got", "promoted"], "got promoted", Object::When),
    plain(&["got", "hired", "by"], Object::Thing),
    plain(&["got", "accepted", "into"], Object::Thing),
    plain(&["got", "accepted", "to"], Object::Thing),
    frame(&["got"], Object::Only(&[Class::Pet, Class::Belonging])),
    plain(&["married"], Object::Name),
    frame(&["adopted"], Object::Only(&[Class::Pet, Class::Kin, Class::Birth])),
    frame(&["rescued"], Object::Only(&[Class::Pet])),
    frame(&["bought"], Object::Thing),
    frame(&["purchased"], Object::Thing),
    frame(&["inherited"], Object::Thing),
    plain(&["sold"], Object::Own),
    frame(&["donated"], Object::Own),
    frame(&["quit"], Object::Of(&[Class::Post])),
    frame(&["lost"], Object::Only(&[Class::Post])),
    plain(&["resigned", "from"], Object::Own),
    plain(&["retired", "from"], Object::Own),
    plain(&["retired"], Object::When),
    frame(&["started"], Object::Only(&[Class::Venture, Class::Schooling])),
    frame(&["began"], Object::Only(&[Class::Venture, Class::Schooling])),
    frame(&["founded"], Object::Thing),
    frame(&["launched"], Object::Own),
    frame(&["opened"], Object::Only(&[Class::Venture, Class::Belonging])),
    frame(&["opened", "up"], Object::Only(&[Class::Venture, Class::Belonging])),
    plain(&["enrolled", "in"], Object::Thing),
    plain(&["enrolled", "at"], Object::Thing),
    frame(&["finished"], Object::Only(&[Class::Schooling, Class::Race, Class::Craft])),
    frame(&["completed"], Object::Only(&[Class::Schooling, Class::Race])),
    frame(&["earned"], Object::Only(&[Class::Schooling, Class::Award])),
    frame(&["received"], Object::Only(&[Class::Schooling, Class::Award])),
    frame(&["won"], Object::Of(&[Class::Award])),
    plain(&["signed", "with"], Object::Thing),
    frame(&["finished"], Object::Title),
    frame(&["made"], Object::Only(&[Class::Craft])),
    frame(&["created"], Object::Only(&[Class::Craft, Class::Venture])),
    frame(&["performed", "at"], Object::Thing),
    frame(&["performed", "in"], Object::Thing),
    plain(&["met"], Object::Name),
    plain(&["broke", "up", "with"], Object::Own),
    frame(&["got", "back", "from"], Object::Of(&[Class::Journey])),
    frame(&["came", "back", "from"], Object::Of(&[Class::Journey])),
    frame(&["returned", "from"], Object::Of(&[Class::Journey])),
    plain(&["climbed"], Object::Name),
    plain(&["hiked"], Object::Name),
    plain(&["explored"], Object::Name),
    plain(&["toured"], Object::Name),
    frame(&["left"], Object::Only(&[Class::Post])),
    plain(&["took", "up"], Object::Field),
    plain(&["learned"], Object::Only(&[Class::Language, Class::Instrument])),
    plain(&["learnt"], Object::Only(&[Class::Language, Class::Instrument])),
    frame(&["did"], Object::Only(&[Class::Race])),
    frame(&["set", "up"], Object::Only(&[Class::Race, Class::Event, Class::Venture])),
    frame(&["gave"], Object::Only(&[Class::Speech])),
    frame(&["ran"], Object::Only(&[Class::Race])),
    frame(&["took"], Object::Only(&[Class::Schooling, Class::Journey])),
    frame(&["went", "on"], Object::Only(&[Class::Journey])),
    frame(&["went", "to"], Object::Of(&[Class::Event])),
    plain(&["went"], Object::Activity),
    frame(&["attended"], Object::Thing),
    frame(&["visited"], Object::Thing),
    plain(&["traveled", "to"], Object::Name),
    plain(&["travelled", "to"], Object::Name),
    plain(&["flew", "to"], Object::Name),
    frame(&["participated", "in"], Object::Thing),
    frame(&["took", "part", "in"], Object::Thing),
    frame(&["competed", "in"], Object::Thing),
    frame(&["volunteered", "at"], Object::Thing),
    frame(&["hosted"], Object::Thing),
    frame(&["organized"], Object::Thing),
    frame(&["organised"], Object::Thing),
    frame(&["wrote"], Object::Only(&[Class::Craft])),
    frame(&["published"], Object::Only(&[Class::Craft])),
    frame(&["painted"], Object::Only(&[Class::Craft])),
    frame(&["drew"], Object::Only(&[Class::Craft])),
    frame(&["built"], Object::Only(&[Class::Craft])),
    frame(&["designed"], Object::Only(&[Class::Craft])),
    frame(&["recorded"], Object::Only(&[Class::Craft])),
    frame(&["released"], Object::Only(&[Class::Craft])),
    frame(&["knitted"], Object::Only(&[Class::Craft])),
    frame(&["sewed"], Object::Only(&[Class::Craft])),
    frame(&["composed"], Object::Only(&[Class::Craft])),
    plain(&["broke"], Object::Only(&[Class::Body])),
    plain(&["sprained"], Object::Only(&[Class::Body])),
    plain(&["fractured"], Object::Only(&[Class::Body])),
    plain(&["injured"], Object::Only(&[Class::Body])),
    plain(&["hurt"], Object::Only(&[Class::Body])),
    plain(&["tore"], Object::Only(&[Class::Body])),
    frame(&["had"], Object::Only(&[Class::Birth])),
    frame(&["had"], Object::Dated(&[Class::Gathering])),
    said_as(&["gave", "birth", "to"], "gave birth to", Object::Only(&[Class::Birth])),
    plain(&["became"], Object::Only(&[Class::Occupation])),
    said_as(&["passed", "away"], "died", Object::When),
    plain(&["died"], Object::When),
    plain(&["turned"], Object::Age),
    plain(&["watched"], Object::Title),
    plain(&["read"], Object::Title),
    said_as(&["finished", "reading"], "finished reading", Object::Title),
    plain(&["saw"], Object::Title),
];

/// Events in the passive, after "was" or "have been".
pub(super) const PASSIVES: &[Frame] = &[
    plain(&["born", "in"], Object::Name),
    plain(&["born"], Object::When),
    plain(&["raised", "in"], Object::Name),
    plain(&["diagnosed", "with"], Object::Field),
    plain(&["promoted", "to"], Object::Field),
    plain(&["hired", "by"], Object::Thing),
    plain(&["hired", "at"], Object::Name),
    plain(&["accepted", "into"], Object::Thing),
    plain(&["accepted", "to"], Object::Name),
    plain(&["admitted", "to"], Object::Name),
    plain(&["laid", "off", "from"], Object::Name),
    plain(&["laid", "off"], Object::When),
    plain(&["promoted"], Object::When),
    frame(&["awarded"], Object::Thing),
];

/// Verbs after "started" that begin something lasting.
pub(super) const BEGUN: &[(&str, &[&str], Object)] = &[
    ("working", &["at", "for"], Object::Thing),
    ("working", &["as"], Object::Thing),
    ("volunteering", &["at", "for"], Object::Thing),
    ("studying", &["at"], Object::Name),
    ("studying", &[], Object::Field),
    ("teaching", &["at"], Object::Thing),
    ("teaching", &[], Object::Field),
    ("taking", &[], Object::Only(&[Class::Schooling])),
    ("going", &["to"], Object::Only(&[Class::Schooling, Class::Event])),
    ("attending", &[], Object::Thing),
    ("learning", &[], Object::Only(&[Class::Language, Class::Instrument])),
    ("playing", &[], Object::Only(&[Class::Instrument, Class::Sport])),
];
