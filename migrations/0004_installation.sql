-- What belongs to the installation and to no request.

CREATE TABLE sites (
  name text COLLATE "C" PRIMARY KEY,
  status text NOT NULL DEFAULT 'enabled',
  cores integer,
  memory_mb bigint,
  drain_until timestamptz,
  note text,
  updated_by text,
  updated_at timestamptz NOT NULL,
  CONSTRAINT sites_status_known CHECK (status IN ('enabled', 'draining', 'disabled'))
);

CREATE TABLE site_bans (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  site text COLLATE "C" NOT NULL REFERENCES sites (name),
  -- NULL: for every workflow.
  workflow_id text COLLATE "C" REFERENCES workflows (id),
  reason text NOT NULL,
  evidence jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  removed_at timestamptz,
  removed_by text
);
CREATE INDEX site_bans_active ON site_bans (expires_at) WHERE removed_at IS NULL;
CREATE INDEX site_bans_by_site ON site_bans (site);
CREATE INDEX site_bans_by_workflow ON site_bans (workflow_id) WHERE workflow_id IS NOT NULL;

CREATE TABLE alerts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL,
  severity text NOT NULL,
  subject text NOT NULL,
  message text NOT NULL,
  count integer NOT NULL DEFAULT 1,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  acknowledged_by text,
  closed_at timestamptz,
  CONSTRAINT alerts_severity_known CHECK (severity IN ('info', 'warning', 'critical'))
);
-- One open alert per key: the same trouble counts up.
CREATE UNIQUE INDEX alerts_open ON alerts (key) WHERE closed_at IS NULL;

CREATE TABLE settings (
  key text COLLATE "C" PRIMARY KEY,
  value jsonb NOT NULL,
  updated_by text NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE leases (
  name text COLLATE "C" PRIMARY KEY,
  owner text NOT NULL,
  until timestamptz NOT NULL
);

CREATE TABLE operator_tokens (
  sha256 text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL
);
