//! Prompts that users select in their client: they instruct an assistant how to use the memory.

use rmcp::{
    ErrorData,
    model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role},
};

/// Instructions for using the memory in a conversation.
const MEMORY: &str = "\
Work with the memory of `quiver` in this conversation.

1. Before you answer about people, projects, decisions, preferences or what was said earlier, call `recall` with the \
question and the names in it. For questions about documents, call `ask`; for more detail, `search` and `open`.
2. When I state something that will matter later (a fact, a decision, a preference, a correction, a date), call \
`remember` with my words, `speaker`, and one `session` name for this whole conversation. Give `at` if it was said \
earlier than now. Don't remember guesses of your own, passwords, keys or small talk.
3. When something changes, remember the new statement as it was said. The old facts stay on record for their time, so \
you don't need to forget anything.
4. If `recall` returns a clarifying question, pass it on to me. If nothing was found, say so; don't guess.
5. Call `forget` only if I ask for it. First call it without `dry_run`, which shows what would be deleted. Once I have \
agreed, call it with `dry_run` false.";

/// Instructions for remembering the important parts of a conversation.
const KEEP: &str = "\
Go through this conversation from the beginning and store what will matter later in the memory of `quiver`: facts, \
decisions with their reasons, preferences, corrections, dates and open tasks. Call `remember` once for each statement, \
verbatim, with `speaker`, and with the same `session` name for all. If you are sure of a fact, also give it in \
`facts`. Leave out guesses, small talk, passwords and keys. Then list what you stored, one line each.";

/// The argument of the prompt `brief`.
const TOPIC: &str = "topic";

/// Returns the prompts. Those that write are omitted if the tools are read-only.
pub(crate) fn all(writes: bool) -> Vec<Prompt> {
    let topic = PromptArgument::new(TOPIC)
        .with_description("A person, a project, a thing or a question.")
        .with_required(true);
    let brief =
        Prompt::new("brief", Some("Tells what is known about a topic, with sources."), Some(vec![topic]))
            .with_title("Brief me");
    let mut prompts = vec![brief];
    if writes {
        let keep = "Stores what will matter later from this conversation.";
        prompts.push(Prompt::new("keep", Some(keep), None).with_title("Keep this conversation"));
        let memory = "Makes the assistant recall before it answers, and remember what you state.";
        prompts.push(Prompt::new("memory", Some(memory), None).with_title("Work with the memory"));
    }
    prompts
}

/// Creates the messages of a prompt.
pub(crate) fn get(asked: &GetPromptRequestParams, writes: bool) -> Result<GetPromptResult, ErrorData> {
    let known = all(writes);
    let Some(prompt) = known.iter().find(|prompt| prompt.name == asked.name) else {
        let names: Vec<&str> = known.iter().map(|prompt| prompt.name.as_str()).collect();
        let why = format!("there is no prompt {:?}; the prompts are {}", asked.name, names.join(", "));
        return Err(ErrorData::invalid_params(why, None));
    };
    let text = match asked.name.as_str() {
        "memory" => MEMORY.to_owned(),
        "keep" => KEEP.to_owned(),
        _ => brief(asked)?,
    };
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description.clone_from(&prompt.description);
    Ok(result)
}

fn brief(asked: &GetPromptRequestParams) -> Result<String, ErrorData> {
    let topic =
        asked.arguments.as_ref().and_then(|arguments| arguments.get(TOPIC)).and_then(|topic| topic.as_str());
    let topic = topic.map(str::trim).filter(|topic| !topic.is_empty());
    let topic = topic.ok_or_else(|| {
        ErrorData::invalid_params("`topic` is missing: give a person, a project, a thing or a question", None)
    })?;
    Ok(format!(
        "Tell me what is known about this topic: {topic}\n\nCall `recall` and `context` of `quiver`, and `search` to \
         find it in documents. Begin with the current state, then what changed and when. For each fact, name who \
         said it and when, and for each passage its document. Say what was not found; don't fill gaps with guesses."
    ))
}
