//! What questions become, over a small service catalogue.

use quiver_cypher::Value;

use super::{Asking, PropertyKind, QuestionReading, Vocabulary};

/// 8 May 2026, 10:00.
const NOW: i64 = 1_778_234_400_000;

fn catalogue() -> Vocabulary {
    use PropertyKind::{Boolean, Date, Number, Text};
    let mut vocabulary = Vocabulary::default();
    let add = |vocabulary: &mut Vocabulary, label: &str, keys: &[(&str, PropertyKind)]| {
        vocabulary.add_label(label, keys.iter().map(|(key, kind)| ((*key).to_owned(), *kind)).collect());
    };
    add(&mut vocabulary, "Team", &[("name", Text)]);
    add(&mut vocabulary, "Region", &[("name", Text)]);
    add(
        &mut vocabulary,
        "Service",
        &[("name", Text), ("tier", Number), ("replicas", Number), ("since", Date), ("public", Boolean)],
    );
    add(&mut vocabulary, "API", &[("name", Text), ("status", Text), ("version", Text)]);
    add(&mut vocabulary, "Incident", &[("id", Text), ("severity", Text), ("date", Date)]);
    add(&mut vocabulary, "Engineer", &[("name", Text)]);
    for (label, key, value) in [
        ("Team", "name", "Team A"),
        ("Team", "name", "Team B"),
        ("Team", "name", "Apollo"),
        ("Service", "name", "Apollo"),
        ("Region", "name", "eu-west-1"),
        ("Service", "name", "payments"),
        ("API", "name", "billing-v1"),
        ("API", "status", "deprecated"),
        ("API", "status", "active"),
        ("API", "version", "1.4"),
        ("Incident", "severity", "high"),
    ] {
        vocabulary.add_value(label, key, Value::from(value), 1);
    }
    vocabulary.add_value("Engineer", "name", Value::from("Ann Lee"), 2);
    let add = |vocabulary: &mut Vocabulary, kind: &str, from: &str, to: &str| {
        vocabulary.add_link(kind, &[(from.to_owned(), to.to_owned())]);
    };
    add(&mut vocabulary, "OWNS", "Team", "Service");
    add(&mut vocabulary, "CALLS", "Service", "API");
    add(&mut vocabulary, "DEPLOYED_IN", "Service", "Region");
    add(&mut vocabulary, "IMPACTED", "Incident", "Service");
    add(&mut vocabulary, "DEPENDS_ON", "Service", "Service");
    add(&mut vocabulary, "MEMBER_OF", "Engineer", "Team");
    add(&mut vocabulary, "MANAGES", "Engineer", "Engineer");
    vocabulary
}

fn readings_of(vocabulary: &Vocabulary, question: &str) -> Vec<QuestionReading> {
    super::read(vocabulary, question, Asking { now: NOW, ..Asking::default() })
}

/// Returns the only reading of a question, in one line.
fn one(question: &str) -> String {
    in_one_line(&readings_of(&catalogue(), question))
}

fn in_one_line(found: &[QuestionReading]) -> String {
    let lines: Vec<String> = found.iter().map(|one| one.cypher.replace('\n', " ")).collect();
    match lines.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        more => format!("{} ways: {}", more.len(), more.join(" | ")),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (question, expected) in cases {
        assert_eq!(one(question), *expected, "{question}");
    }
}

#[test]
fn labels_values_and_verbs_become_a_pattern() {
    check(&[
        (
            "Which services owned by Team A call deprecated APIs?",
            "MATCH (service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}), \
             (service)-[:CALLS]->(api:API {status: 'deprecated'}) RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Which services owned by Team A in eu-west-1 call deprecated APIs?",
            "MATCH (service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}), \
             (service)-[:DEPLOYED_IN]->(region:Region {name: 'eu-west-1'}), \
             (service)-[:CALLS]->(api:API {status: 'deprecated'}) RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Which Team A services are deployed in eu-west-1?",
            "MATCH (service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}), \
             (service)-[:DEPLOYED_IN]->(region:Region {name: 'eu-west-1'}) RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Which tier 1 services does Team A own?",
            "MATCH (service:Service {tier: 1}), (service)<-[:OWNS]-(team:Team {name: 'Team A'}) \
             RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Who owns payments?",
            "MATCH (team:Team), (team)-[:OWNS]->(service:Service {name: 'payments'}) RETURN DISTINCT team.name AS team ORDER BY team",
        ),
        (
            "Which APIs do Team A's services call?",
            "MATCH (api:API), (api)<-[:CALLS]-(service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}) \
             RETURN DISTINCT api.name AS api ORDER BY api",
        ),
        (
            "What is the tier of payments?",
            "MATCH (service:Service {name: 'payments'}) RETURN DISTINCT service.tier AS tier",
        ),
        (
            "Which services that depend on payments are public?",
            "MATCH (service:Service {public: true}), (service)-[:DEPENDS_ON]->(service2:Service {name: 'payments'}) \
             RETURN DISTINCT service.name AS service ORDER BY service",
        ),
    ]);
}

#[test]
fn negation_counts_comparison_and_superlatives_are_read() {
    check(&[
        (
            "Which services are not owned by Team A?",
            "MATCH (service:Service) WHERE NOT EXISTS { (service)<-[:OWNS]-(team:Team {name: 'Team A'}) } \
             RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Which services don't call any deprecated API?",
            "MATCH (service:Service) WHERE NOT EXISTS { (service)-[:CALLS]->(api:API {status: 'deprecated'}) } \
             RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "How many services does Team A own?",
            "MATCH (service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}) RETURN count(DISTINCT service) AS count",
        ),
        (
            "Which teams own more than three services?",
            "MATCH (team:Team) WHERE COUNT { (team)-[:OWNS]->(service:Service) } > 3 RETURN DISTINCT team.name AS team ORDER BY team",
        ),
        (
            "Which services have a tier above 2?",
            "MATCH (service:Service) WHERE service.tier > 2 RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Which services have no incidents?",
            "MATCH (service:Service) WHERE NOT EXISTS { (service)<-[:IMPACTED]-(incident:Incident) } \
             RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "What is the oldest service owned by Team A?",
            "MATCH (service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}) \
             WITH DISTINCT service, service.since AS measure WHERE measure IS NOT NULL \
             WITH collect({node: service, measure: measure}) AS found, min(measure) AS extreme \
             UNWIND found AS one WITH one.node AS service, one.measure AS measure, extreme WHERE measure = extreme \
             RETURN DISTINCT service.name AS service, measure ORDER BY service",
        ),
        (
            "Which team owns the most services?",
            "MATCH (team:Team) \
             WITH DISTINCT team, COUNT { (team)-[:OWNS]->(service:Service) } AS measure WHERE measure IS NOT NULL \
             WITH collect({node: team, measure: measure}) AS found, max(measure) AS extreme \
             UNWIND found AS one WITH one.node AS team, one.measure AS measure, extreme WHERE measure = extreme \
             RETURN DISTINCT team.name AS team, measure ORDER BY team",
        ),
    ]);
}

