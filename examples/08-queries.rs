//! Queries in Cypher with proofs, and questions that become queries.

use quiver::{
    Quiver,
    cypher::{Map, Options},
    query::QueryOptions,
};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quiver = Quiver::in_memory().await?;
    let fleet = "CREATE (norby:Yard {name: 'Norby yard', town: 'Bergen'})-[:BUILT]->(:Ship {name: 'Aurelia', masts: 2}),
        (norby)-[:BUILT]->(:Ship {name: 'Borealis', masts: 3}),
        (:Yard {name: 'Quell yard', town: 'Hull'})-[:BUILT]->(:Ship {name: 'Corona', masts: 3})";
    let written = quiver.query(fleet).await?.written;
    println!("{} nodes and {} relationships", written.nodes_created, written.relationships_created);

    // A parameter is never part of the query's text. A proof says what each row rests on.
    let query = "MATCH (y:Yard)-[:BUILT]->(s:Ship) WHERE s.masts >= $least RETURN y.town AS town, s.name AS ship ORDER BY town";
    let parameters = Map::from([("least".to_owned(), 3.into())]);
    let cypher = Options { proof: true, read_only: true, ..Options::default() };
    let options = QueryOptions { cypher, ..QueryOptions::default() };
    let found = quiver.query(query).parameters(parameters).options(options).await?.rows;
    for (index, row) in found.rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|value| found.text(value)).collect();
        println!("{}: {}", cells.join(", "), found.proof_lines(index).join("; "));
    }

    // The same in words. The query that was run stands beside the answer.
    let answer = quiver.ask("Which ships with more than two masts were built by Norby yard?").await?;
    println!("{}", answer.text.as_deref().unwrap_or("no answer"));
    if let Some(query) = &answer.query {
        println!("{}", query.reading.cypher);
    }
    Ok(())
}
