-- Failed jobs of a graph that a person has run again while its run goes on have a DAG of their own (docs/adr/0020-side-runs.md).
ALTER TABLE dags
  DROP CONSTRAINT dags_rescue_kind_known,
  ADD CONSTRAINT dags_rescue_kind_known CHECK (rescue_kind IN ('failure', 'stop', 'operator', 'recovery', 'side'));