#[test]
fn times_are_conditions_on_the_dates_of_a_noun() {
    check(&[
        (
            "Which services had an incident in February 2026?",
            "MATCH (service:Service), (service)<-[:IMPACTED]-(incident:Incident) \
             WHERE incident.date >= date('2026-02-01') AND incident.date < date('2026-03-01') \
             RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Which high severity incidents in February 2026 impacted services of Team B?",
            "MATCH (incident:Incident {severity: 'high'}), (incident)-[:IMPACTED]->(service:Service), \
             (service)<-[:OWNS]-(team:Team {name: 'Team B'}) WHERE incident.date >= date('2026-02-01') AND incident.date < date('2026-03-01') \
             RETURN DISTINCT incident.id AS incident ORDER BY incident",
        ),
    ]);
}

#[test]
fn the_direction_of_a_relationship_between_two_alike_comes_from_the_voice() {
    check(&[
        (
            "Who does Ann Lee manage?",
            "MATCH (engineer:Engineer), (engineer)<-[:MANAGES]-(engineer2:Engineer {name: 'Ann Lee'}) \
             RETURN DISTINCT engineer.name AS engineer ORDER BY engineer",
        ),
        (
            "Which engineers are managed by Ann Lee?",
            "MATCH (engineer:Engineer), (engineer)<-[:MANAGES]-(engineer2:Engineer {name: 'Ann Lee'}) \
             RETURN DISTINCT engineer.name AS engineer ORDER BY engineer",
        ),
        (
            "Who manages Ann Lee?",
            "MATCH (engineer:Engineer), (engineer)-[:MANAGES]->(engineer2:Engineer {name: 'Ann Lee'}) \
             RETURN DISTINCT engineer.name AS engineer ORDER BY engineer",
        ),
    ]);
}

#[test]
fn a_question_with_a_word_that_nothing_accounts_for_is_no_query() {
    for question in [
        "Which services does Team C own?",
        "Why did Team A deprecate billing-v1?",
        "Which services call every API?",
        "Which services owned by Team A call deprecated APIs, and what is their oldest tier?",
        "Which services owned by Team A call deprecated APIs, and what is it?",
        "How many services does Team A own, and what is the migration guidance?",
        "Which services own Team A?",
        "Which APIs call payments?",
        "How do services call APIs?",
        "Which services are owned by Team A or call billing-v1?",
        "Which services are owned only by Team A?",
        "Which services usually call billing-v1?",
        "Which incidents from 2025 impacted payments?",
        "Welche services owned by Team A?",
        "services",
        "",
    ] {
        assert_eq!(one(question), "nothing", "{question}");
    }
}

#[test]
fn a_name_that_fits_two_things_has_two_readings_unless_only_one_makes_sense() {
    let found = readings_of(&catalogue(), "Which services depend on Apollo?");
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = readings_of(&catalogue(), "Which engineers are in Apollo?");
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = readings_of(&catalogue(), "Which incidents impacted Apollo services?");
    assert_eq!(found.len(), 2, "{found:#?}");
    let found = readings_of(&catalogue(), "Who manages Ann Lee?");
    assert_eq!(found[0].shared_names, ["2 nodes Engineer have the name 'Ann Lee'"]);
}

#[test]
fn it_says_what_each_word_became() {
    let found = readings_of(&catalogue(), "Which services owned by Team A are not public?");
    let words: Vec<String> =
        found[0].words.iter().map(|one| format!("{} → {}", one.words, one.meaning)).collect();
    assert_eq!(
        words,
        [
            "services → :Service",
            "owned by → <-[:OWNS]-",
            "Team A → Team.name = 'Team A'",
            "not → NOT",
            "public → Service.public = true",
        ]
    );
}

/// The tickets of a repair shop. Rosa is on the staff.
fn workshop() -> Vocabulary {
    use PropertyKind::{Date, Text};
    let mut vocabulary = Vocabulary::default();
    for (label, keys) in [
        ("Employee", vec![("id", Text), ("name", Text)]),
        ("Ticket", vec![("title", Text), ("status", Text), ("due", Date), ("createdAt", Date)]),
        ("Customer", vec![("name", Text)]),
        ("Visit", vec![("title", Text), ("date", Date), ("createdAt", Date)]),
    ] {
        vocabulary.add_label(label, keys.into_iter().map(|(key, kind)| (key.to_owned(), kind)).collect());
    }
    for (label, key, value, count) in [
        ("Employee", "id", "e-7", 1),
        ("Employee", "name", "Rosa", 2),
        ("Ticket", "title", "Replace the compressor", 1),
        ("Ticket", "title", "Order two gaskets", 1),
        ("Ticket", "title", "Order a fan", 1),
        ("Ticket", "status", "waiting", 5),
        ("Ticket", "status", "closed", 9),
        ("Customer", "name", "Harbour Bakery", 1),
        ("Customer", "name", "North Mill", 1),
    ] {
        vocabulary.add_value(label, key, Value::from(value), count);
    }
    for (kind, from, to) in [
        ("ASSIGNED_TO", "Ticket", "Employee"),
        ("CREATED", "Employee", "Ticket"),
        ("FOR", "Ticket", "Customer"),
        ("WAITS_FOR", "Ticket", "Ticket"),
        ("VISITS", "Employee", "Visit"),
    ] {
        vocabulary.add_link(kind, &[(from.to_owned(), to.to_owned())]);
    }
    vocabulary
}

