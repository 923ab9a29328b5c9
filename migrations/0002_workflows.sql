-- The work behind a request, and its submissions to an engine.

CREATE TABLE workflows (
  id text COLLATE "C" PRIMARY KEY,
  request_name text COLLATE "C" NOT NULL UNIQUE REFERENCES requests (name),
  status text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  round integer NOT NULL,
  current_dag_id text COLLATE "C",
  next_unit integer NOT NULL,
  next_node integer NOT NULL,
  next_block integer NOT NULL,
  next_first_event bigint NOT NULL,
  next_first_lumi bigint NOT NULL,
  units_planned integer NOT NULL,
  units_done integer NOT NULL,
  nodes_planned integer NOT NULL,
  nodes_done integer NOT NULL,
  events_done bigint NOT NULL,
  step_metrics jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT workflows_status_known CHECK (status IN (
    'new', 'planning', 'active', 'stopping', 'resubmitting', 'held', 'completed', 'partial', 'failed', 'aborted'))
);
CREATE INDEX workflows_newest ON workflows (created_at DESC, id DESC);

CREATE TABLE dags (
  id text COLLATE "C" PRIMARY KEY,
  workflow_id text COLLATE "C" NOT NULL REFERENCES workflows (id),
  round integer NOT NULL,
  status text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  submit_dir text NOT NULL,
  parent_dag_id text COLLATE "C" REFERENCES dags (id),
  engine_id text,
  engine text NOT NULL,
  role_counts jsonb NOT NULL,
  nodes jsonb NOT NULL,
  units jsonb NOT NULL,
  stop_requested_at timestamptz,
  stop_reason text,
  end_reason text,
  created_at timestamptz NOT NULL,
  submitted_at timestamptz,
  ended_at timestamptz,
  CONSTRAINT dags_status_known CHECK (status IN (
    'planning', 'ready', 'submitted', 'running', 'completed', 'partial', 'failed', 'removed', 'halted', 'stopped'))
);
CREATE INDEX dags_newest ON dags (created_at DESC, id DESC);
CREATE INDEX dags_by_workflow ON dags (workflow_id, created_at DESC, id DESC);
CREATE INDEX dags_open ON dags (created_at, id)
  WHERE status IN ('planning', 'ready', 'submitted', 'running');
CREATE INDEX dags_by_parent ON dags (parent_dag_id) WHERE parent_dag_id IS NOT NULL;

-- Deferred: a workflow may name its DAG and the DAG its workflow in one transaction, in any order.
ALTER TABLE workflows ADD CONSTRAINT workflows_current_dag
  FOREIGN KEY (current_dag_id) REFERENCES dags (id) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE dag_history (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dag_id text COLLATE "C" NOT NULL REFERENCES dags (id) ON DELETE CASCADE,
  type text NOT NULL,
  detail jsonb NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX dag_history_by_dag ON dag_history (dag_id, id);

-- An effect on the engine that was decided: stored before it is tried, settled after.
CREATE TABLE engine_intents (
  dag_id text COLLATE "C" NOT NULL REFERENCES dags (id) ON DELETE CASCADE,
  kind text NOT NULL,
  batch_name text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  tries integer NOT NULL DEFAULT 0,
  last_error text,
  created_at timestamptz NOT NULL,
  settled_at timestamptz,
  PRIMARY KEY (dag_id, kind),
  CONSTRAINT engine_intents_kind_known CHECK (kind IN ('submit', 'stop')),
  CONSTRAINT engine_intents_status_known CHECK (status IN ('pending', 'settled', 'refused'))
);
