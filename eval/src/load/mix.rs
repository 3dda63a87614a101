//! The stored data and the requests of the clients, the same in every run.

use quiver::Document;
use serde_json::{Value, json};

const SYLLABLES: [&str; 20] = [
    "bar", "del", "fin", "gor", "hal", "jun", "kes", "lum", "mir", "nov", "ost", "pel", "rud", "sil", "tam",
    "vor", "wen", "yar", "zem", "quo",
];

/// Number of ships built by one yard.
const SHIPS_OF_A_YARD: usize = 20;

/// Returns a made-up name, unique for each number below 160,000.
fn name(number: usize) -> String {
    let syllable = |place: u32| SYLLABLES[number / SYLLABLES.len().pow(place) % SYLLABLES.len()];
    let name: String = (0..4).map(syllable).collect();
    name[..1].to_uppercase() + &name[1..]
}

/// Words with a frequency distribution like that of a language: a few in nearly every passage, most in only a
/// handful.
struct Filler {
    random: u64,
    /// The cumulative shares of the words.
    sums: Vec<f64>,
}

const WORDS: usize = 30_000;

impl Filler {
    fn new() -> Self {
        let mut sum = 0.0;
        let sums = (0..WORDS).map(|word| {
            sum += 1.0 / (word as f64 + 5.0);
            sum
        });
        Self { random: 5, sums: sums.collect() }
    }

    /// Returns a number in `0..1`.
    fn share(&mut self) -> f64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is below the bound")]
        let number = (self.share() * bound as f64) as usize;
        number
    }

    fn sentences(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(4) {
            text.push_str(" The");
            for _ in 0..5 + self.below(10) {
                let wanted = self.share() * self.sums[WORDS - 1];
                let word = self.sums.partition_point(|sum| *sum < wanted);
                text.push(' ');
                text.push_str(&name(word + 120_000).to_lowercase());
            }
            text.push('.');
        }
        text
    }
}

/// Returns documents of one passage each. Each is about a ship and names a yard that another document is
/// about.
pub(super) fn documents(count: usize) -> impl Iterator<Item = Document> + Send {
    let mut filler = Filler::new();
    (0..count).map(move |number| {
        let yard = number / SHIPS_OF_A_YARD;
        let (ship, yard, person, city) =
            (name(number), name(yard + 80_000), name(yard + 90_000), name(yard % 97 + 100_000));
        let (year, filling) = (1850 + number % 150, filler.sentences());
        if number.is_multiple_of(SHIPS_OF_A_YARD) {
            let text = format!("The {yard} yard in {city} was founded by {person} in {year}.{filling}");
            return Document::new(format!("yards/{number:06}"), text).with_title(format!("{yard} yard"));
        }
        let tons = 200 + number * 7 % 9000;
        let text =
            format!("The {ship} was built at the {yard} yard in {year}. She has {tons} tons.{filling}");
        Document::new(format!("ships/{number:06}"), text).with_title(ship)
    })
}

/// Returns a question about one or two documents of a database with at least 1,000 documents.
pub(super) fn question(number: usize) -> String {
    let number = number * 37 % 1000;
    let (ship, yard) = (name(number), name(number / SHIPS_OF_A_YARD + 80_000));
    match number % 4 {
        0 => format!("Who founded the {yard} yard?"),
        1 => format!("Where was the {ship} built?"),
        2 => format!("Who founded the yard where the {ship} was built?"),
        _ => format!("How many tons has the {ship}?"),
    }
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Search,
    Ask,
    Recall,
    Context,
    Query,
    Facts,
    Documents,
    Stats,
    Remember,
    Put,
    Delete,
}

impl Kind {
    pub(super) fn method(self) -> &'static str {
        match self {
            Self::Facts | Self::Documents | Self::Stats => "GET",
            Self::Delete => "DELETE",
            _ => "POST",
        }
    }

    /// Returns the name in the table.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Search => "POST /v1/search",
            Self::Ask => "POST /v1/ask",
            Self::Recall => "POST /v1/recall",
            Self::Context => "POST /v1/context",
            Self::Query => "POST /v1/query",
            Self::Facts => "GET /v1/facts",
            Self::Documents => "GET /v1/documents",
            Self::Stats => "GET /v1/stats",
            Self::Remember => "POST /v1/remember",
            Self::Put => "POST /v1/documents",
            Self::Delete => "DELETE /v1/documents/{key}",
        }
    }
}

/// The number of reads of each kind per hundred.
const READS: [(Kind, usize); 8] = [
    (Kind::Search, 44),
    (Kind::Ask, 20),
    (Kind::Recall, 10),
    (Kind::Context, 8),
    (Kind::Query, 4),
    (Kind::Facts, 4),
    (Kind::Documents, 6),
    (Kind::Stats, 4),
];

/// The requests of one client, in sequence. It writes only its own data.
#[derive(Debug)]
pub(super) struct Mix {
    client: usize,
    step: usize,
    read_only: bool,
    writes: usize,
}

impl Mix {
    pub(super) fn new(client: usize, read_only: bool) -> Self {
        Self { client, step: 0, read_only, writes: 0 }
    }

    pub(super) fn next(&mut self) -> Kind {
        self.step += 1;
        // Every tenth request writes: it remembers a turn, adds a document, or deletes it again.
        if !self.read_only && (self.step + self.client).is_multiple_of(10) {
            self.writes += 1;
            return match self.writes % 3 {
                1 => Kind::Put,
                2 => Kind::Delete,
                _ => Kind::Remember,
            };
        }
        let mut drawn = (self.client * 31 + self.step * 17) % 100;
        for (kind, share) in READS {
            if drawn < share {
                return kind;
            }
            drawn -= share;
        }
        Kind::Search
    }

    pub(super) fn path(&self, kind: Kind) -> String {
        match kind {
            Kind::Facts => format!("/v1/facts?about={}", name(self.client)),
            Kind::Documents => "/v1/documents?limit=20".to_owned(),
            Kind::Stats => "/v1/stats".to_owned(),
            Kind::Delete => format!("/v1/documents/load%2F{}", self.client),
            Kind::Put => "/v1/documents".to_owned(),
            other => other.title().trim_start_matches("POST ").to_owned(),
        }
    }

    pub(super) fn body(&self, kind: Kind) -> Value {
        let asked = question(self.client * 101 + self.step);
        match kind {
            Kind::Put => {
                let text =
                    format!("The {} is new, and {} owns it.", name(self.client + 110_000), name(self.step));
                json!({ "documents": [{ "key": format!("load/{}", self.client), "text": text }] })
            }
            Kind::Remember => {
                let text = format!("{} owns the {}.", name(self.client), name(self.step));
                json!({ "turns": [{ "session": format!("load-{}", self.client), "speaker": "Bo", "text": text }] })
            }
            Kind::Query => {
                let query = "MATCH (n {name: $name}) RETURN n LIMIT 5";
                json!({ "query": query, "parameters": { "name": name(self.client) } })
            }
            Kind::Context => json!({ "question": asked, "tokens": 400 }),
            _ => json!({ "question": asked }),
        }
    }
}