const TICKET: &str = "RETURN DISTINCT ticket.title AS ticket, ticket.status AS status, ticket.due AS due, \
     [(ticket)-[:WAITS_FOR]->(ticket2:Ticket) | {title: ticket2.title, status: ticket2.status, due: ticket2.due}] AS WAITS_FOR \
     ORDER BY due, ticket";

fn asked_by(asker: Option<&str>, question: &str) -> String {
    in_one_line(&super::read(&workshop(), question, Asking { now: NOW, asker, ..Asking::default() }))
}

#[test]
fn i_and_my_mean_the_user_who_asks() {
    let mine = "MATCH (ticket:Ticket), (ticket)-[:ASSIGNED_TO]->(employee:Employee {id: 'e-7'})";
    for (question, rest) in [
        ("What tickets do I have?", ""),
        ("Which tickets are assigned to me?", ""),
        ("Which tickets are mine?", ""),
        ("List all my tickets", ""),
        (
            "Which of my tickets are still waiting?",
            "MATCH (ticket:Ticket {status: 'waiting'}), (ticket)-[:ASSIGNED_TO]->(employee:Employee {id: 'e-7'})",
        ),
        (
            "What tickets do I have for the bakery customer?",
            "MATCH (ticket:Ticket), (ticket)-[:ASSIGNED_TO]->(employee:Employee {id: 'e-7'}), \
             (ticket)-[:FOR]->(customer:Customer {name: 'Harbour Bakery'})",
        ),
    ] {
        let pattern = if rest.is_empty() { mine } else { rest };
        assert_eq!(asked_by(Some("e-7"), question), format!("{pattern} {TICKET}"), "{question}");
        assert_eq!(asked_by(None, question), "nothing", "{question}");
    }
    assert_eq!(asked_by(Some("Rosa"), "What tickets do I have?"), "nothing", "two employees are called Rosa");
    assert_eq!(asked_by(Some("e-8"), "What tickets do I have?"), "nothing");
    let some = asked_by(Some("e-7"), "Do I have any open tickets?");
    assert!(
        some.contains("NOT coalesce(ticket.status = 'closed', false)") && some.starts_with(mine),
        "{some}"
    );
    let created = "MATCH (ticket:Ticket), (ticket)<-[:CREATED]-(employee:Employee {id: 'e-7'})";
    assert_eq!(asked_by(Some("e-7"), "Which tickets did I create?"), format!("{created} {TICKET}"));
}

#[test]
fn a_state_is_a_condition_on_what_says_it() {
    let overdue = "ticket.due < date('2026-05-08') AND NOT coalesce(ticket.status = 'closed', false)";
    for (question, start) in [
        ("Which tickets are overdue?", format!("MATCH (ticket:Ticket) WHERE {overdue}")),
        ("Which overdue tickets are there?", format!("MATCH (ticket:Ticket) WHERE {overdue}")),
        ("List the overdue tickets", format!("MATCH (ticket:Ticket) WHERE {overdue}")),
        ("Which tickets are done?", "MATCH (ticket:Ticket {status: 'closed'})".to_owned()),
        ("Which tickets are not done yet?", "MATCH (ticket:Ticket) WHERE NOT coalesce(ticket.status = 'closed', false)".to_owned()),
        ("Which tickets are open?", "MATCH (ticket:Ticket) WHERE NOT coalesce(ticket.status = 'closed', false)".to_owned()),
        ("Which tickets are due before May 20th?", "MATCH (ticket:Ticket) WHERE ticket.due < date('2026-05-20')".to_owned()),
        (
            "Which tickets are due this week?",
            "MATCH (ticket:Ticket) WHERE ticket.due >= date('2026-05-04') AND ticket.due < date('2026-05-11')".to_owned(),
        ),
        ("Are there any overdue tickets?", format!("MATCH (ticket:Ticket) WHERE {overdue}")),
        ("Are there tickets?", "MATCH (ticket:Ticket)".to_owned()),
        ("Which customers are overdue?", "nothing".to_owned()),
    ] {
        let expected = if start == "nothing" { start } else { format!("{start} {TICKET}") };
        assert_eq!(asked_by(None, question), expected, "{question}");
    }
    let next = asked_by(Some("e-7"), "What is my next visit?");
    assert!(next.contains("visit.date >= date('2026-05-08')") && next.contains("min(measure)"), "{next}");
}

#[test]
fn some_words_of_a_name_mean_it_where_only_one_has_them() {
    let on =
        "MATCH (ticket:Ticket), (ticket)<-[:WAITS_FOR]-(ticket2:Ticket {title: 'Replace the compressor'}) ";
    for question in
        ["What does the compressor wait for?", "What does the compressor wait for, and is it done?"]
    {
        let found = asked_by(None, question);
        assert!(found.starts_with(on), "{question}: {found}");
    }
    // A mill is a customer, and occurs in the title of a ticket.
    let mut workshop = workshop();
    workshop.add_value("Ticket", "title", Value::from("Visit the mill"), 1);
    let asking = Asking { now: NOW, ..Asking::default() };
    let found = super::read(&workshop, "Which tickets are for the mill?", asking);
    assert!(!found.is_empty() && found.iter().all(|one| !one.shared_names.is_empty()), "{found:#?}");
}

#[test]
fn a_phrase_behind_the_object_may_belong_to_the_subject() {
    check(&[(
        "Which Team A services call deprecated APIs in eu-west-1?",
        "MATCH (service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}), \
         (service)-[:CALLS]->(api:API {status: 'deprecated'}), (service)-[:DEPLOYED_IN]->(region:Region {name: 'eu-west-1'}) \
         RETURN DISTINCT service.name AS service ORDER BY service",
    )]);
}

#[test]
fn a_word_without_a_value_describes_what_it_stands_before() {
    check(&[(
        "Which services call a deprecated payment API?",
        "MATCH (service:Service), (service)-[:CALLS]->(api:API {status: 'deprecated'}) \
         WHERE (any(text IN [api.name, api.status, api.version] WHERE text =~ '(?i)([^ ]*[^a-z ])?payment[^ ]*') \
         OR EXISTS { (api)--(near) WHERE any(text IN [near.name] WHERE text =~ '(?i)([^ ]*[^a-z ])?payment[^ ]*') }) \
         RETURN DISTINCT service.name AS service ORDER BY service",
    )]);
    let found = readings_of(&catalogue(), "Which services call a deprecated payment API?");
    assert!(
        found[0].words.iter().any(|one| one.words == "payment" && one.meaning.starts_with("said of :API")),
        "{found:#?}"
    );
}

