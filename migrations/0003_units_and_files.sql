-- Progress that must not be lost: finished units with the outputs they owe, and the input file ledger.

CREATE TABLE processing_blocks (
  workflow_id text COLLATE "C" NOT NULL REFERENCES workflows (id),
  block_index integer NOT NULL,
  dataset text NOT NULL,
  status text NOT NULL DEFAULT 'open',
  units_total integer NOT NULL,
  units_done integer NOT NULL DEFAULT 0,
  units_registered integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workflow_id, block_index),
  CONSTRAINT processing_blocks_status_known CHECK (status IN (
    'open', 'complete', 'archived', 'failed', 'invalidated'))
);

-- A row is a finished unit; one that is being worked on has none.
CREATE TABLE work_units (
  workflow_id text COLLATE "C" NOT NULL REFERENCES workflows (id),
  name text COLLATE "C" NOT NULL,
  dag_id text COLLATE "C" NOT NULL REFERENCES dags (id),
  round integer NOT NULL,
  block_index integer NOT NULL,
  status text NOT NULL,
  site text,
  events bigint NOT NULL,
  outputs jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  finished_at timestamptz NOT NULL,
  registered_at timestamptz,
  PRIMARY KEY (workflow_id, name),
  FOREIGN KEY (workflow_id, block_index) REFERENCES processing_blocks (workflow_id, block_index),
  CONSTRAINT work_units_status_known CHECK (status IN ('owed', 'registered', 'invalidated'))
);
-- Those that failed least often first: one that cannot be registered never blocks the others.
CREATE INDEX work_units_owed ON work_units (workflow_id, attempts, name) WHERE status = 'owed';
CREATE INDEX work_units_by_dag ON work_units (dag_id);

CREATE TABLE input_files (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workflow_id text COLLATE "C" NOT NULL REFERENCES workflows (id),
  lfn text COLLATE "C" NOT NULL,
  path text NOT NULL,
  size_bytes bigint NOT NULL,
  events bigint,
  lumis jsonb NOT NULL,
  sites jsonb NOT NULL,
  state text NOT NULL DEFAULT 'fresh',
  reason text,
  UNIQUE (workflow_id, lfn),
  CONSTRAINT input_files_state_known CHECK (state IN ('fresh', 'attempted', 'processed', 'excluded'))
);
CREATE INDEX input_files_by_state ON input_files (workflow_id, state, lfn);

-- Which units a file was last planned into. By number, not by LFN: there may be a million of them.
CREATE TABLE file_units (
  workflow_id text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  file_id bigint NOT NULL REFERENCES input_files (id) ON DELETE CASCADE,
  PRIMARY KEY (file_id, unit)
);
CREATE INDEX file_units_by_unit ON file_units (workflow_id, unit);
