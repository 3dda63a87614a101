//! What an HTML page says about itself: its title, its date, its links and its main part.

use std::{borrow::Cow, cell::RefCell, collections::HashSet};

use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind,
    },
};
use jiff::{Timestamp, civil, tz::TimeZone};
use reqwest::Url;

use crate::fetch::Page;

/// Minimum number of letters in a main part.
const MAIN_LETTERS_MIN: usize = 200;
/// Number of bytes at the start that may name the page's character set.
const HEAD_BYTES: usize = 1024;

/// A parsed page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Article {
    /// The title, without the name of the site if that can be recognised.
    pub title: Option<String>,
    /// When it was published, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The targets of its links, each once, in order.
    pub links: Vec<Url>,
    /// The HTML of its main part: the only `main` or `article` if there is one, otherwise the whole page.
    pub html: String,
    /// Whether it asks robots not to follow its links.
    pub is_nofollow: bool,
    /// Whether it asks robots not to index it.
    pub is_noindex: bool,
}

impl Article {
    /// Parses a page.
    pub fn of(page: &Page) -> Self {
        let text = decoded(page);
        let found = tokens(&text);
        let mut base = page.url.clone();
        if let Some(said) = found.base.as_deref().and_then(|said| page.url.join(said).ok()) {
            base = said;
        }
        let mut seen = HashSet::new();
        let links = found.links.iter().filter_map(|link| {
            let mut url = base.join(link.trim()).ok()?;
            url.set_fragment(None);
            let is_page = matches!(url.scheme(), "http" | "https") && url != page.url;
            (is_page && seen.insert(url.as_str().to_owned())).then_some(url)
        });
        Self {
            links: links.collect(),
            title: found.title(),
            time: found
                .published
                .iter()
                .find_map(|moment| milliseconds(moment))
                .or_else(|| linked_data(&text)),
            html: main_part(&text).map_or_else(|| text.clone().into_owned(), str::to_owned),
            is_nofollow: found.robots.contains("nofollow") || found.robots.contains("none"),
            is_noindex: found.robots.contains("noindex") || found.robots.contains("none"),
        }
    }
}

/// Returns the addresses in a sitemap; an empty list if the page is not a sitemap.
pub(crate) fn sitemap(page: &Page) -> Vec<Url> {
    let text = decoded(page);
    if !(text.contains("<urlset") || text.contains("<sitemapindex")) {
        return Vec::new();
    }
    let places = text.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next());
    places.filter_map(|place| Url::parse(place.trim().replace("&amp;", "&").as_str()).ok()).collect()
}

/// Decodes a page, in the character set given by the server, the page, or its first bytes.
fn decoded(page: &Page) -> Cow<'_, str> {
    let head = String::from_utf8_lossy(&page.bytes[..page.bytes.len().min(HEAD_BYTES)]).to_lowercase();
    let in_page = head.split_once("charset=").map(|(_, rest)| {
        rest.trim_start_matches(['"', '\''])
            .split(['"', '\'', ';', '>', ' ', '/'])
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    let named = page.charset.clone().or(in_page);
    let encoding = named.and_then(|name| encoding_rs::Encoding::for_label(name.as_bytes()));
    let encoding = encoding.unwrap_or_else(|| {
        if std::str::from_utf8(&page.bytes).is_ok() { encoding_rs::UTF_8 } else { encoding_rs::WINDOWS_1252 }
    });
    encoding.decode(&page.bytes).0
}

/// Returns the only `main` of a page, or else the only `article`, if it is long enough.
fn main_part(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    ["main", "article"].iter().find_map(|name| {
        let open = format!("<{name}");
        let begins = |at: &usize| {
            lower[at + open.len()..].starts_with(|next: char| next == '>' || next.is_ascii_whitespace())
        };
        let mut starts = lower.match_indices(&open).map(|(at, _)| at).filter(begins);
        let (start, other) = (starts.next()?, starts.next());
        let end = lower.rfind(&format!("</{name}>"))?;
        let part = text.get(start..end).filter(|_| other.is_none())?;
        (letters(part) >= MAIN_LETTERS_MIN).then_some(part)
    })
}

/// Counts the letters outside of tags.
fn letters(html: &str) -> usize {
    let mut is_tag = false;
    let is_text = |c: char| {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            _ => return !is_tag && c.is_alphanumeric(),
        }
        false
    };
    html.chars().map(is_text).filter(|is_text| *is_text).take(MAIN_LETTERS_MIN).count()
}

