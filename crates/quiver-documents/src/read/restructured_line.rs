//! Lines of `reStructuredText`.

pub(super) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line with what its roles mark, and without the roles: ":ref:`the guide <guide>`" is "the guide".
pub(super) fn without_roles(line: &str) -> String {
    let mut read = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(":`") {
        let name = rest[..start].rfind(':').filter(|colon| {
            let name = &rest[colon + 1..start];
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
        });
        let end = rest[start + 2..].find('`').map(|end| start + 2 + end);
        let (Some(name), Some(end)) = (name, end) else {
            read.push_str(&rest[..start + 2]);
            rest = &rest[start + 2..];
            continue;
        };
        let marked = &rest[start + 2..end];
        read.push_str(&rest[..name]);
        read.push_str(
            marked.split_once('<').map_or(marked, |(words, _)| words.trim_end()).trim_start_matches('~'),
        );
        rest = &rest[end + 1..];
    }
    read.push_str(rest);
    read
}
