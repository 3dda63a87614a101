"""A program written for Neo4j: nothing in it knows of Quiver. The test changes the port alone."""

from neo4j import GraphDatabase

CYPHER = """
MATCH (t:Team {name: $team})-[:OWNS]->(s:Service)-[:CALLS]->(a:API)
MATCH (s)-[:DEPLOYED_IN]->(:Region {name: $region})
WHERE a.status = 'deprecated'
OPTIONAL MATCH (s)-[:LINKED_TO]->(d:DocChunk)
RETURN s.name AS service,
a.name AS api,
a.version AS version,
collect(DISTINCT d.text)[0..3] AS evidence
ORDER BY service
LIMIT 20;
"""

driver = GraphDatabase.driver("bolt://localhost:7687", auth=("neo4j", "password"))
with driver.session() as session:
    rows = session.run(CYPHER, team="Team A", region="eu-west-1")
    print([record.data() for record in rows])
