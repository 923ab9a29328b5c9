-- What the operator's desk remembers.

-- People who signed in with a token: the cookie is never stored, and goes when its token does.
CREATE TABLE sessions (
  sha256 text COLLATE "C" PRIMARY KEY,
  token_sha256 text COLLATE "C" NOT NULL REFERENCES operator_tokens (sha256) ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_token ON sessions (token_sha256);

-- How far requests were, every five minutes; under the name '' all of them together.
CREATE TABLE history_samples (
  request_name text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  units_total integer NOT NULL,
  units_done integer NOT NULL,
  units_failed integer NOT NULL,
  units_running integer NOT NULL,
  PRIMARY KEY (request_name, at)
);
CREATE INDEX history_samples_by_time ON history_samples (at);

-- What failed in the present round of a request when its ledgers were last read, by what it has in common.
CREATE TABLE request_failures (
  request_name text COLLATE "C" NOT NULL REFERENCES requests (name) ON DELETE CASCADE,
  exit_code integer NOT NULL,
  rule text COLLATE "C" NOT NULL,
  cause text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  site text COLLATE "C" NOT NULL,
  file text COLLATE "C" NOT NULL,
  failures integer NOT NULL,
  retrying integer NOT NULL,
  unclassified integer NOT NULL,
  units integer NOT NULL,
  first_at timestamptz,
  last_at timestamptz,
  example jsonb NOT NULL,
  PRIMARY KEY (request_name, exit_code, rule, cause, category, site, file)
);
CREATE INDEX request_failures_by_site ON request_failures (site, request_name);

-- Which state of a request's run those were read from.
CREATE TABLE failure_looks (
  request_name text COLLATE "C" PRIMARY KEY REFERENCES requests (name) ON DELETE CASCADE,
  stamp text NOT NULL,
  looked_at timestamptz NOT NULL,
  failing integer NOT NULL
);

-- Attempts by the hour in which they ended.
CREATE TABLE site_hours (
  request_name text COLLATE "C" NOT NULL REFERENCES requests (name) ON DELETE CASCADE,
  site text COLLATE "C" NOT NULL,
  hour timestamptz NOT NULL,
  done integer NOT NULL,
  failed integer NOT NULL,
  blamed integer NOT NULL,
  busy_sec integer NOT NULL,
  PRIMARY KEY (request_name, site, hour)
);
CREATE INDEX site_hours_by_hour ON site_hours (hour);

-- Lists sorted and filtered at the desk.
CREATE INDEX requests_by_name ON requests (name DESC);
CREATE INDEX requests_by_hold ON requests ((hold ->> 'code')) WHERE hold IS NOT NULL;
CREATE INDEX requests_by_change ON requests (updated_at DESC, name DESC);
CREATE INDEX requests_by_priority ON requests (urgent DESC, priority DESC, name DESC);

-- What happened since: feeds by time.
CREATE INDEX transitions_by_time ON transitions (at, id);
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX alerts_by_opening ON alerts (first_at, id);
CREATE INDEX alerts_by_closing ON alerts (closed_at, id) WHERE closed_at IS NOT NULL;
CREATE INDEX dag_history_by_time ON dag_history (at, id);
CREATE INDEX site_bans_by_time ON site_bans (created_at);
