"""A client made with the official Python driver of Neo4j. Arguments: the address with its scheme, then the keys of a
reader and a writer, if keys are needed. Prints what it learned as JSON."""

import json
import sys
from datetime import date, datetime, time, timedelta, timezone

from neo4j import GraphDatabase, exceptions
from neo4j.time import Duration
from pytz import FixedOffset

address, *keys = sys.argv[1:]
learned = {}


def code_of(work):
    try:
        work()
    except exceptions.Neo4jError as error:
        return error.code
    return None


def connect(key):
    return GraphDatabase.driver(address, auth=("neo4j", key) if key else None)


reader_key, writer_key = keys if keys else ("", "")
with connect(writer_key) as driver:
    driver.verify_connectivity()
    learned["agent"] = driver.get_server_info().agent.split("/")[0]

    # Values there and back.
    offset = timezone(timedelta(hours=5, minutes=30))
    sent = {
        "null": None,
        "true": True,
        "integer": -(2**63),
        "float": 1.5,
        "text": "päth → 𝄞",
        "list": [1, [2.5, "x"], []],
        "map": {"a": {"b": None}},
        "date": date(2024, 2, 29),
        "local": datetime(1969, 12, 31, 23, 59, 59, 500_000),
        "zoned": datetime(2024, 2, 29, 12, 30, tzinfo=offset),
        # The driver can't send a time with an offset of the standard library.
        "time": time(23, 59, 59, 999_999, tzinfo=FixedOffset(330)),
        "local time": time(1, 2, 3),
        "duration": Duration(months=14, days=3, seconds=4, nanoseconds=5),
    }
    with driver.session() as session:
        found = session.run("RETURN $sent AS found", sent=sent).single()["found"]
    native = lambda value: value.to_native() if hasattr(value, "to_native") else value
    learned["changed"] = [name for name in sent if native(found[name]) != sent[name]]

    # Nodes, relationships and paths.
    with driver.session() as session:
        counters = session.run("CREATE (:Boat {name: 'Aurelia'})-[:OF {since: 1911}]->(:Yard {name: 'Norby'})").consume().counters
        learned["created"] = [counters.nodes_created, counters.relationships_created, counters.contains_updates]
        boat, path = session.run("MATCH p = (b:Boat)-[:OF]->() RETURN b, p").single().values()
        learned["boat"] = [sorted(boat.labels), dict(boat)]
        [step] = path.relationships
        learned["path"] = [path.start_node["name"], step.type, step["since"], path.end_node["name"], path.start_node == boat]
        # Plans: the operator that yields the rows, then what it reads.
        names = lambda plan: [plan["operatorType"], *(name for child in plan["children"] for name in names(child))]
        explained = session.run("EXPLAIN MATCH (b:Boat)-[:OF]->(y) RETURN y.name AS name").consume()
        result = session.run("PROFILE MATCH (:Boat {name: 'Aurelia'})-[:OF]->(y) RETURN y.name AS name")
        found = [record["name"] for record in result]
        profile = result.consume().profile
        hits = lambda plan: plan["dbHits"] + sum(hits(child) for child in plan["children"])
        learned["explained"] = [names(explained.plan), explained.query_type, explained.profile]
        learned["profiled"] = [found, profile["rows"], hits(profile) > 0, "Details" in profile["args"]]
        # More rows than are fetched at once.
        learned["sum"] = sum(record["n"] for record in session.run("UNWIND range(1, 2500) AS n RETURN n"))
        learned["batch"] = session.run(
            "UNWIND $rows AS row MERGE (:Batch {n: row.n}) RETURN count(*) AS count",
            rows=[{"n": number} for number in range(500)],
        ).single()["count"]

    # Managed and explicit transactions.
    count = lambda tx: tx.run("MATCH (b:Boat) RETURN count(b) AS count").single()["count"]
    with driver.session() as session:
        session.execute_write(lambda tx: tx.run("CREATE (:Boat {name: 'Two'})").consume())
        two = lambda tx: [tx.run("CREATE (:Boat)").consume(), tx.run("MATCH (b:Boat) SET b.seen = true").consume()]
        session.execute_write(two)
        learned["boats"] = [session.execute_read(count)]
        with session.begin_transaction() as tx:
            tx.run("CREATE (:Boat)").consume()
            learned["boats"].append(count(tx))
            tx.rollback()
        learned["boats"].append(session.execute_read(count))
        with session.begin_transaction() as tx:
            tx.run("CREATE (:Boat)")
            tx.commit()
        learned["boats"].append(session.execute_read(count))

        def failing(tx):
            tx.run("CREATE (:Boat)").consume()
            raise ValueError("changed its mind")

        try:
            session.execute_write(failing)
        except ValueError:
            learned["boats"].append(session.execute_read(count))
        # Somebody else commits in between the first time; the driver repeats the work.
        times = []

        def contended(tx):
            times.append(tx.run("MATCH (b:Boat {name: 'Two'}) SET b.times = coalesce(b.times, 0) + 1").consume())
            if len(times) == 1:
                with driver.session() as other:
                    other.run("MATCH (b:Boat {name: 'Two'}) SET b.times = 10").consume()

        session.execute_write(contended)
        times_now = session.run("MATCH (b:Boat {name: 'Two'}) RETURN b.times AS times").single()["times"]
        learned["contended"] = [len(times), times_now]

    # Errors.
    run = lambda query, **parameters: driver.execute_query(query, parameters)
    learned["errors"] = [
        code_of(lambda: run("MATCH (n) RETRUN n")),
        code_of(lambda: run("RETURN $missing")),
        code_of(lambda: run("RETURN $bytes", bytes=b"x")),
        code_of(lambda: driver.execute_query("CREATE (:X)", routing_="r")),
    ]
    learned["components"] = [
        record["name"] for record in driver.execute_query("CALL dbms.components() YIELD name RETURN name").records
    ]

if keys:
    with connect(reader_key) as driver:
        learned["reads"] = driver.execute_query("MATCH (b:Boat) RETURN count(b) AS count").records[0]["count"]
        learned["read_key"] = code_of(lambda: driver.execute_query("CREATE (:Boat)"))
    with connect("qv_wrong") as driver:
        learned["wrong_key"] = code_of(driver.verify_connectivity)

print(json.dumps(learned))
