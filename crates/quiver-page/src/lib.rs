//! The page of Quiver: shows in a browser why an answer is the answer.
//!
//! `web/` holds its source in TypeScript, and `web/dist` what `npm run build` makes of it; `docs/` is a page of its own
//! that shows the description of a server and sends requests. A server serves [`ASSETS`] with the policy [`POLICY`];
//! [`recorded`] makes one file that shows one recorded answer, and [`app`] one that a client of the Model Context
//! Protocol shows beside an answer.
//!
//! ```
//! let file = quiver_page::recorded(r#"{"question":"Who owns </script>?"}"#);
//! assert!(file.contains(r#"{"question":"Who owns \u003c/script>?"}"#));
//! ```

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Where it is served.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// The files of the page.
pub const ASSETS: &[Asset] = &[
    Asset {
        path: "/",
        media_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../web/dist/index.html"),
    },
    Asset {
        path: "/page.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../web/dist/page.js"),
    },
    Asset {
        path: "/explorer.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../web/dist/explorer.js"),
    },
    Asset {
        path: "/page.css",
        media_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../web/dist/page.css"),
    },
    Asset {
        path: "/docs",
        media_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../docs/index.html"),
    },
    Asset {
        path: "/docs.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../docs/docs.js"),
    },
    Asset {
        path: "/docs.css",
        media_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../docs/docs.css"),
    },
];

/// The policy to serve them with: scripts, styles and requests of the server itself, and nothing else.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page as one file, which holds its script, its style and a policy with their digests.
const SINGLE: &str = include_str!("../web/dist/single.html");

/// Stands in [`SINGLE`] where the recorded answer belongs.
const PLACE: &str = "{\"recorded\":null}";

/// Makes one file that shows a recorded answer: the JSON that `quiver ask --json --trace` prints. It needs no server
/// and sends no request.
#[must_use]
pub fn recorded(json: &str) -> String {
    // Inside of JSON, `<` stands in strings only. Without it, nothing ends the element that holds the JSON.
    SINGLE.replacen(PLACE, &json.replace('<', "\\u003c"), 1)
}

/// Makes one file that shows the answer that a client of the Model Context Protocol hands to it (MCP Apps).
#[must_use]
pub fn app() -> String {
    recorded(r#"{"app":true}"#)
}

#[cfg(test)]
mod tests {
    use super::{PLACE, SINGLE, recorded};

    #[test]
    fn a_recorded_answer_stands_in_the_file_once_and_ends_no_element() {
        assert_eq!(SINGLE.matches(PLACE).count(), 1);
        let hostile = r#"{"answer":"</script><script>alert(1)</script><!-- \" -->"}"#;
        let file = recorded(hostile);
        let (before, after) = SINGLE.split_once(PLACE).unwrap();
        let json = file.strip_prefix(before).unwrap().strip_suffix(after).unwrap();
        assert_eq!(json, r#"{"answer":"\u003c/script>\u003cscript>alert(1)\u003c/script>\u003c!-- \" -->"}"#);
    }
}
