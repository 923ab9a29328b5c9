-- What ReqMgr2 has and we have looked at: by its name, so that nothing is imported twice and no refusal is tried again and
-- again. What ReqMgr2 is still to be told is not written here: it is owed while told_status is not the request's status.
CREATE TABLE imports (
  name text COLLATE "C" PRIMARY KEY,
  outcome text NOT NULL,
  reasons jsonb NOT NULL,
  -- As it was read.
  document jsonb NOT NULL,
  -- How it differs now, a line for each key; never applied.
  changes jsonb NOT NULL,
  their_status text,
  told_status text,
  tries integer NOT NULL,
  last_error text,
  next_try_at timestamptz,
  created_at timestamptz NOT NULL,
  looked_at timestamptz NOT NULL,
  CONSTRAINT imports_outcome_known CHECK (outcome IN ('imported', 'refused', 'passed-over'))
);
CREATE INDEX imports_by_time ON imports (created_at DESC, name DESC);
