/// Where the sets are published, and the formats of their files. Nothing is downloaded.
pub const PUBLISHED: &str = "\
quiver-eval downloads nothing. The sets are published at
  MuSiQue            https://github.com/StonyBrookNLP/musique (CC BY 4.0)
  HotpotQA           https://hotpotqa.github.io (CC BY-SA 4.0)
  2WikiMultihopQA    https://github.com/Alab-NII/2wikimultihop (Apache 2.0)
and samples of them with their corpora, and triples by a language model, at
  HippoRAG           https://github.com/OSU-NLP-Group/HippoRAG (MIT), in reproduce/dataset and outputs

--questions FILE: a JSON list, or a line of JSON each, of
  MuSiQue            {id, question, answer, answer_aliases, paragraphs: [{title, paragraph_text, is_supporting}]}
  HotpotQA, 2Wiki    {_id, question, answer, type, supporting_facts: [[title, sentence]], context}
  your own           {id, question, answers: [..], type?, hops?, gold: [passage ids]}
--corpus FILE: one of
  [{title, text}, ..]              musique_*_corpus.json, 2wikimultihopqa_*_corpus.json
  {title: [sentence, ..], ..}      hotpotqa_*_corpus.json
  {id, title?, text} a line        your own
--triples FILE (optional): HippoRAG's OpenIE results,
  {docs: [{title, text, extracted_triples: [[subject, predicate, object]]}]}
--set NAME=QUESTIONS,CORPUS[,TRIPLES] of `train` and `ablate` takes the same files.

A small set that anyone can run offline is in the repository, under datasets/multihop.";