/// Returns the publication date in a page's linked data, which is meant for search engines.
fn linked_data(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once("\"datePublished\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    milliseconds(value.split('"').next()?)
}

fn milliseconds(moment: &str) -> Option<i64> {
    let moment = moment.trim();
    if let Ok(moment) = moment.parse::<Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let day = moment
        .parse::<civil::DateTime>()
        .or_else(|_| moment.parse::<civil::Date>().map(|day| day.at(0, 0, 0, 0)));
    Some(day.ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

#[derive(Debug, Default)]
struct Found {
    title: String,
    /// The title in the metadata for sharing.
    shared_title: Option<String>,
    heading: String,
    in_title: bool,
    in_heading: bool,
    /// Publication dates, the most reliable first.
    published: Vec<String>,
    links: Vec<String>,
    base: Option<String>,
    robots: String,
}

impl Found {
    fn title(&self) -> Option<String> {
        let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (title, heading) = (fold(&self.title), fold(&self.heading));
        let shared = self.shared_title.as_deref().map(fold).unwrap_or_default();
        // "Ports | The manual" above the heading "Ports".
        let is_in_title = !heading.is_empty() && (title.contains(&heading) || shared.contains(&heading));
        let named = [if is_in_title { heading.clone() } else { String::new() }, shared, title, heading];
        named.into_iter().find(|title| !title.is_empty())
    }
}

fn tokens(page: &str) -> Found {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(page));
    let tokenizer = Tokenizer::new(Sink(RefCell::default()), TokenizerOpts::default());
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.0.take()
}

struct Sink(RefCell<Found>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut found = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) if found.in_title => found.title.push_str(&text),
            Token::CharacterTokens(text) if found.in_heading => found.heading.push_str(&text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return found.start(&tag),
            Token::TagToken(tag) => match tag.name.as_ref() {
                "title" => found.in_title = false,
                "h1" => found.in_heading = false,
                _ => {}
            },
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Found {
    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let value = |name: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
            Some(found.value.to_string())
        };
        match tag.name.as_ref() {
            "title" => {
                self.in_title = self.title.is_empty();
                return TokenSinkResult::RawData(RawKind::Rcdata);
            }
            "textarea" => return TokenSinkResult::RawData(RawKind::Rcdata),
            "script" => return TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "iframe" | "noembed" | "noframes" | "xmp" if !tag.self_closing => {
                return TokenSinkResult::RawData(RawKind::Rawtext);
            }
            "h1" => self.in_heading = self.heading.is_empty(),
            "base" => self.base = self.base.take().or_else(|| value("href")),
            "a" | "area" => {
                let is_followed = !value("rel").is_some_and(|rel| rel.to_lowercase().contains("nofollow"));
                self.links.extend(value("href").filter(|_| is_followed));
            }
            "time" => {
                let is_published = value("itemprop").is_some_and(|what| what == "datePublished")
                    || value("class").is_some_and(|class| class.contains("publish"));
                self.published.extend(value("datetime").filter(|_| is_published));
            }
            "meta" => self.meta(&value),
            _ => {}
        }
        TokenSinkResult::Continue
    }

    fn meta(&mut self, value: &dyn Fn(&str) -> Option<String>) {
        let Some(content) = value("content") else { return };
        let name = value("property").or_else(|| value("name")).or_else(|| value("itemprop"));
        match name.unwrap_or_default().to_lowercase().as_str() {
            "og:title" => self.shared_title = Some(content),
            "robots" | "quiver" => self.robots = content.to_lowercase(),
            "article:published_time"
            | "datepublished"
            | "date"
            | "dc.date"
            | "dcterms.date"
            | "dc.date.issued"
            | "pubdate"
            | "publish-date" => self.published.push(content),
            _ => {}
        }
    }
}
