-- What operators ask for and what is noted of it, and what recovery has to remember between passes.

ALTER TABLE requests
  -- What the last release changed; the next plan or rescue applies it.
  ADD COLUMN modifications jsonb,
  -- Rescues of the present round that answered failures; stops and people's rescues do not count.
  ADD COLUMN rescues_used integer NOT NULL DEFAULT 0,
  ADD COLUMN output_state text NOT NULL DEFAULT 'active',
  ADD COLUMN previous_version text COLLATE "C" GENERATED ALWAYS AS (spec ->> 'previousVersion') STORED,
  ADD CONSTRAINT requests_output_state_known CHECK (output_state IN ('active', 'superseded', 'invalidated'));
CREATE INDEX requests_previous_version ON requests (previous_version) WHERE previous_version IS NOT NULL;

ALTER TABLE workflows ADD COLUMN abandoned_events bigint NOT NULL DEFAULT 0;

ALTER TABLE dags
  ADD COLUMN rescue_kind text,
  ADD CONSTRAINT dags_rescue_kind_known CHECK (rescue_kind IN ('failure', 'stop', 'operator'));

-- Units that will never come. Rows and not only a number, so that saying it twice counts once, and so that a unit
-- which finishes after all is taken back.
CREATE TABLE abandoned_units (
  workflow_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  block_index integer NOT NULL,
  PRIMARY KEY (workflow_id, name),
  FOREIGN KEY (workflow_id, block_index) REFERENCES processing_blocks (workflow_id, block_index)
);
ALTER TABLE processing_blocks ADD COLUMN units_abandoned integer NOT NULL DEFAULT 0;
ALTER TABLE work_units
  ADD COLUMN invalidated_at timestamptz,
  ADD COLUMN invalidated_reason text;

-- Append-only: the program adds rows and reads them.
CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Of something that may be noted several times and happened once.
  key text COLLATE "C" UNIQUE,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  detail jsonb NOT NULL,
  outcome text NOT NULL,
  CONSTRAINT audit_outcome_known CHECK (outcome IN ('done', 'already', 'refused', 'failed'))
);
CREATE INDEX audit_by_subject ON audit (subject, id DESC);

ALTER TABLE site_bans ADD COLUMN created_by text;

ALTER TABLE alerts
  ADD COLUMN acknowledged_at timestamptz,
  -- Grows with every change that people should hear of; counting up is none.
  ADD COLUMN revision integer NOT NULL DEFAULT 1,
  ADD COLUMN last_change text NOT NULL DEFAULT 'opened',
  ADD CONSTRAINT alerts_last_change_known CHECK (last_change IN ('opened', 'severity', 'acknowledged', 'closed'));

-- What a sink was told of an alert: `revision` 0 while every try failed.
CREATE TABLE alert_deliveries (
  alert_id bigint NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  sink text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  -- Failed tries since the last success.
  tries integer NOT NULL,
  last_error text,
  tried_at timestamptz NOT NULL,
  PRIMARY KEY (alert_id, sink)
);

-- What is to become of one attempt of one node: reserved once, applied later.
CREATE TABLE node_actions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dag_id text COLLATE "C" NOT NULL REFERENCES dags (id) ON DELETE CASCADE,
  unit text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  -- The attempt it answers.
  attempt integer NOT NULL,
  epoch integer NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  changes jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  applied_at timestamptz,
  UNIQUE (dag_id, unit, node, kind, attempt),
  CONSTRAINT node_actions_kind_known CHECK (kind IN ('retry', 'fail', 'resubmit'))
);
-- An attempt is either tried again or given up.
CREATE UNIQUE INDEX node_actions_verdict ON node_actions (dag_id, unit, node, attempt) WHERE kind <> 'resubmit';
CREATE INDEX node_actions_pending ON node_actions (dag_id, id) WHERE applied_at IS NULL;
