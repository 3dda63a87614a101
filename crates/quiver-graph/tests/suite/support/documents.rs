use quiver_graph::{Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, Workspace};
use quiver_store::{SparseVector, Vectors};

/// A document of one passage, written as a line such as `Marie married Pierre; Pierre taught Paul; Warsaw`. Three words
/// are a fact, one word is a mention. A fourth word dates a fact.
#[derive(Clone, Debug)]
pub(crate) struct Doc {
    pub(crate) key: String,
    pub(crate) line: String,
    pub(crate) time: Option<i64>,
}

impl Doc {
    pub(crate) fn new(key: &str, line: &str) -> Self {
        Self { key: key.to_owned(), line: line.to_owned(), time: None }
    }

    pub(crate) fn at(mut self, time: i64) -> Self {
        self.time = Some(time);
        self
    }

    pub(crate) fn passage(&self, workspace: &Workspace) -> PassageId {
        PassageId::of_document(workspace, &self.key, None, &self.line)
    }

    pub(crate) fn delta(&self, workspace: &Workspace) -> Delta {
        delta(workspace, std::slice::from_ref(self))
    }

    pub(crate) async fn apply(&self, graph: &Graph) {
        graph.apply(self.delta(graph.workspace())).await.unwrap();
    }

    pub(crate) async fn remove(&self, graph: &Graph) {
        let removed = graph.remove(&[self.passage(graph.workspace())]).await.unwrap();
        assert_eq!(removed.passages, 1, "{} was there", self.key);
    }
}

/// Returns an entity as the test documents write it: its description says which document wrote it first.
pub(crate) fn entity(workspace: &Workspace, name: &str, document: &str) -> Entity {
    let mut entity = Entity::named(workspace, None, name);
    entity.description = Some(format!("first written by {document}"));
    entity
}

/// Returns the ID of an entity that a document names.
pub(crate) fn id_of(workspace: &Workspace, name: &str) -> EntityId {
    EntityId::of_name(workspace, None, name)
}

/// Returns the IDs of the documents' passages.
pub(crate) fn passages(workspace: &Workspace, docs: &[Doc]) -> Vec<PassageId> {
    docs.iter().map(|doc| doc.passage(workspace)).collect()
}

/// Returns what ingesting documents adds to a graph.
pub(crate) fn delta(workspace: &Workspace, docs: &[Doc]) -> Delta {
    let mut delta = Delta::default();
    for doc in docs {
        add(&mut delta, workspace, doc);
    }
    delta
}

fn add(delta: &mut Delta, workspace: &Workspace, doc: &Doc) {
    let mut passage = Passage {
        id: doc.passage(workspace),
        text: doc.line.clone(),
        title: None,
        document: doc.key.clone(),
        position: 0,
        ordinal: 0,
        speaker: None,
        session: None,
        time: doc.time,
        subjects: Vec::new(),
        entities: Vec::new(),
        relations: Vec::new(),
        metadata: quiver_store::Payload::new(),
        extraction_digest: "tests".to_owned(),
        unsplit: None,
    };
    let mention = |delta: &mut Delta, passage: &mut Passage, name: &str| {
        let record = entity(workspace, name, &doc.key);
        let id = record.id;
        if !passage.entities.contains(&id) {
            passage.entities.push(id);
        }
        delta.entities.push(Embedded { record, vectors: sparse(name) });
        id
    };
    for clause in doc.line.split(';').map(str::trim).filter(|clause| !clause.is_empty()) {
        let words: Vec<_> = clause.split_whitespace().collect();
        let subject = mention(delta, &mut passage, words[0]);
        if !passage.subjects.contains(&subject) {
            passage.subjects.push(subject);
        }
        if let [_, predicate, object, date @ ..] = words.as_slice() {
            let object = mention(delta, &mut passage, object);
            let mut record = Relation::between(workspace, subject, *predicate, object, clause);
            if let [date] = date {
                record.valid_from = Some(date.parse().unwrap());
                record.id =
                    quiver_graph::RelationId::of(workspace, subject, predicate, object, record.valid_from);
            }
            if !passage.relations.contains(&record.id) {
                passage.relations.push(record.id);
            }
            delta.relations.push(Embedded { record, vectors: sparse(clause) });
        }
    }
    delta.passages.push(Embedded { record: passage, vectors: sparse(&doc.line) });
}

/// Returns a vector of the words of a text, with a term for each from its bytes.
pub(crate) fn sparse(text: &str) -> Vectors {
    let terms = text.split_whitespace().map(|word| {
        let term = word.bytes().fold(2_166_136_261_u32, |hash, byte| {
            (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(16_777_619)
        });
        (term, 1.0)
    });
    Vectors { dense: None, sparse: SparseVector::from_pairs(terms) }
}
