-- Products of a model run, from the first thing that happened to them on (docs/adr/0019-segments.md). One that has no row
-- is missing, or waits. The row is the truth: what an engine or a state file says is brought into it.
CREATE TABLE segment_nodes (
  workflow_id text COLLATE "C" NOT NULL REFERENCES workflows (id),
  id text COLLATE "C" NOT NULL,
  state text NOT NULL CONSTRAINT segment_nodes_state_known CHECK (state IN (
    'missing', 'submitted', 'elsewhere', 'done', 'failed', 'input-missing', 'partial', 'lost', 'held', 'unknown')),
  epoch integer NOT NULL,
  executions integer NOT NULL,
  losses integer NOT NULL,
  overruns integer NOT NULL,
  transfers integer NOT NULL,
  reason text,
  cause text,
  unit text COLLATE "C",
  dag_id text COLLATE "C" REFERENCES dags (id),
  job text,
  retry_at timestamptz,
  made_sum text,
  made_of_sum text,
  version integer NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (workflow_id, id)
);
CREATE INDEX segment_nodes_in_runs ON segment_nodes (workflow_id, dag_id) WHERE state = 'submitted';

-- What somebody asked to have filled, until a round carries it out. One at a time: the next one is asked for after it.
CREATE TABLE pending_fills (
  workflow_id text COLLATE "C" PRIMARY KEY REFERENCES workflows (id),
  choice jsonb NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  asked_at timestamptz NOT NULL
);
