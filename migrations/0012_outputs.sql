-- What finished units owe to the catalog, block by block (docs/adr/0014-output-ledger.md).

-- Files of one dataset that the units of one processing block made at one site. A unit that comes after its block was
-- sealed goes into the next part.
CREATE TABLE output_blocks (
  name text COLLATE "C" PRIMARY KEY,
  workflow_id text COLLATE "C" NOT NULL REFERENCES workflows (id),
  block_index integer NOT NULL,
  dataset text COLLATE "C" NOT NULL,
  site text COLLATE "C" NOT NULL,
  part integer NOT NULL,
  status text NOT NULL DEFAULT 'open',
  is_sealed boolean NOT NULL DEFAULT false,
  begun jsonb NOT NULL DEFAULT '[]',
  receipts jsonb NOT NULL DEFAULT '{}',
  tries integer NOT NULL DEFAULT 0,
  refusals integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  next_try_at timestamptz NOT NULL,
  last_error jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (workflow_id, block_index, dataset, site, part),
  FOREIGN KEY (workflow_id, block_index) REFERENCES processing_blocks (workflow_id, block_index),
  CONSTRAINT output_blocks_status_known CHECK (status IN ('open', 'done', 'failed', 'withdrawing', 'withdrawn'))
);
CREATE INDEX output_blocks_due ON output_blocks (next_try_at) WHERE status IN ('open', 'withdrawing');

CREATE TABLE unit_outputs (
  workflow_id text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  dataset text COLLATE "C" NOT NULL,
  block text COLLATE "C" NOT NULL REFERENCES output_blocks (name),
  state text NOT NULL DEFAULT 'owed',
  files integer NOT NULL,
  bytes bigint NOT NULL,
  refusals integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workflow_id, unit, dataset),
  FOREIGN KEY (workflow_id, unit) REFERENCES work_units (workflow_id, name),
  CONSTRAINT unit_outputs_state_known CHECK (state IN ('owed', 'replicated', 'registered', 'withdrawn'))
);
CREATE INDEX unit_outputs_by_block ON unit_outputs (block, state, refusals, unit);

-- What was owed before there was a ledger.
INSERT INTO output_blocks (name, workflow_id, block_index, dataset, site, part, next_try_at, created_at, updated_at)
SELECT o.dataset || '#' || md5(concat_ws(' ', w.workflow_id, w.block_index, o.dataset, w.site))::uuid,
  w.workflow_id, w.block_index, o.dataset, coalesce(w.site, ''), 0, now(), now(), now()
FROM work_units w CROSS JOIN LATERAL jsonb_to_recordset(w.outputs) AS o (dataset text)
WHERE w.status = 'owed' GROUP BY w.workflow_id, w.block_index, o.dataset, w.site;

INSERT INTO unit_outputs (workflow_id, unit, dataset, block, files, bytes)
SELECT w.workflow_id, w.name, o.dataset, b.name, count(*), sum(o."sizeBytes")
FROM work_units w CROSS JOIN LATERAL jsonb_to_recordset(w.outputs) AS o (dataset text, "sizeBytes" bigint)
JOIN output_blocks b ON b.workflow_id = w.workflow_id AND b.block_index = w.block_index
  AND b.dataset = o.dataset AND b.site = coalesce(w.site, '')
WHERE w.status = 'owed' GROUP BY w.workflow_id, w.name, o.dataset, b.name;

-- Tries are counted for blocks from here on.
DROP INDEX work_units_owed;
CREATE INDEX work_units_owed ON work_units (workflow_id) WHERE status = 'owed';
ALTER TABLE work_units DROP COLUMN attempts, DROP COLUMN last_error;