#[test]
fn a_last_clause_asks_for_texts_beside_what_is_found() {
    let mut vocabulary = catalogue();
    let keys = [("id", PropertyKind::Text), ("body", PropertyKind::Prose), ("source", PropertyKind::Text)];
    vocabulary.add_label("Note", keys.map(|(key, kind)| (key.to_owned(), kind)).into());
    vocabulary.add_link("LINKED_TO", &[("Service".to_owned(), "Note".to_owned())]);
    let question = "Which services owned by Team A call deprecated APIs, and what is the migration guidance?";
    assert_eq!(
        in_one_line(&readings_of(&vocabulary, question)),
        "MATCH (service:Service), (service)<-[:OWNS]-(team:Team {name: 'Team A'}), \
         (service)-[:CALLS]->(api:API {status: 'deprecated'}) UNWIND [service, api] AS found \
         OPTIONAL MATCH (found)--(near) WHERE near:Note \
         WITH service, coalesce(near.body) AS text, size([word IN ['migrat', 'guidanc'] WHERE \
         any(text IN [near.body, near.id, near.source] WHERE toLower(text) CONTAINS word)]) AS matches ORDER BY text \
         WITH service, collect(DISTINCT CASE WHEN text IS NOT NULL THEN {text: text, matches: matches} END) AS texts, \
         max(matches) AS most \
         RETURN DISTINCT service.name AS service, [one IN texts WHERE one.matches = most | one.text][0..5] AS evidence \
         ORDER BY service",
    );
}

#[test]
fn numbers_are_had_and_asked_for() {
    check(&[
        (
            "Which services have more than 3 replicas?",
            "MATCH (service:Service) WHERE service.replicas > 3 RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "Which services with at least two replicas call billing-v1?",
            "MATCH (service:Service), (service)-[:CALLS]->(api:API {name: 'billing-v1'}) WHERE service.replicas >= 2 \
             RETURN DISTINCT service.name AS service ORDER BY service",
        ),
        (
            "How many replicas does payments have?",
            "MATCH (service:Service {name: 'payments'}) RETURN DISTINCT service.replicas AS replicas",
        ),
        (
            "Which tier is payments?",
            "MATCH (service:Service {name: 'payments'}) RETURN DISTINCT service.tier AS tier",
        ),
        ("What is payments?", "nothing"),
        ("How many replicas does it have?", "nothing"),
    ]);
}

/// The repairs of a boatyard. Nils is a carpenter.
fn boatyard() -> Vocabulary {
    use PropertyKind::{Date, Text};
    let mut vocabulary = Vocabulary::default();
    for (label, keys) in [
        ("Carpenter", vec![("id", Text), ("name", Text)]),
        ("Repair", vec![("title", Text), ("condition", Text), ("targetDate", Date), ("concludedOn", Date)]),
        ("Boat", vec![("name", Text)]),
        ("Pump", vec![("name", Text), ("approval", Text)]),
        ("Survey", vec![("id", Text), ("outcome", Text), ("surveyedOn", Date)]),
        ("Harbour", vec![("name", Text)]),
    ] {
        vocabulary.add_label(label, keys.into_iter().map(|(key, kind)| (key.to_owned(), kind)).collect());
    }
    for (label, key, value) in [
        ("Carpenter", "id", "c-1"),
        ("Carpenter", "name", "Nils"),
        ("Carpenter", "name", "Ella"),
        ("Repair", "title", "Letter of consent from the insurer"),
        ("Repair", "title", "Sand the hull"),
        ("Repair", "title", "Varnish the mast"),
        ("Repair", "condition", "planned"),
        ("Repair", "condition", "concluded"),
        ("Boat", "name", "Heron"),
        ("Boat", "name", "Old Teal"),
        ("Pump", "name", "Jet 40"),
        ("Pump", "approval", "expired"),
        ("Pump", "approval", "valid"),
        ("Survey", "outcome", "failed"),
        ("Survey", "outcome", "passed"),
        ("Harbour", "name", "Visby"),
        ("Harbour", "name", "Kiel"),
    ] {
        vocabulary.add_value(label, key, Value::from(value), 1);
    }
    for (kind, from, to) in [
        ("CARRIED_OUT_BY", "Repair", "Carpenter"),
        ("HELD_UP_BY", "Repair", "Repair"),
        ("SERVES", "Repair", "Boat"),
        ("FITTED_TO", "Pump", "Boat"),
        ("EXAMINED", "Survey", "Boat"),
        ("SEEN_AT", "Boat", "Harbour"),
    ] {
        vocabulary.add_link(kind, &[(from.to_owned(), to.to_owned())]);
    }
    vocabulary
}

/// Checks the pattern and the conditions that questions of Nils become, without what they return.
fn check_boatyard(cases: &[(&str, &str)]) {
    let boatyard = boatyard();
    for (question, expected) in cases {
        let asking = Asking { now: NOW, asker: Some("c-1"), ..Asking::default() };
        let found = in_one_line(&super::read(&boatyard, question, asking));
        let found = found.split(" RETURN").next().unwrap_or_default();
        assert_eq!(found, *expected, "{question}");
    }
}

const CARPENTER: &str = "(repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {id: 'c-1'})";

#[test]
fn the_only_date_with_an_aim_is_when_something_is_due() {
    let overdue =
        "repair.targetDate < date('2026-05-08') AND NOT coalesce(repair.condition = 'concluded', false)";
    check_boatyard(&[
        ("Which repairs are overdue?", &format!("MATCH (repair:Repair) WHERE {overdue}")),
        ("Which of my repairs are overdue?", &format!("MATCH (repair:Repair), {CARPENTER} WHERE {overdue}")),
        (
            "Which repairs are due before May 20th?",
            "MATCH (repair:Repair) WHERE repair.targetDate < date('2026-05-20')",
        ),
    ]);
    // Which of two such dates counts is not known, nor whether a thing without a status can be late.
    for keys in [["targetDate", "endDate"], ["targetDate", "paintedOn"]] {
        let mut vocabulary = Vocabulary::default();
        let keys =
            [("title", PropertyKind::Text)].into_iter().chain(keys.map(|key| (key, PropertyKind::Date)));
        vocabulary.add_label("Chore", keys.map(|(key, kind)| (key.to_owned(), kind)).collect());
        assert_eq!(in_one_line(&readings_of(&vocabulary, "Which chores are overdue?")), "nothing");
    }
}

