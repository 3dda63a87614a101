//! What questions become, over a small service catalogue.

use quiver_cypher::Value;

use super::{PropertyKind, Vocabulary, read};

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
        &[("name", Text), ("tier", Number), ("since", Date), ("public", Boolean)],
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

/// The only reading of a question, in one line.
fn one(question: &str) -> String {
    let found = read(&catalogue(), question, NOW);
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
        "Which services owned by Team A call risky APIs?",
        "Which services does Team C own?",
        "Why did Team A deprecate billing-v1?",
        "Which services call every API?",
        "Which services owned by Team A call deprecated APIs, and what is the migration guidance?",
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
    let found = read(&catalogue(), "Which services depend on Apollo?", NOW);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = read(&catalogue(), "Which engineers are in Apollo?", NOW);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = read(&catalogue(), "Which incidents impacted Apollo services?", NOW);
    assert_eq!(found.len(), 2, "{found:#?}");
    let found = read(&catalogue(), "Who manages Ann Lee?", NOW);
    assert_eq!(found[0].shared_names, ["2 nodes Engineer have the name 'Ann Lee'"]);
}

#[test]
fn it_says_what_each_word_became() {
    let found = read(&catalogue(), "Which services owned by Team A are not public?", NOW);
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
