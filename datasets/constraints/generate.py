"""Makes the graphs and questions of datasets/constraints from a seed: python3 datasets/constraints/generate.py

Each domain is a folder of tables for `quiver load` and a file of questions. What answers a question is computed here, from
the same tables, by a condition in Python that is written beside the question. Half of the questions about films stand in
held-out.jsonl; they are kept for the end.
"""

import csv
import json
import random
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).parent


class Domain:
    def __init__(self, name, seed):
        self.name, self.random = name, random.Random(seed)
        self.nodes, self.links, self.types, self.questions = {}, {}, {}, []

    def add(self, label, types, rows):
        self.types[label] = types
        self.nodes[label] = [dict(zip(types, row)) for row in rows]

    def link(self, kind, start, end, pairs):
        self.links[kind] = (start, end, sorted(set(pairs)))

    def to(self, kind, name):
        """What the node leads to."""
        return {b for a, b in self.links[kind][2] if a == name}

    def of(self, kind, name):
        """What leads to the node."""
        return {a for a, b in self.links[kind][2] if b == name}

    def where(self, label, condition, key="name"):
        return sorted({row[key] for row in self.nodes[label] if condition(row)})

    def ask(self, kind, question, rows=None, value=None, outcome="rows"):
        gold = {"kind": kind, "question": question, "outcome": outcome}
        if rows is not None:
            gold["rows"] = sorted(rows)
        if value is not None:
            gold["value"] = value
        self.questions.append(gold)

    def write(self):
        folder = HERE / self.name
        folder.mkdir(exist_ok=True)
        for label, rows in self.nodes.items():
            types = self.types[label]
            with open(folder / f"{label}.nodes.csv", "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow([key if kind == "string" else f"{key}:{kind}" for key, kind in types.items()])
                for row in rows:
                    writer.writerow([str(row[key]).lower() if isinstance(row[key], bool) else row[key] for key in types])
        for kind, (start, end, pairs) in self.links.items():
            with open(folder / f"{start}.{kind}.{end}.csv", "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["from", "to"])
                writer.writerows(pairs)
        held = [one for at, one in enumerate(self.questions) if self.name == "films" and at % 2]
        shown = [one for one in self.questions if one not in held]
        for file, questions in [("questions.jsonl", shown), ("held-out.jsonl", held)]:
            if questions:
                lines = [json.dumps(one, ensure_ascii=False) + "\n" for one in questions]
                (folder / file).write_text("".join(lines))


def day(random, first, last):
    return (first + timedelta(days=random.randrange((last - first).days))).isoformat()


def services():
    d = Domain("services", 1)
    r = d.random
    teams = ["Payments", "Identity", "Search", "Logistics", "Mobile", "Data Platform", "Growth", "Risk", "Billing", "Harbor"]
    d.add("Team", {"name": "string", "founded": "date"}, [(t, day(r, date(2015, 1, 1), date(2022, 1, 1))) for t in teams])
    regions = ["eu-west-1", "eu-central-1", "us-east-1", "us-west-2", "ap-south-1"]
    d.add("Region", {"name": "string"}, [(name,) for name in regions])
    first = ["order", "cart", "ledger", "invoice", "token", "profile", "catalog", "route", "parcel", "alert", "quote", "refund"]
    second = ["gateway", "worker", "store", "engine", "relay", "indexer", "proxy", "sync"]
    names = [f"{a}-{b}" for a in first for b in second] + ["harbor"]
    names += [f"{a}-{b}-{n}" for n in range(2, 9) for a in first for b in second]
    rows = []
    for name in names:
        rows.append((name, r.choice([1, 2, 3]), r.choice(["Go", "Java", "Python", "Rust"]), day(r, date(2016, 1, 1), date(2025, 12, 31)), r.random() < 0.3))
    d.add("Service", {"name": "string", "tier": "integer", "language": "string", "created": "date", "public": "boolean"}, rows)
    apis = [f"{a}-api-v{n}" for a in first for n in (1, 2, 3)]
    d.add("API", {"name": "string", "status": "string", "protocol": "string"}, [(a, r.choice(["active", "deprecated", "experimental"]), r.choice(["REST", "gRPC"])) for a in apis])
    incidents = [f"INC-{n}" for n in range(1001, 1801)]
    d.add("Incident", {"id": "string", "severity": "string", "opened": "date", "minutes": "integer"}, [(i, r.choice(["low", "medium", "high", "critical"]), day(r, date(2024, 1, 1), date(2025, 12, 31)), r.randrange(3, 600)) for i in incidents])
    people = [f"{a} {b}" for a in ["Ana", "Ben", "Chloe", "Dev", "Emil", "Fay", "Goran", "Hana"] for b in ["Abel", "Brandt", "Costa", "Dahl", "Engel"]]
    d.add("Engineer", {"name": "string", "level": "string"}, [(p, r.choice(["junior", "senior", "principal"])) for p in people])
    d.link("OWNS", "Team", "Service", [(r.choice(teams), s) for s in names])
    d.link("CALLS", "Service", "API", [(s, a) for s in names for a in r.sample(apis, r.randrange(0, 4))])
    d.link("DEPLOYED_IN", "Service", "Region", [(s, g) for s in names for g in r.sample(regions, r.randrange(1, 3))])
    d.link("DEPENDS_ON", "Service", "Service", [(s, o) for s in names for o in r.sample(names, r.randrange(0, 3)) if o != s])
    d.link("IMPACTED", "Incident", "Service", [(i, r.choice(names)) for i in incidents])
    d.link("MEMBER_OF", "Engineer", "Team", [(p, teams[at % 9]) for at, p in enumerate(people)])
    d.link("MANAGES", "Engineer", "Engineer", [(people[at // 5], p) for at, p in enumerate(people) if at // 5 != at])
    node = {label: {row.get("name", row.get("id")): row for row in rows} for label, rows in d.nodes.items()}
    api, incident, service = node["API"], node["Incident"], node["Service"]

    def status(s, wanted):
        return any(api[a]["status"] == wanted for a in d.to("CALLS", s))

    ask = d.ask
    ask("one hop", "Which services does the Search team own?", d.to("OWNS", "Search"))
    ask("one hop", "Which APIs does cart-gateway call?", d.to("CALLS", "cart-gateway"))
    ask("one hop", "Which services depend on ledger-store?", d.of("DEPENDS_ON", "ledger-store"))
    ask("one hop", "Who is a member of Logistics?", d.of("MEMBER_OF", "Logistics"))
    ask("two hops", "Which services owned by Risk call deprecated APIs?", d.where("Service", lambda s: s["name"] in d.to("OWNS", "Risk") and status(s["name"], "deprecated")))
    ask("two hops", "Which teams own services deployed in ap-south-1?", d.where("Team", lambda t: any("ap-south-1" in d.to("DEPLOYED_IN", s) for s in d.to("OWNS", t["name"]))))
    ask("two hops", "Which incidents impacted services owned by the Identity team?", {i for s in d.to("OWNS", "Identity") for i in d.of("IMPACTED", s)})
    ask("three hops", "Which engineers are members of teams that own services calling cart-api-v1?", {p for s in d.of("CALLS", "cart-api-v1") for t in d.of("OWNS", s) for p in d.of("MEMBER_OF", t)})
    ask("three hops", "Which regions run services owned by teams that Ana Abel is a member of?", {g for t in d.to("MEMBER_OF", "Ana Abel") for s in d.to("OWNS", t) for g in d.to("DEPLOYED_IN", s)})
    ask("three hops", "Which Mobile services in us-east-1 call experimental APIs?", d.where("Service", lambda s: s["name"] in d.to("OWNS", "Mobile") and "us-east-1" in d.to("DEPLOYED_IN", s["name"]) and status(s["name"], "experimental")))
    ask("negation", "Which tier 1 services owned by Growth are not deployed in eu-west-1?", d.where("Service", lambda s: s["tier"] == 1 and s["name"] in d.to("OWNS", "Growth") and "eu-west-1" not in d.to("DEPLOYED_IN", s["name"])))
    ask("negation", "Which Payments services don't call any API?", d.where("Service", lambda s: s["name"] in d.to("OWNS", "Payments") and not d.to("CALLS", s["name"])))
    ask("negation", "Which deprecated APIs are not called by any service?", d.where("API", lambda a: a["status"] == "deprecated" and not d.of("CALLS", a["name"])))
    ask("negation", "Which public services written in Rust have never had an incident?", d.where("Service", lambda s: s["public"] and s["language"] == "Rust" and not d.of("IMPACTED", s["name"])))
    ask("count", "How many services does Data Platform own?", value=len(d.to("OWNS", "Data Platform")))
    ask("count", "How many deprecated APIs are there?", value=len(d.where("API", lambda a: a["status"] == "deprecated")))
    ask("count", "How many critical incidents impacted services of the Billing team?", value=len({i for s in d.to("OWNS", "Billing") for i in d.of("IMPACTED", s) if incident[i]["severity"] == "critical"}))
    ask("count", "How many public services are deployed in us-west-2?", value=len(d.where("Service", lambda s: s["public"] and "us-west-2" in d.to("DEPLOYED_IN", s["name"]))))
    top = max(len(d.to("OWNS", t)) for t in teams)
    ask("superlative", "Which team owns the most services?", [t for t in teams if len(d.to("OWNS", t)) == top])
    oldest = min(s["created"] for s in d.nodes["Service"] if s["name"] in d.to("OWNS", "Search"))
    ask("superlative", "What is the oldest service owned by Search?", d.where("Service", lambda s: s["name"] in d.to("OWNS", "Search") and s["created"] == oldest))
    longest = max(i["minutes"] for i in d.nodes["Incident"])
    ask("superlative", "Which incident lasted the most minutes?", d.where("Incident", lambda i: i["minutes"] == longest, "id"))
    newest = max(t["founded"] for t in d.nodes["Team"])
    ask("superlative", "Which is the newest team?", d.where("Team", lambda t: t["founded"] == newest))
    ask("time window", "Which critical incidents opened in March 2025 impacted tier 1 services?", d.where("Incident", lambda i: i["severity"] == "critical" and i["opened"].startswith("2025-03") and any(service[s]["tier"] == 1 for s in d.to("IMPACTED", i["id"])), "id"))
    ask("time window", "Which services created before 2017 does Identity own?", d.where("Service", lambda s: s["created"] < "2017" and s["name"] in d.to("OWNS", "Identity")))
    ask("time window", "How many incidents were opened between 1 May 2024 and 31 May 2024?", value=len(d.where("Incident", lambda i: "2024-05-01" <= i["opened"] <= "2024-05-31", "id")))
    ask("time window", "Which Logistics services had an incident in December 2025?", d.where("Service", lambda s: s["name"] in d.to("OWNS", "Logistics") and any(incident[i]["opened"].startswith("2025-12") for i in d.of("IMPACTED", s["name"]))))
    ask("comparison", "Which incidents with severity critical took more than 590 minutes?", d.where("Incident", lambda i: i["severity"] == "critical" and i["minutes"] > 590, "id"))
    ask("comparison", "Which services had at least four incidents?", d.where("Service", lambda s: len(d.of("IMPACTED", s["name"])) >= 4))
    ask("comparison", "Which services are called by more than two services?", outcome="silent")
    ask("property", "What is the status of quote-api-v2?", [api["quote-api-v2"]["status"]])
    ask("property", "What language is token-relay written in?", [service["token-relay"]["language"]])
    ask("property", "Which tier is parcel-sync?", [str(service["parcel-sync"]["tier"])])
    ask("ambiguous name", "Which incidents impacted Harbor?", d.of("IMPACTED", "harbor"))
    ask("ambiguous name", "Which APIs are called by Harbor services?", outcome="ask back")
    ask("no answer", "Which APIs does the Search team own?", outcome="silent")
    ask("no answer", "Which principal engineers are members of Harbor?", [])
    ask("not a query", "Why was cart-api-v1 deprecated?", outcome="silent")
    ask("not a query", "Which services owned by Risk should be rewritten first?", outcome="silent")
    ask("not a query", "How do services deployed in eu-west-1 authenticate?", outcome="silent")
    ask("not a query", "Which services call only deprecated APIs?", outcome="silent")
    d.write()


def trials():
    d = Domain("trials", 2)
    r = d.random
    diseases = ["asthma", "psoriasis", "migraine", "epilepsy", "gout", "lupus", "hepatitis B", "type 2 diabetes", "heart failure", "melanoma"]
    d.add("Disease", {"name": "string", "chronic": "boolean"}, [(x, r.random() < 0.6) for x in diseases])
    drugs = [a + b for a in ["velo", "tira", "corma", "sena", "pluvi", "ordo", "navi", "belu"] for b in ["mab", "tinib", "statin", "pril", "zole"]]
    d.add("Drug", {"name": "string", "route": "string", "approved": "date"}, [(x, r.choice(["oral", "intravenous", "topical"]), day(r, date(1998, 1, 1), date(2024, 1, 1))) for x in drugs])
    makers = ["Norvane", "Aldous Labs", "Kestrel Bio", "Minato Pharma", "Ruvia", "Orchard Health", "Velomab"]
    d.add("Sponsor", {"name": "string", "country": "string"}, [(x, r.choice(["Norway", "Japan", "Canada", "Spain"])) for x in makers])
    cities = ["Oslo", "Kyoto", "Lyon", "Porto", "Leeds", "Austin"]
    hospitals = [f"{c} {k}" for c in cities for k in ["General Hospital", "University Hospital", "Children's Clinic"]]
    d.add("Hospital", {"name": "string", "beds": "integer", "city": "string"}, [(h, r.randrange(80, 1500), h.split(" ")[0]) for h in hospitals])
    numbers = [f"NT-{n:04}" for n in range(1, 1401)]
    d.add("Trial", {"id": "string", "phase": "integer", "status": "string", "started": "date", "enrolment": "integer"}, [(n, r.choice([1, 2, 3, 4]), r.choice(["recruiting", "completed", "terminated", "suspended"]), day(r, date(2010, 1, 1), date(2025, 6, 1)), r.randrange(10, 3000)) for n in numbers])
    doctors = [f"Dr {a} {b}" for a in ["Ines", "Kofi", "Lars", "Mei", "Noor", "Petra", "Raul", "Sana"] for b in ["Aoki", "Berg", "Cruz", "Diaz", "Eide", "Falk", "Gupta"]]
    d.add("Investigator", {"name": "string"}, [(x,) for x in doctors])
    d.link("TREATS", "Drug", "Disease", [(x, y) for x in drugs for y in r.sample(diseases, r.randrange(1, 3))])
    d.link("MADE_BY", "Drug", "Sponsor", [(x, r.choice(makers)) for x in drugs])
    d.link("TESTS", "Trial", "Drug", [(n, x) for n in numbers for x in r.sample(drugs, r.randrange(1, 3))])
    d.link("STUDIES", "Trial", "Disease", [(n, r.choice(diseases)) for n in numbers])
    d.link("SPONSORED_BY", "Trial", "Sponsor", [(n, r.choice(makers[:-1])) for n in numbers])
    d.link("CONDUCTED_AT", "Trial", "Hospital", [(n, h) for n in numbers for h in r.sample(hospitals, r.randrange(1, 4))])
    d.link("LEADS", "Investigator", "Trial", [(r.choice(doctors), n) for n in numbers])
    d.link("WORKS_AT", "Investigator", "Hospital", [(x, r.choice(hospitals)) for x in doctors])
    trial = {t["id"]: t for t in d.nodes["Trial"]}
    drug = {x["name"]: x for x in d.nodes["Drug"]}
    hospital = {x["name"]: x for x in d.nodes["Hospital"]}
    ask = d.ask

    def has(n, kind, name):
        return name in d.to(kind, n["id"])

    ask("one hop", "Which drugs treat migraine?", d.of("TREATS", "migraine"))
    ask("one hop", "Which trials does Dr Mei Cruz lead?", d.to("LEADS", "Dr Mei Cruz"))
    ask("one hop", "Who makes senastatin?", d.to("MADE_BY", "senastatin"))
    ask("one hop", "Which investigators work at Kyoto General Hospital?", d.of("WORKS_AT", "Kyoto General Hospital"))
    ask("two hops", "Which drugs made by Norvane treat gout?", {x for x in d.of("MADE_BY", "Norvane") if "gout" in d.to("TREATS", x)})
    ask("two hops", "Which recruiting trials test oral drugs made by Ruvia?", d.where("Trial", lambda n: n["status"] == "recruiting" and any(drug[x]["route"] == "oral" and "Ruvia" in d.to("MADE_BY", x) for x in d.to("TESTS", n["id"])), "id"))
    ask("two hops", "Which investigators lead phase 3 trials studying lupus?", {p for n in numbers if trial[n]["phase"] == 3 and "lupus" in d.to("STUDIES", n) for p in d.of("LEADS", n)})
    ask("three hops", "Which hospitals conduct trials of drugs that treat psoriasis and are made by Kestrel Bio?", {h for x in d.of("TREATS", "psoriasis") & d.of("MADE_BY", "Kestrel Bio") for n in d.of("TESTS", x) for h in d.to("CONDUCTED_AT", n)})
    ask("three hops", "Which sponsors make drugs tested in trials conducted at Porto University Hospital?", {m for n in d.of("CONDUCTED_AT", "Porto University Hospital") for x in d.to("TESTS", n) for m in d.to("MADE_BY", x)})
    ask("three hops", "Which phase 4 trials sponsored by Aldous Labs test drugs that treat asthma?", d.where("Trial", lambda n: n["phase"] == 4 and has(n, "SPONSORED_BY", "Aldous Labs") and any("asthma" in d.to("TREATS", x) for x in d.to("TESTS", n["id"])), "id"))
    ask("negation", "Which drugs that treat epilepsy are not made by Norvane?", {x for x in d.of("TREATS", "epilepsy") if "Norvane" not in d.to("MADE_BY", x)})
    ask("negation", "Which investigators have not led any terminated trials?", d.where("Investigator", lambda p: not any(trial[n]["status"] == "terminated" for n in d.to("LEADS", p["name"]))))
    ask("negation", "Which sponsors sponsor no trials?", d.where("Sponsor", lambda m: not d.of("SPONSORED_BY", m["name"])))
    ask("negation", "Which suspended trials on melanoma aren't sponsored by Minato Pharma or Ruvia?", d.where("Trial", lambda n: n["status"] == "suspended" and has(n, "STUDIES", "melanoma") and not d.to("SPONSORED_BY", n["id"]) & {"Minato Pharma", "Ruvia"}, "id"))
    ask("count", "How many trials has Orchard Health sponsored?", value=len(d.of("SPONSORED_BY", "Orchard Health")))
    ask("count", "How many completed phase 2 trials study heart failure?", value=len(d.where("Trial", lambda n: n["status"] == "completed" and n["phase"] == 2 and has(n, "STUDIES", "heart failure"), "id")))
    ask("count", "How many drugs treat type 2 diabetes?", value=len(d.of("TREATS", "type 2 diabetes")))
    ask("superlative", "Which trial has the largest enrolment?", d.where("Trial", lambda n: n["enrolment"] == max(t["enrolment"] for t in trial.values()), "id"))
    ask("superlative", "Which hospital has the most beds?", d.where("Hospital", lambda h: h["beds"] == max(x["beds"] for x in hospital.values())))
    best = max(len(d.to("LEADS", p)) for p in doctors)
    ask("superlative", "Which investigator leads the most trials?", [p for p in doctors if len(d.to("LEADS", p)) == best])
    mine = d.of("MADE_BY", "Ruvia")
    ask("superlative", "What is the most recently approved drug made by Ruvia?", [x for x in mine if drug[x]["approved"] == max(drug[y]["approved"] for y in mine)])
    ask("time window", "Which trials on gout started in 2012 were terminated?", d.where("Trial", lambda n: has(n, "STUDIES", "gout") and n["started"].startswith("2012") and n["status"] == "terminated", "id"))
    ask("time window", "Which drugs were approved after 2020?", d.where("Drug", lambda x: x["approved"] >= "2021"))
    ask("time window", "Which trials led by Dr Lars Falk started since January 2023?", d.where("Trial", lambda n: "Dr Lars Falk" in d.of("LEADS", n["id"]) and n["started"] >= "2023", "id"))
    ask("time window", "How many phase 1 trials started in the second quarter of 2019?", value=len(d.where("Trial", lambda n: n["phase"] == 1 and "2019-04" <= n["started"][:7] <= "2019-06", "id")))
    ask("comparison", "Which hospitals in Oslo have more than 500 beds?", d.where("Hospital", lambda h: h["city"] == "Oslo" and h["beds"] > 500))
    ask("comparison", "Which drugs treat at least two diseases?", d.where("Drug", lambda x: len(d.to("TREATS", x["name"])) >= 2))
    ask("comparison", "Which recruiting trials with an enrolment below 40 study lupus?", d.where("Trial", lambda n: n["status"] == "recruiting" and n["enrolment"] < 40 and has(n, "STUDIES", "lupus"), "id"))
    ask("property", "What is the status of NT-0007?", [trial["NT-0007"]["status"]])
    ask("property", "What phase is NT-0100?", [str(trial["NT-0100"]["phase"])])
    ask("property", "In which country is Kestrel Bio?", d.where("Sponsor", lambda m: m["name"] == "Kestrel Bio", "country"))
    ask("property", "How many beds does Lyon General Hospital have?", value=hospital["Lyon General Hospital"]["beds"])
    ask("ambiguous name", "Which trials test velomab?", d.of("TESTS", "velomab"))
    ask("ambiguous name", "What is the name of Velomab's investigator?", outcome="silent")
    ask("no answer", "Which trials are sponsored by Velomab?", [])
    ask("no answer", "Which drugs treat rabies?", outcome="silent")
    ask("not a query", "Is velomab safe for children?", outcome="silent")
    ask("not a query", "Which drugs treat gout best?", outcome="silent")
    ask("not a query", "What side effects do drugs made by Norvane have?", outcome="silent")
    ask("not a query", "Which trials led by Dr Lars Falk were cited most often?", outcome="silent")
    d.write()


def films():
    d = Domain("films", 3)
    r = d.random
    genres = ["Comedy", "Drama", "Thriller", "Western", "Documentary", "Science Fiction"]
    d.add("Genre", {"name": "string"}, [(g,) for g in genres])
    people = [f"{a} {b}" for a in ["Alma", "Boris", "Clara", "Dario", "Elsa", "Felix", "Greta", "Hugo", "Irma", "Jonas"] for b in ["Adler", "Bianchi", "Castel", "Duval", "Eklund", "Ferro", "Grieg", "Holm", "Ivanov", "Juhl"]]
    d.add("Person", {"name": "string", "born": "integer"}, [(p, r.randrange(1920, 2000)) for p in people])
    titles = [f"The {a} {b}" for a in ["Silent", "Golden", "Last", "Hidden", "Crimson", "Broken", "Distant", "Paper", "Winter", "Electric", "Hollow", "Northern"] for b in ["River", "Garden", "Letter", "Signal", "Voyage", "Mirror", "Harvest", "Station", "Orchard", "Empire", "Promise", "Shadow", "Bridge", "Circus", "Lantern"]]
    titles += [f"{t} {n}" for t in titles for n in ("II", "III", "IV", "V", "VI")]
    d.add("Film", {"title": "string", "year": "integer", "runtime": "integer", "rating": "float", "colour": "boolean"}, [(t, r.randrange(1950, 2024), r.randrange(70, 220), round(r.uniform(2, 9.8), 1), r.random() < 0.8) for t in titles])
    studios = ["Lumen Pictures", "Arkady Films", "Blue Door", "Halcyon", "Monolith Studios", "Tideway"]
    d.add("Studio", {"name": "string", "founded": "integer"}, [(s, r.randrange(1920, 1990)) for s in studios])
    countries = ["France", "Italy", "Sweden", "Argentina", "Canada"]
    d.add("Country", {"name": "string"}, [(c,) for c in countries])
    awards = ["Silver Heron", "Critics' Lantern", "Golden Reel", "Meridian Prize"]
    d.add("Award", {"name": "string"}, [(a,) for a in awards])
    d.link("DIRECTED", "Person", "Film", [(r.choice(people[:40]), t) for t in titles])
    d.link("ACTED_IN", "Person", "Film", [(p, t) for t in titles for p in r.sample(people[20:], r.randrange(1, 4))])
    d.link("WROTE", "Person", "Film", [(r.choice(people[:60]), t) for t in titles])
    d.link("HAS_GENRE", "Film", "Genre", [(t, g) for t in titles for g in r.sample(genres, r.randrange(1, 3))])
    d.link("PRODUCED_BY", "Film", "Studio", [(t, r.choice(studios)) for t in titles])
    d.link("BORN_IN", "Person", "Country", [(p, r.choice(countries)) for p in people])
    d.link("LOCATED_IN", "Studio", "Country", [(s, r.choice(countries)) for s in studios])
    d.link("WON", "Film", "Award", [(t, a) for t in titles for a in awards if r.random() < 0.03])
    film = {f["title"]: f for f in d.nodes["Film"]}
    ask = d.ask

    def genre(f, g):
        return g in d.to("HAS_GENRE", f["title"])

    ask("one hop", "Which films did Alma Adler direct?", d.to("DIRECTED", "Alma Adler"))
    ask("one hop", "Who wrote The Golden Letter?", d.of("WROTE", "The Golden Letter"))
    ask("one hop", "Who acted in The Paper Mirror II?", d.of("ACTED_IN", "The Paper Mirror II"))
    ask("one hop", "Which films won the Silver Heron?", d.of("WON", "Silver Heron"))
    ask("two hops", "Which comedies did Boris Holm direct?", {t for t in d.to("DIRECTED", "Boris Holm") if genre(film[t], "Comedy")})
    ask("two hops", "Which westerns were produced by Halcyon?", {t for t in d.of("PRODUCED_BY", "Halcyon") if genre(film[t], "Western")})
    ask("two hops", "Which people born in Sweden directed films that won the Golden Reel?", {p for t in d.of("WON", "Golden Reel") for p in d.of("DIRECTED", t) if "Sweden" in d.to("BORN_IN", p)})
    ask("two hops", "Who directed films written by Clara Duval?", {p for t in d.to("WROTE", "Clara Duval") for p in d.of("DIRECTED", t)})
    ask("three hops", "Which studios produced films directed by people born in Argentina?", {s for p in d.of("BORN_IN", "Argentina") for t in d.to("DIRECTED", p) for s in d.to("PRODUCED_BY", t)})
    ask("three hops", "Which awards have been won by films of Tideway?", {a for t in d.of("PRODUCED_BY", "Tideway") for a in d.to("WON", t)})
    ask("three hops", "Which actors have appeared in films directed by Dario Ferro?", outcome="silent")
    ask("three hops", "Which films produced by studios located in Italy won the Meridian Prize?", {t for t in d.of("WON", "Meridian Prize") for s in d.to("PRODUCED_BY", t) if "Italy" in d.to("LOCATED_IN", s)})
    ask("negation", "Which people born in Canada have never directed a film?", {p for p in d.of("BORN_IN", "Canada") if not d.to("DIRECTED", p)})
    ask("negation", "Which films by Blue Door did not win any award and have a rating above 9?", {t for t in d.of("PRODUCED_BY", "Blue Door") if not d.to("WON", t) and film[t]["rating"] > 9})
    ask("negation", "Which films that won the Critics' Lantern were not produced by Halcyon?", {t for t in d.of("WON", "Critics' Lantern") if "Halcyon" not in d.to("PRODUCED_BY", t)})
    ask("negation", "Which films directed by Elsa Grieg are not dramas?", {t for t in d.to("DIRECTED", "Elsa Grieg") if not genre(film[t], "Drama")})
    ask("count", "How many films has Felix Adler written?", value=len(d.to("WROTE", "Felix Adler")))
    ask("count", "How many documentaries were released in 1999?", value=len(d.where("Film", lambda f: f["year"] == 1999 and genre(f, "Documentary"), "title")))
    ask("count", "How many people were born in France?", value=len(d.of("BORN_IN", "France")))
    ask("count", "How many films produced by Lumen Pictures won an award?", value=len({t for t in d.of("PRODUCED_BY", "Lumen Pictures") if d.to("WON", t)}))
    ask("superlative", "Which film has the highest rating?", d.where("Film", lambda f: f["rating"] == max(x["rating"] for x in film.values()), "title"))
    most = max(len(d.to("DIRECTED", p)) for p in people)
    ask("superlative", "Who directed the most films?", [p for p in people if len(d.to("DIRECTED", p)) == most])
    hal = d.of("PRODUCED_BY", "Arkady Films")
    ask("superlative", "What is the longest film produced by Arkady Films?", {t for t in hal if film[t]["runtime"] == max(film[x]["runtime"] for x in hal)})
    ask("superlative", "What is the oldest studio?", d.where("Studio", lambda s: s["founded"] == min(x["founded"] for x in d.nodes["Studio"])))
    ask("time window", "Which films from the 1950s won the Golden Reel?", {t for t in d.of("WON", "Golden Reel") if 1950 <= film[t]["year"] <= 1959})
    ask("time window", "Which thrillers did Tideway produce after 2015?", {t for t in d.of("PRODUCED_BY", "Tideway") if film[t]["year"] > 2015 and genre(film[t], "Thriller")})
    ask("time window", "Which films in 1972 did Greta Castel act in?", {t for t in d.to("ACTED_IN", "Greta Castel") if film[t]["year"] == 1972})
    ask("time window", "List the films between 2000 and 2003 that Hugo Juhl wrote.", {t for t in d.to("WROTE", "Hugo Juhl") if 2000 <= film[t]["year"] <= 2003})
    ask("comparison", "Which films with a runtime above 215 did people born in Italy direct?", {t for p in d.of("BORN_IN", "Italy") for t in d.to("DIRECTED", p) if film[t]["runtime"] > 215})
    ask("comparison", "Which films have won at least two awards?", d.where("Film", lambda f: len(d.to("WON", f["title"])) >= 2, "title"))
    ask("property", "What is the runtime of The Hollow Bridge?", [str(film["The Hollow Bridge"]["runtime"])])
    ask("property", "When was The Winter Circus released?", [str(film["The Winter Circus"]["year"])])
    ask("property", "What rating does The Northern Shadow have?", [str(film["The Northern Shadow"]["rating"])])
    ask("ambiguous name", "Which films won the Lantern?", outcome="silent")
    ask("ambiguous name", "Who directed The Distant Lantern?", d.of("DIRECTED", "The Distant Lantern"))
    ask("no answer", "Which films did Jonas Juhl direct in 2031?", [])
    ask("no answer", "Which studios are located in Portugal?", outcome="silent")
    ask("not a query", "Why is The Golden Letter so popular?", outcome="silent")
    ask("not a query", "Which films by Halcyon are worth watching?", outcome="silent")
    ask("not a query", "Who played the villain in The Hidden River?", outcome="silent")
    d.write()


if __name__ == "__main__":
    services()
    trials()
    films()