#[test]
fn a_general_verb_means_the_link_of_work_to_who_has_it() {
    let ella = "MATCH (repair:Repair), (repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {name: 'Ella'})";
    for question in [
        "Which repairs are carried out by Ella?",
        "Which repairs does Ella carry out?",
        "Which repairs has Ella taken on?",
        "Which repairs is Ella working on?",
        "Which repairs are assigned to Ella?",
        "Which repairs are being handled by Ella?",
        "List the repairs that Ella is responsible for",
    ] {
        check_boatyard(&[(question, ella)]);
    }
    check_boatyard(&[
        (
            "Which repairs are assigned to me on the Heron?",
            &format!("MATCH (repair:Repair), {CARPENTER}, (repair)-[:SERVES]->(boat:Boat {{name: 'Heron'}})"),
        ),
        (
            "Who is working on the mast?",
            "MATCH (carpenter:Carpenter), (carpenter)<-[:CARRIED_OUT_BY]-(repair:Repair {title: 'Varnish the mast'})",
        ),
        // Boats are no work, and harbours do none.
        ("Which boats has Ella taken on?", "nothing"),
        ("Which repairs are carried out by Kiel?", "nothing"),
        ("Which repairs has Ella forgotten?", "nothing"),
    ]);
}

#[test]
fn what_a_thing_has_may_be_followed_by_how_it_has_it() {
    let fitted = "MATCH (boat:Boat), (boat)<-[:FITTED_TO]-(pump:Pump {name: 'Jet 40'})";
    for question in [
        "Which boats have a Jet 40 fitted?",
        "Which boats have the Jet 40 installed?",
        "Which boats carry the Jet 40?",
        "Which boats have the pump Jet 40 on board?",
    ] {
        check_boatyard(&[(question, fitted)]);
    }
    check_boatyard(&[
        (
            "Which boats do not have a Jet 40 fitted?",
            "MATCH (boat:Boat) WHERE NOT EXISTS { (boat)<-[:FITTED_TO]-(pump:Pump {name: 'Jet 40'}) }",
        ),
        ("Which boats have the Jet 40 repainted?", "nothing"),
        (
            "Which boats have a pump whose approval has expired?",
            "MATCH (boat:Boat), (boat)<-[:FITTED_TO]-(pump:Pump {approval: 'expired'})",
        ),
        (
            "Which boats have a pump whose approval has not expired?",
            "MATCH (boat:Boat), (boat)<-[:FITTED_TO]-(pump:Pump) WHERE NOT coalesce(pump.approval = 'expired', false)",
        ),
    ]);
}

#[test]
fn a_verb_may_be_the_outcome_of_an_event() {
    let surveys = "MATCH (boat:Boat), (boat)<-[:EXAMINED]-(survey:Survey {outcome: 'failed'})";
    check_boatyard(&[
        ("Which boats failed a survey?", surveys),
        (
            "Which boats failed a survey in April 2026?",
            &format!(
                "{surveys} WHERE survey.surveyedOn >= date('2026-04-01') AND survey.surveyedOn < date('2026-05-01')"
            ),
        ),
        ("Which harbours failed a survey?", "nothing"),
        ("Which boats skipped a survey?", "nothing"),
    ]);
}

#[test]
fn a_phrase_after_but_not_belongs_to_the_verb_before() {
    check_boatyard(&[
        (
            "Which boats were seen at Visby but not at Kiel?",
            "MATCH (boat:Boat), (boat)-[:SEEN_AT]->(harbour:Harbour {name: 'Visby'}) \
             WHERE NOT EXISTS { (boat)-[:SEEN_AT]->(harbour2:Harbour {name: 'Kiel'}) }",
        ),
        (
            "List the boats seen at Visby but not at Kiel",
            "MATCH (boat:Boat), (boat)-[:SEEN_AT]->(harbour:Harbour {name: 'Visby'}) \
             WHERE NOT EXISTS { (boat)-[:SEEN_AT]->(harbour2:Harbour {name: 'Kiel'}) }",
        ),
    ]);
}

#[test]
fn a_second_question_may_ask_for_a_property_of_what_is_found() {
    let held = "MATCH (repair:Repair), (repair)<-[:HELD_UP_BY]-(repair2:Repair {title: 'Sand the hull'})";
    for more in [
        "",
        ", and is it done?",
        ", and are they all concluded?",
        ", and in which condition is each of them?",
        ", and what is their target date?",
        ", and when are they due?",
        ", and what condition is it in?",
    ] {
        check_boatyard(&[(&format!("What is the hull held up by{more}"), held)]);
    }
    check_boatyard(&[
        ("What is the hull held up by, and in which harbour is each of them?", "nothing"),
        (
            "What is the letter of consent held up by?",
            "MATCH (repair:Repair), \
             (repair)<-[:HELD_UP_BY]-(repair2:Repair {title: 'Letter of consent from the insurer'})",
        ),
    ]);
}

#[test]
fn a_general_verb_says_what_comes_before() {
    let before = "MATCH (repair:Repair), (repair)<-[:HELD_UP_BY]-(repair2:Repair {title: 'Sand the hull'})";
    let after = "MATCH (repair:Repair), (repair)-[:HELD_UP_BY]->(repair2:Repair {title: 'Sand the hull'})";
    check_boatyard(&[
        ("What is the hull waiting for?", before),
        ("What does the hull depend on?", before),
        ("What is blocking the hull?", before),
        ("What is the hull blocked by?", before),
        ("Which repairs depend on the hull?", after),
        ("Which repairs are waiting for the hull?", after),
        ("What does the hull hold up?", after),
        ("What does the hull resemble?", "nothing"),
        ("Which boats depend on the hull?", "nothing"),
    ]);
}

