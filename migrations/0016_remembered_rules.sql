-- Failures that somebody has classified for all requests to come (docs/guides/recover.md). The id says what a rule
-- matches, so that two people who remember the same make one row.
CREATE TABLE remembered_rules (
  id text COLLATE "C" PRIMARY KEY,
  action text NOT NULL CONSTRAINT remembered_rules_action_known CHECK (action IN ('retry', 'fail')),
  cause text NOT NULL,
  exit_code integer NOT NULL,
  stderr text NOT NULL,
  lines jsonb NOT NULL,
  request_name text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  created_at timestamptz NOT NULL
);

-- A request that recovers by itself makes rescues of its own kind, which are counted apart.
ALTER TABLE dags
  DROP CONSTRAINT dags_rescue_kind_known,
  ADD CONSTRAINT dags_rescue_kind_known CHECK (rescue_kind IN ('failure', 'stop', 'operator', 'recovery'));
