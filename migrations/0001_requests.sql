-- What people hand in. Key columns sort by bytes (COLLATE "C") so that pages come in the same order on every
-- database, whatever its locale. Times are always given by the program, never by the database's clock.

CREATE TABLE requests (
  -- Never reused, so that a program may remember the spec behind it.
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  requestor text NOT NULL,
  campaign text NOT NULL,
  spec jsonb NOT NULL,
  status text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  priority integer NOT NULL,
  urgent boolean NOT NULL,
  production_steps jsonb NOT NULL,
  hold jsonb,
  wish jsonb,
  error jsonb,
  waiting text,
  superseded_by text COLLATE "C" REFERENCES requests (name),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  status_since timestamptz NOT NULL,
  CONSTRAINT requests_status_known CHECK (status IN (
    'new', 'submitted', 'queued', 'planning', 'active', 'partial', 'stopping', 'resubmitting', 'held',
    'completed', 'failed', 'aborted')),
  CONSTRAINT requests_held_has_reason CHECK (status <> 'held' OR hold IS NOT NULL)
);
-- Newest first, by keyset: all of them, and each filter of the list.
CREATE INDEX requests_newest ON requests (created_at DESC, name DESC);
CREATE INDEX requests_by_status ON requests (status, created_at DESC, name DESC);
CREATE INDEX requests_by_requestor ON requests (requestor, created_at DESC, name DESC);
CREATE INDEX requests_by_campaign ON requests (campaign, created_at DESC, name DESC);
-- What a pass walks.
CREATE INDEX requests_open ON requests (created_at, name)
  WHERE status NOT IN ('completed', 'failed', 'aborted');
CREATE INDEX requests_superseded_by ON requests (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE request_files (
  request_name text COLLATE "C" NOT NULL REFERENCES requests (name) ON DELETE CASCADE,
  path text COLLATE "C" NOT NULL,
  executable boolean NOT NULL,
  sha256 text NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (request_name, path)
);

CREATE TABLE transitions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_name text COLLATE "C" NOT NULL REFERENCES requests (name) ON DELETE CASCADE,
  from_status text,
  to_status text NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX transitions_by_request ON transitions (request_name, id);