#[test]
fn a_verb_that_says_the_same_means_a_link() {
    let surveyed = "MATCH (boat:Boat), (boat)<-[:EXAMINED]-(survey:Survey)";
    check_boatyard(&[
        ("Which boats were inspected by a survey?", surveyed),
        ("Which boats were painted by a survey?", "nothing"),
        ("Which boats were built at Visby?", "nothing"),
        ("Which surveys did the Heron check?", "nothing"),
    ]);
    let of_team = "MATCH (team:Team), (team)-[:OWNS]->(service:Service {name: 'payments'}) \
                   RETURN DISTINCT team.name AS team ORDER BY team";
    check(&[("Which teams possess payments?", of_team), ("Which teams sold payments?", "nothing")]);
}

#[test]
fn what_is_named_is_asked_when_where_and_whether() {
    let hull = "MATCH (repair:Repair {title: 'Sand the hull'})";
    let seen = "MATCH (harbour:Harbour), (harbour)<-[:SEEN_AT]-(boat:Boat {name: 'Heron'})";
    check_boatyard(&[
        ("When is the hull due?", hull),
        ("What is the deadline for the hull?", hull),
        ("What is the hull's deadline?", hull),
        ("When was the hull concluded?", hull),
        ("By when must the hull be done?", hull),
        ("By when do I have to sand the hull?", hull),
        ("Is the hull done?", hull),
        ("Has the hull been concluded?", hull),
        ("When is the Heron due?", "nothing"),
        ("When is the hull painted?", "nothing"),
        ("Is the Heron done?", "nothing"),
        ("Where was the Heron seen?", seen),
        ("Which harbour was the Heron seen at?", seen),
        // It was seen there, and may be anywhere now.
        ("Where is the Heron?", "nothing"),
        ("Where is the hull?", "nothing"),
    ]);
}

#[test]
fn one_word_of_a_name_means_it_if_only_one_has_it() {
    let mut boatyard = boatyard();
    boatyard.add_value("Carpenter", "name", Value::from("Petra Holm"), 1);
    boatyard.add_value("Repair", "title", Value::from("Mend the captain's chair"), 1);
    let petra = "(repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {name: 'Petra Holm'})";
    let held = "(repair)<-[:HELD_UP_BY]-(repair2:Repair {title: ";
    let asking = Asking { now: NOW, asker: Some("c-1"), ..Asking::default() };
    for (question, pattern) in [
        ("Which repairs are carried out by Petra?", petra),
        ("Which of Petra's repairs are done?", petra),
        ("Which repairs is Petra working on that aren't concluded?", petra),
        ("Which of the repairs I'm working on are done?", CARPENTER),
        ("What does the captain's chair depend on?", held),
    ] {
        let found = super::read(&boatyard, question, asking);
        let is_one =
            matches!(&found[..], [one] if one.cypher.contains(pattern) && one.shared_names.is_empty());
        assert!(is_one, "{question}: {found:#?}");
    }
    let mut boatyard = self::boatyard();
    for name in ["Petra Holm", "Petra Lind"] {
        boatyard.add_value("Carpenter", "name", Value::from(name), 1);
    }
    let found = super::read(&boatyard, "Which repairs are carried out by Petra?", asking);
    assert!(found.iter().all(|one| !one.shared_names.is_empty()), "{found:#?}");
}

#[test]
fn work_of_users_is_theirs_until_it_is_over() {
    let not_over = "NOT coalesce(repair.condition = 'concluded', false)";
    check_boatyard(&[
        (
            "Which repairs should have been concluded already?",
            &format!("MATCH (repair:Repair) WHERE repair.targetDate < date('2026-05-08') AND {not_over}"),
        ),
        ("Which repairs should have been painted?", "nothing"),
        ("Which repairs have not been concluded?", &format!("MATCH (repair:Repair) WHERE {not_over}")),
        // What is concluded was planned before.
        ("Which repairs have not been planned?", "nothing"),
        // What was handled is over, and what was not may belong to anybody.
        ("Which repairs has Ella not handled?", "nothing"),
        ("Which repairs has Ella handled?", "nothing"),
        (
            "Which repairs are assigned to nobody?",
            "MATCH (repair:Repair) WHERE NOT EXISTS { (repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter) }",
        ),
        ("Which boats are assigned to nobody?", "nothing"),
        (
            "Which repairs were finished in April 2026?",
            "MATCH (repair:Repair) WHERE repair.concludedOn >= date('2026-04-01') \
             AND repair.concludedOn < date('2026-05-01')",
        ),
        (
            "Which repairs were carried out without Ella?",
            "MATCH (repair:Repair) \
             WHERE NOT EXISTS { (repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {name: 'Ella'}) }",
        ),
    ]);
    let next = format!("WHERE repair.targetDate >= date('2026-05-08') AND {not_over}");
    let boatyard = boatyard();
    let asking = Asking { now: NOW, asker: Some("c-1"), ..Asking::default() };
    for question in ["Which of my repairs is due next?", "Which of my repairs has the next deadline?"] {
        let found = in_one_line(&super::read(&boatyard, question, asking));
        let is_next = found.contains(&next) && found.contains(CARPENTER) && found.contains("min(measure)");
        assert!(is_next, "{found}");
    }
}

/// Machines of two kinds in a hall.
fn machines() -> Vocabulary {
    use PropertyKind::Text;
    let mut vocabulary = Vocabulary::default();
    let machine = ["name", "kind", "owner"].map(|key| (key.to_owned(), Text));
    vocabulary.add_label("Machine", machine.to_vec());
    vocabulary.add_label("Hall", vec![("name".to_owned(), Text)]);
    for (label, key, value) in [
        ("Machine", "name", "Old Bess"),
        ("Machine", "kind", "lathe"),
        ("Machine", "kind", "press"),
        ("Machine", "owner", "guild"),
        ("Machine", "owner", "press"),
        ("Hall", "name", "Hall B"),
    ] {
        vocabulary.add_value(label, key, Value::from(value), 1);
    }
    vocabulary.add_link("STANDS_IN", &[("Machine".to_owned(), "Hall".to_owned())]);
    vocabulary
}

