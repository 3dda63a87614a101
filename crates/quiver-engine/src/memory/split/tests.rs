use super::*;

fn called(question: &str, place: Range<usize>, said: &str) -> Called {
    let written = question[place.clone()].to_owned();
    let workspace = Workspace::default();
    let entity = Entity::named(&workspace, None, &written);
    Called { written, place, entity, said: said.to_owned() }
}

fn said(question: &str, called: Vec<Called>) -> String {
    as_said(question, &[Apart { called, ..Apart::default() }])
}

#[test]
fn only_the_names_are_replaced() {
    let question = "Does Merc drive a Mercedes?";
    assert_eq!(said(question, vec![called(question, 5..9, "Mercury")]), "Does Mercury drive a Mercedes?");
}

#[test]
fn a_replaced_name_is_not_replaced_again() {
    let question = "Is Ada older than Bo?";
    let both = vec![called(question, 3..6, "Bo Lind"), called(question, 18..20, "Ada Berg")];
    assert_eq!(said(question, both), "Is Bo Lind older than Ada Berg?");
}

#[test]
fn of_names_that_overlap_one_is_replaced() {
    let question = "Who is Bo Lind?";
    let both = vec![called(question, 7..14, "Bo"), called(question, 10..14, "Lind Oil")];
    assert_eq!(said(question, both), "Who is Bo Lind Oil?");
}