#[test]
fn a_noun_may_be_a_value_of_a_single_property() {
    let vocabulary = machines();
    let read = |question: &str| in_one_line(&readings_of(&vocabulary, question));
    assert_eq!(
        read("Which lathes stand in Hall B?"),
        "MATCH (machine:Machine {kind: 'lathe'}), (machine)-[:STANDS_IN]->(hall:Hall {name: 'Hall B'}) \
         RETURN DISTINCT machine.name AS machine ORDER BY machine"
    );
    let count = read("How many lathes are there?");
    assert!(count.starts_with("MATCH (machine:Machine {kind: 'lathe'}) RETURN count("), "{count}");
    // A press is a kind and an owner, and nothing is a hammer.
    assert_eq!(read("Which presses stand in Hall B?"), "nothing");
    assert_eq!(read("Which hammers stand in Hall B?"), "nothing");
}

/// Trails, the guides who lead them, and the checks of them.
fn trails() -> Vocabulary {
    use PropertyKind::{Date, Number, Text};
    let mut vocabulary = Vocabulary::default();
    for (label, keys) in [
        (
            "Trail",
            vec![
                ("name", Text),
                ("shape", Text),
                ("lengthKm", Number),
                ("altitudeMetres", Number),
                ("feeEur", Number),
                ("walkMinutes", Number),
                ("hikers", Number),
            ],
        ),
        ("Guide", vec![("name", Text), ("birthYear", Number), ("expectedDays", Number)]),
        ("Check", vec![("id", Text), ("verdict", Text), ("date", Date)]),
        ("Hut", vec![("name", Text)]),
    ] {
        vocabulary.add_label(label, keys.into_iter().map(|(key, kind)| (key.to_owned(), kind)).collect());
    }
    for (label, key, value) in [
        ("Trail", "name", "Lake Round"),
        ("Trail", "shape", "loop"),
        ("Trail", "shape", "traverse"),
        ("Trail", "shape", "short"),
        ("Guide", "name", "Ines"),
        ("Check", "verdict", "waymarked"),
        ("Check", "verdict", "impassable"),
        ("Hut", "name", "Stone Hut"),
    ] {
        vocabulary.add_value(label, key, Value::from(value), 1);
    }
    for (kind, from, to) in
        [("LEADS", "Guide", "Trail"), ("COVERED", "Check", "Trail"), ("ON_LOAN_TO", "Guide", "Hut")]
    {
        vocabulary.add_link(kind, &[(from.to_owned(), to.to_owned())]);
    }
    vocabulary
}

/// Checks the conditions, or the highest or lowest property, that questions about trails ask for.
fn check_trails(cases: &[(&str, &str)]) {
    let trails = trails();
    for (question, expected) in cases {
        let found = in_one_line(&readings_of(&trails, question));
        let found = found.split(" RETURN").next().unwrap_or_default();
        let extreme = found.split_once(" WITH DISTINCT ").map(|(start, rest)| {
            let measure = rest.split(" AS measure").next().unwrap_or_default();
            let measure = measure.split(", ").last().unwrap_or_default();
            let function = if rest.contains("max(measure)") { "max" } else { "min" };
            format!("{start} {function} {measure}")
        });
        assert_eq!(extreme.as_deref().unwrap_or(found), *expected, "{question}");
    }
}

#[test]
fn a_number_may_have_a_unit_and_its_property_a_dimension() {
    let trails = |condition: &str| format!("MATCH (trail:Trail) WHERE trail.{condition}");
    check_trails(&[
        ("Which trails cost less than 5 euros?", &trails("feeEur < 5")),
        ("Which trails cost 5 euros?", "MATCH (trail:Trail {feeEur: 5})"),
        (
            "Which trails do not cost more than 5?",
            "MATCH (trail:Trail) WHERE NOT coalesce(trail.feeEur > 5, false)",
        ),
        ("Which trails are longer than 12.5 km?", &trails("lengthKm > 12.5")),
        ("Which trails are shorter than 900 metres?", &trails("lengthKm < 0.9")),
        (
            "Which trails with an altitude of more than 2000 metres cost at most 3 euros?",
            "MATCH (trail:Trail) WHERE trail.altitudeMetres > 2000 AND trail.feeEur <= 3",
        ),
        ("Which trails take more than 2 hours to walk?", &trails("walkMinutes > 120")),
        (
            "Which trails were waymarked in a check in front of more than 20 hikers?",
            "MATCH (trail:Trail), (trail)<-[:COVERED]-(check:Check {verdict: 'waymarked'}) WHERE trail.hikers > 20",
        ),
        // Other money, other units, and what takes that time is not said.
        ("Which trails cost less than 5 dollars?", "nothing"),
        ("Which trails are longer than 12 minutes?", "nothing"),
        ("Which trails take more than 2 hours?", "nothing"),
        ("Which trails take more than 2 hours to climb?", "nothing"),
        ("Which trails take more than 120 to walk?", "nothing"),
        ("Which trails weigh more than 5 kg?", "nothing"),
        ("Which trails were waymarked in front of a hut?", "nothing"),
        (
            "Which guides who lead a loop were born before 1980?",
            "MATCH (guide:Guide), (guide)-[:LEADS]->(trail:Trail {shape: 'loop'}) WHERE guide.birthYear < 1980",
        ),
        ("Which guides died before 1980?", "nothing"),
    ]);
}

#[test]
fn a_superlative_may_be_of_a_dimension() {
    check_trails(&[
        ("Which trail is the longest?", "MATCH (trail:Trail) max trail.lengthKm"),
        ("What is the cheapest loop?", "MATCH (trail:Trail {shape: 'loop'}) min trail.feeEur"),
        ("Which loop costs the most?", "MATCH (trail:Trail {shape: 'loop'}) max trail.feeEur"),
        ("Which trail has the lowest altitude?", "MATCH (trail:Trail) min trail.altitudeMetres"),
        ("Which guide takes the fewest days?", "MATCH (guide:Guide) min guide.expectedDays"),
        ("Which guide takes the fewest hours?", "nothing"),
        ("Which trail is the heaviest?", "nothing"),
        ("What is the dearest hut?", "nothing"),
    ]);
}

#[test]
fn a_kind_may_be_denied_and_a_link_may_be_a_phrase() {
    check_trails(&[
        (
            "Which trails are not loops?",
            "MATCH (trail:Trail) WHERE NOT coalesce(trail.shape = 'loop', false)",
        ),
        (
            "Which loops are not traverses?",
            "MATCH (trail:Trail {shape: 'loop'}) WHERE NOT coalesce(trail.shape = 'traverse', false)",
        ),
        ("Which guides are not loops?", "nothing"),
        (
            "Which guides are on loan to the Stone Hut?",
            "MATCH (guide:Guide), (guide)-[:ON_LOAN_TO]->(hut:Hut {name: 'Stone Hut'})",
        ),
        ("Which guides are on loan from the Stone Hut?", "nothing"),
        (
            "Which trails came in a check in May 2026?",
            "MATCH (trail:Trail), (trail)<-[:COVERED]-(check:Check) WHERE check.date >= date('2026-05-01') AND check.date < date('2026-06-01')",
        ),
        ("Which guides came in a check?", "nothing"),
        ("Which trails were flooded in a check?", "nothing"),
    ]);
}

#[test]
fn what_is_said_of_everybody_is_no_condition() {
    let overdue = "MATCH (repair:Repair) WHERE repair.targetDate < date('2026-05-08') AND NOT coalesce(repair.condition = 'concluded', false)";
    for question in [
        "Which repairs, no matter whose, are overdue?",
        "Which repairs are overdue at the moment, regardless of who is responsible for them?",
        "Which repairs are overdue, whoever has taken them on?",
        "Which repairs are overdue right now, mine or anybody else's?",
        "Counting everyone's, which repairs are overdue?",
        "Across the whole team, which repairs are overdue?",
        "Which repairs are overdue across the whole crew?",
    ] {
        check_boatyard(&[(question, overdue)]);
    }
    for question in [
        "Which of my repairs, no matter whose, are overdue?",
        "Which repairs are overdue, no matter which boat?",
        "Which repairs, whoever took them on before May, are overdue?",
        "Which repairs are overdue for everybody else?",
        "Which repairs are overdue across the whole harbour?",
    ] {
        check_boatyard(&[(question, "nothing")]);
    }
    check_boatyard(&[(
        "How many repairs are there for the Heron altogether?",
        "MATCH (repair:Repair), (repair)-[:SERVES]->(boat:Boat {name: 'Heron'})",
    )]);
}

#[test]
fn work_is_somebodys_until_it_is_over_and_its_date_can_be_asked_for() {
    let not_over = "WHERE NOT coalesce(repair.condition = 'concluded', false)";
    let of_ella = "MATCH (repair:Repair), (repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {name: 'Ella'})";
    let heron = "(repair)-[:SERVES]->(boat:Boat {name: 'Heron'})";
    let concluded = "MATCH (repair:Repair {condition: 'concluded'})";
    check_boatyard(&[
        ("What is Ella still busy with?", &format!("{of_ella} {not_over}")),
        (
            "Which repairs have I concluded?",
            "MATCH (repair:Repair) WHERE EXISTS { (repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {id: 'c-1'}) } \
             AND repair.condition = 'concluded'",
        ),
        // It may not be over.
        ("Which repairs have I worked on?", "nothing"),
        (
            "Which repairs does Ella have planned?",
            "MATCH (repair:Repair {condition: 'planned'}), (repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {name: 'Ella'})",
        ),
        (
            "What is left for me to do on the Heron?",
            &format!(
                "MATCH (repair:Repair), {heron} \
                 WHERE EXISTS {{ (repair)-[:CARRIED_OUT_BY]->(carpenter:Carpenter {{id: 'c-1'}}) }} \
                 AND NOT coalesce(repair.condition = 'concluded', false)"
            ),
        ),
        (
            "Have I missed the deadline for any repair?",
            &format!(
                "MATCH (repair:Repair), {CARPENTER} WHERE repair.targetDate < date('2026-05-08') \
                 AND NOT coalesce(repair.condition = 'concluded', false)"
            ),
        ),
        ("Which repairs are concluded, and when?", concluded),
        ("Which repairs have been concluded, and on which days?", concluded),
        // No date says that.
        ("Which repairs are planned, and when?", "nothing"),
        ("Which boats were seen at Visby, and when?", "nothing"),
    ]);
}

#[test]
fn a_date_may_be_named_after_what_is_to_be_done() {
    use PropertyKind::{Date, Text};
    let parcels = |dates: &[&str]| {
        let mut vocabulary = Vocabulary::default();
        let dates = dates.iter().map(|key| ((*key).to_owned(), Date));
        let keys = ["id", "headline", "status"].map(|key| (key.to_owned(), Text)).into_iter().chain(dates);
        vocabulary.add_label("Parcel", keys.collect());
        vocabulary.add_label("Clerk", vec![("id".to_owned(), Text)]);
        for (label, key, value) in [
            ("Parcel", "headline", "Two lamps"),
            ("Parcel", "status", "queued"),
            ("Parcel", "status", "weighed"),
            ("Clerk", "id", "k-1"),
        ] {
            vocabulary.add_value(label, key, Value::from(value), 1);
        }
        vocabulary.add_link("HANDLES", &[("Clerk".to_owned(), "Parcel".to_owned())]);
        vocabulary
    };
    let read = |dates: &[&str], question: &str| {
        let asking = Asking { now: NOW, asker: Some("k-1"), ..Asking::default() };
        in_one_line(&super::read(&parcels(dates), question, asking))
    };
    let dates = &["packBy", "weighedOn"];
    let not_over = "NOT coalesce(parcel.status = 'weighed', false)";
    for (question, condition) in [
        (
            "What do I have to pack this week?",
            "parcel.packBy >= date('2026-05-04') AND parcel.packBy < date('2026-05-11')",
        ),
        ("Which of my parcels must be packed after May 20th?", "parcel.packBy >= date('2026-05-21')"),
    ] {
        let found = read(dates, question);
        let is_read = found.contains(condition)
            && found.contains(not_over)
            && found.contains("parcel.headline AS parcel");
        assert!(is_read && !found.contains(" ways: "), "{question}: {found}");
    }
    assert_eq!(read(dates, "What do I have to paint this week?"), "nothing");
    // Work may go on after what the first of two dates says.
    let found = read(&["packBy", "weighedOn", "sealedOn"], "What do I have to pack this week?");
    assert!(!found.contains(not_over) || found.contains(" ways: "), "{found}");
}
