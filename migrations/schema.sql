-- The schema as it stands after the last migration, for reading and review. Made from the catalogs by
--   UPDATE_SCHEMA=1 npx vitest run --project real tests/real/store-migrate.test.ts
-- and compared with every database in the tests. Not a script: tables are sorted by name.

CREATE TABLE abandoned_units (
  workflow_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  block_index integer NOT NULL,
  CONSTRAINT abandoned_units_pkey PRIMARY KEY (workflow_id, name),
  CONSTRAINT abandoned_units_workflow_id_block_index_fkey FOREIGN KEY (workflow_id, block_index) REFERENCES processing_blocks(workflow_id, block_index)
);

CREATE TABLE alert_deliveries (
  alert_id bigint NOT NULL,
  sink text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  tries integer NOT NULL,
  last_error text,
  tried_at timestamp with time zone NOT NULL,
  CONSTRAINT alert_deliveries_pkey PRIMARY KEY (alert_id, sink),
  CONSTRAINT alert_deliveries_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alerts(id) ON DELETE CASCADE
);

CREATE TABLE alerts (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text COLLATE "C" NOT NULL,
  severity text NOT NULL,
  subject text NOT NULL,
  message text NOT NULL,
  count integer NOT NULL DEFAULT 1,
  first_at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  acknowledged_by text,
  closed_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  revision integer NOT NULL DEFAULT 1,
  last_change text NOT NULL DEFAULT 'opened'::text,
  CONSTRAINT alerts_pkey PRIMARY KEY (id),
  CONSTRAINT alerts_last_change_known CHECK ((last_change = ANY (ARRAY['opened'::text, 'severity'::text, 'acknowledged'::text, 'closed'::text]))),
  CONSTRAINT alerts_severity_known CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'critical'::text])))
);
CREATE INDEX alerts_by_closing ON public.alerts USING btree (closed_at, id) WHERE (closed_at IS NOT NULL);
CREATE INDEX alerts_by_opening ON public.alerts USING btree (first_at, id);
CREATE UNIQUE INDEX alerts_open ON public.alerts USING btree (key) WHERE (closed_at IS NULL);

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text COLLATE "C",
  at timestamp with time zone NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  detail jsonb NOT NULL,
  outcome text NOT NULL,
  CONSTRAINT audit_pkey PRIMARY KEY (id),
  CONSTRAINT audit_key_key UNIQUE (key),
  CONSTRAINT audit_outcome_known CHECK ((outcome = ANY (ARRAY['done'::text, 'already'::text, 'refused'::text, 'failed'::text])))
);
CREATE INDEX audit_by_subject ON public.audit USING btree (subject, id DESC);
CREATE INDEX audit_by_time ON public.audit USING btree (at, id);

CREATE TABLE dag_history (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  dag_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  detail jsonb NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT dag_history_pkey PRIMARY KEY (id),
  CONSTRAINT dag_history_dag_id_fkey FOREIGN KEY (dag_id) REFERENCES dags(id) ON DELETE CASCADE
);
CREATE INDEX dag_history_by_dag ON public.dag_history USING btree (dag_id, id);
CREATE INDEX dag_history_by_time ON public.dag_history USING btree (at, id);

CREATE TABLE dags (
  id text COLLATE "C" NOT NULL,
  workflow_id text COLLATE "C" NOT NULL,
  round integer NOT NULL,
  status text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  submit_dir text NOT NULL,
  parent_dag_id text COLLATE "C",
  engine_id text,
  engine text NOT NULL,
  role_counts jsonb NOT NULL,
  nodes jsonb NOT NULL,
  units jsonb NOT NULL,
  stop_requested_at timestamp with time zone,
  stop_reason text,
  end_reason text,
  created_at timestamp with time zone NOT NULL,
  submitted_at timestamp with time zone,
  ended_at timestamp with time zone,
  rescue_kind text,
  ticket bigint NOT NULL DEFAULT 0,
  CONSTRAINT dags_pkey PRIMARY KEY (id),
  CONSTRAINT dags_rescue_kind_known CHECK ((rescue_kind = ANY (ARRAY['failure'::text, 'repair'::text, 'stop'::text, 'operator'::text, 'recovery'::text, 'side'::text]))),
  CONSTRAINT dags_status_known CHECK ((status = ANY (ARRAY['planning'::text, 'ready'::text, 'submitted'::text, 'running'::text, 'completed'::text, 'partial'::text, 'failed'::text, 'removed'::text, 'halted'::text, 'stopped'::text]))),
  CONSTRAINT dags_parent_dag_id_fkey FOREIGN KEY (parent_dag_id) REFERENCES dags(id),
  CONSTRAINT dags_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);
CREATE INDEX dags_by_parent ON public.dags USING btree (parent_dag_id) WHERE (parent_dag_id IS NOT NULL);
CREATE INDEX dags_by_workflow ON public.dags USING btree (workflow_id, created_at DESC, id DESC);
CREATE INDEX dags_newest ON public.dags USING btree (created_at DESC, id DESC);
CREATE INDEX dags_open ON public.dags USING btree (created_at, id) WHERE (status = ANY (ARRAY['planning'::text, 'ready'::text, 'submitted'::text, 'running'::text]));

CREATE TABLE engine_intents (
  dag_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  batch_name text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  tries integer NOT NULL DEFAULT 0,
  last_error text,
  created_at timestamp with time zone NOT NULL,
  settled_at timestamp with time zone,
  CONSTRAINT engine_intents_pkey PRIMARY KEY (dag_id, kind),
  CONSTRAINT engine_intents_kind_known CHECK ((kind = ANY (ARRAY['submit'::text, 'stop'::text]))),
  CONSTRAINT engine_intents_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'settled'::text, 'refused'::text]))),
  CONSTRAINT engine_intents_dag_id_fkey FOREIGN KEY (dag_id) REFERENCES dags(id) ON DELETE CASCADE
);

CREATE TABLE failure_looks (
  request_name text COLLATE "C" NOT NULL,
  stamp text NOT NULL,
  looked_at timestamp with time zone NOT NULL,
  failing integer NOT NULL,
  CONSTRAINT failure_looks_pkey PRIMARY KEY (request_name),
  CONSTRAINT failure_looks_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name) ON DELETE CASCADE
);

CREATE TABLE file_units (
  workflow_id text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  file_id bigint NOT NULL,
  CONSTRAINT file_units_pkey PRIMARY KEY (file_id, unit),
  CONSTRAINT file_units_file_id_fkey FOREIGN KEY (file_id) REFERENCES input_files(id) ON DELETE CASCADE
);
CREATE INDEX file_units_by_unit ON public.file_units USING btree (workflow_id, unit);

CREATE TABLE history_samples (
  request_name text COLLATE "C" NOT NULL,
  at timestamp with time zone NOT NULL,
  units_total integer NOT NULL,
  units_done integer NOT NULL,
  units_failed integer NOT NULL,
  units_running integer NOT NULL,
  CONSTRAINT history_samples_pkey PRIMARY KEY (request_name, at)
);
CREATE INDEX history_samples_by_time ON public.history_samples USING btree (at);

CREATE TABLE imports (
  name text COLLATE "C" NOT NULL,
  outcome text NOT NULL,
  reasons jsonb NOT NULL,
  document jsonb NOT NULL,
  changes jsonb NOT NULL,
  their_status text,
  told_status text,
  tries integer NOT NULL,
  last_error text,
  next_try_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  looked_at timestamp with time zone NOT NULL,
  CONSTRAINT imports_pkey PRIMARY KEY (name),
  CONSTRAINT imports_outcome_known CHECK ((outcome = ANY (ARRAY['imported'::text, 'refused'::text, 'passed-over'::text])))
);
CREATE INDEX imports_by_time ON public.imports USING btree (created_at DESC, name DESC);

CREATE TABLE input_files (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  workflow_id text COLLATE "C" NOT NULL,
  lfn text COLLATE "C" NOT NULL,
  path text NOT NULL,
  size_bytes bigint NOT NULL,
  events bigint,
  lumis jsonb NOT NULL,
  sites jsonb NOT NULL,
  state text NOT NULL DEFAULT 'fresh'::text,
  reason text,
  CONSTRAINT input_files_pkey PRIMARY KEY (id),
  CONSTRAINT input_files_workflow_id_lfn_key UNIQUE (workflow_id, lfn),
  CONSTRAINT input_files_state_known CHECK ((state = ANY (ARRAY['fresh'::text, 'attempted'::text, 'processed'::text, 'excluded'::text]))),
  CONSTRAINT input_files_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);
CREATE INDEX input_files_by_state ON public.input_files USING btree (workflow_id, state, lfn);

CREATE TABLE leases (
  name text COLLATE "C" NOT NULL,
  owner text NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT leases_pkey PRIMARY KEY (name)
);

CREATE TABLE node_actions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  dag_id text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  epoch integer NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  changes jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  applied_at timestamp with time zone,
  CONSTRAINT node_actions_pkey PRIMARY KEY (id),
  CONSTRAINT node_actions_dag_id_unit_node_kind_attempt_key UNIQUE (dag_id, unit, node, kind, attempt),
  CONSTRAINT node_actions_kind_known CHECK ((kind = ANY (ARRAY['retry'::text, 'fail'::text, 'resubmit'::text]))),
  CONSTRAINT node_actions_dag_id_fkey FOREIGN KEY (dag_id) REFERENCES dags(id) ON DELETE CASCADE
);
CREATE INDEX node_actions_pending ON public.node_actions USING btree (dag_id, id) WHERE (applied_at IS NULL);
CREATE UNIQUE INDEX node_actions_verdict ON public.node_actions USING btree (dag_id, unit, node, attempt) WHERE (kind <> 'resubmit'::text);

CREATE TABLE operator_tokens (
  sha256 text COLLATE "C" NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT operator_tokens_pkey PRIMARY KEY (sha256)
);

CREATE TABLE output_blocks (
  name text COLLATE "C" NOT NULL,
  workflow_id text COLLATE "C" NOT NULL,
  dataset text COLLATE "C" NOT NULL,
  site text COLLATE "C" NOT NULL,
  part integer NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  is_sealed boolean NOT NULL DEFAULT false,
  begun jsonb NOT NULL DEFAULT '[]'::jsonb,
  receipts jsonb NOT NULL DEFAULT '{}'::jsonb,
  tries integer NOT NULL DEFAULT 0,
  refusals integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  next_try_at timestamp with time zone NOT NULL,
  last_error jsonb,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  is_firm boolean NOT NULL DEFAULT false,
  CONSTRAINT output_blocks_pkey PRIMARY KEY (name),
  CONSTRAINT output_blocks_status_known CHECK ((status = ANY (ARRAY['open'::text, 'done'::text, 'failed'::text, 'merged'::text, 'withdrawing'::text, 'withdrawn'::text]))),
  CONSTRAINT output_blocks_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);
CREATE INDEX output_blocks_by_workflow ON public.output_blocks USING btree (workflow_id, dataset, site);
CREATE INDEX output_blocks_due ON public.output_blocks USING btree (next_try_at) WHERE (status = ANY (ARRAY['open'::text, 'withdrawing'::text]));

CREATE TABLE pending_fills (
  workflow_id text COLLATE "C" NOT NULL,
  choice jsonb NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  CONSTRAINT pending_fills_pkey PRIMARY KEY (workflow_id),
  CONSTRAINT pending_fills_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);

CREATE TABLE processing_blocks (
  workflow_id text COLLATE "C" NOT NULL,
  block_index integer NOT NULL,
  dataset text NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  units_total integer NOT NULL,
  units_done integer NOT NULL DEFAULT 0,
  units_registered integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  units_abandoned integer NOT NULL DEFAULT 0,
  CONSTRAINT processing_blocks_pkey PRIMARY KEY (workflow_id, block_index),
  CONSTRAINT processing_blocks_status_known CHECK ((status = ANY (ARRAY['open'::text, 'complete'::text, 'archived'::text, 'on_disk'::text, 'failed'::text, 'invalidated'::text]))),
  CONSTRAINT processing_blocks_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);

CREATE TABLE remembered_rules (
  id text COLLATE "C" NOT NULL,
  action text NOT NULL,
  cause text NOT NULL,
  exit_code integer NOT NULL,
  stderr text NOT NULL,
  lines jsonb NOT NULL,
  request_name text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT remembered_rules_pkey PRIMARY KEY (id),
  CONSTRAINT remembered_rules_action_known CHECK ((action = ANY (ARRAY['retry'::text, 'fail'::text])))
);

CREATE TABLE request_documents (
  request_name text COLLATE "C" NOT NULL,
  document text NOT NULL,
  CONSTRAINT request_documents_pkey PRIMARY KEY (request_name),
  CONSTRAINT request_documents_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name) ON DELETE CASCADE
);

CREATE TABLE request_failures (
  request_name text COLLATE "C" NOT NULL,
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
  first_at timestamp with time zone,
  last_at timestamp with time zone,
  example jsonb NOT NULL,
  CONSTRAINT request_failures_pkey PRIMARY KEY (request_name, exit_code, rule, cause, category, site, file),
  CONSTRAINT request_failures_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name) ON DELETE CASCADE
);
CREATE INDEX request_failures_by_site ON public.request_failures USING btree (site, request_name);

CREATE TABLE request_files (
  request_name text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  executable boolean NOT NULL,
  sha256 text NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT request_files_pkey PRIMARY KEY (request_name, path),
  CONSTRAINT request_files_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name) ON DELETE CASCADE
);

CREATE TABLE requests (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
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
  waiting jsonb,
  superseded_by text COLLATE "C",
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  status_since timestamp with time zone NOT NULL,
  modifications jsonb,
  rescues_used integer NOT NULL DEFAULT 0,
  output_state text NOT NULL DEFAULT 'active'::text,
  previous_version text COLLATE "C" DEFAULT (spec ->> 'previousVersion'::text),
  CONSTRAINT requests_pkey PRIMARY KEY (name),
  CONSTRAINT requests_id_key UNIQUE (id),
  CONSTRAINT requests_held_has_reason CHECK (((status <> 'held'::text) OR (hold IS NOT NULL))),
  CONSTRAINT requests_output_state_known CHECK ((output_state = ANY (ARRAY['active'::text, 'superseded'::text, 'invalidated'::text]))),
  CONSTRAINT requests_status_known CHECK ((status = ANY (ARRAY['new'::text, 'submitted'::text, 'queued'::text, 'planning'::text, 'active'::text, 'partial'::text, 'stopping'::text, 'resubmitting'::text, 'held'::text, 'completed'::text, 'failed'::text, 'aborted'::text]))),
  CONSTRAINT requests_superseded_by_fkey FOREIGN KEY (superseded_by) REFERENCES requests(name)
);
CREATE INDEX requests_by_campaign ON public.requests USING btree (campaign, created_at DESC, name DESC);
CREATE INDEX requests_by_change ON public.requests USING btree (updated_at DESC, name DESC);
CREATE INDEX requests_by_hold ON public.requests USING btree (((hold ->> 'code'::text))) WHERE (hold IS NOT NULL);
CREATE INDEX requests_by_name ON public.requests USING btree (name DESC);
CREATE INDEX requests_by_priority ON public.requests USING btree (urgent DESC, priority DESC, name DESC);
CREATE INDEX requests_by_requestor ON public.requests USING btree (requestor, created_at DESC, name DESC);
CREATE INDEX requests_by_status ON public.requests USING btree (status, created_at DESC, name DESC);
CREATE INDEX requests_newest ON public.requests USING btree (created_at DESC, name DESC);
CREATE INDEX requests_open ON public.requests USING btree (created_at, name) WHERE (status <> ALL (ARRAY['completed'::text, 'failed'::text, 'aborted'::text]));
CREATE INDEX requests_previous_version ON public.requests USING btree (previous_version) WHERE (previous_version IS NOT NULL);
CREATE INDEX requests_superseded_by ON public.requests USING btree (superseded_by) WHERE (superseded_by IS NOT NULL);

CREATE TABLE schema_migrations (
  name text COLLATE "C" NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE segment_nodes (
  workflow_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  state text NOT NULL,
  epoch integer NOT NULL,
  executions integer NOT NULL,
  losses integer NOT NULL,
  overruns integer NOT NULL,
  transfers integer NOT NULL,
  reason text,
  cause text,
  unit text COLLATE "C",
  dag_id text COLLATE "C",
  job text,
  retry_at timestamp with time zone,
  made_sum text,
  made_of_sum text,
  version integer NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT segment_nodes_pkey PRIMARY KEY (workflow_id, id),
  CONSTRAINT segment_nodes_state_known CHECK ((state = ANY (ARRAY['missing'::text, 'submitted'::text, 'elsewhere'::text, 'done'::text, 'failed'::text, 'input-missing'::text, 'partial'::text, 'lost'::text, 'held'::text, 'unknown'::text]))),
  CONSTRAINT segment_nodes_dag_id_fkey FOREIGN KEY (dag_id) REFERENCES dags(id),
  CONSTRAINT segment_nodes_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);
CREATE INDEX segment_nodes_in_runs ON public.segment_nodes USING btree (workflow_id, dag_id) WHERE (state = 'submitted'::text);

CREATE TABLE sessions (
  sha256 text COLLATE "C" NOT NULL,
  token_sha256 text COLLATE "C" NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (sha256),
  CONSTRAINT sessions_token_sha256_fkey FOREIGN KEY (token_sha256) REFERENCES operator_tokens(sha256) ON DELETE CASCADE
);
CREATE INDEX sessions_by_token ON public.sessions USING btree (token_sha256);

CREATE TABLE settings (
  key text COLLATE "C" NOT NULL,
  value jsonb NOT NULL,
  updated_by text NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT settings_pkey PRIMARY KEY (key)
);

CREATE TABLE site_bans (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  site text COLLATE "C" NOT NULL,
  workflow_id text COLLATE "C",
  reason text NOT NULL,
  evidence jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  removed_at timestamp with time zone,
  removed_by text,
  created_by text,
  CONSTRAINT site_bans_pkey PRIMARY KEY (id),
  CONSTRAINT site_bans_site_fkey FOREIGN KEY (site) REFERENCES sites(name),
  CONSTRAINT site_bans_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);
CREATE INDEX site_bans_active ON public.site_bans USING btree (expires_at) WHERE (removed_at IS NULL);
CREATE INDEX site_bans_by_site ON public.site_bans USING btree (site);
CREATE INDEX site_bans_by_time ON public.site_bans USING btree (created_at);
CREATE INDEX site_bans_by_workflow ON public.site_bans USING btree (workflow_id) WHERE (workflow_id IS NOT NULL);

CREATE TABLE site_hours (
  request_name text COLLATE "C" NOT NULL,
  site text COLLATE "C" NOT NULL,
  hour timestamp with time zone NOT NULL,
  done integer NOT NULL,
  failed integer NOT NULL,
  blamed integer NOT NULL,
  busy_sec integer NOT NULL,
  CONSTRAINT site_hours_pkey PRIMARY KEY (request_name, site, hour),
  CONSTRAINT site_hours_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name) ON DELETE CASCADE
);
CREATE INDEX site_hours_by_hour ON public.site_hours USING btree (hour);

CREATE TABLE sites (
  name text COLLATE "C" NOT NULL,
  status text NOT NULL DEFAULT 'enabled'::text,
  cores integer,
  memory_mb bigint,
  drain_until timestamp with time zone,
  note text,
  updated_by text,
  updated_at timestamp with time zone NOT NULL,
  rses jsonb,
  active boolean NOT NULL DEFAULT true,
  status_from text,
  CONSTRAINT sites_pkey PRIMARY KEY (name),
  CONSTRAINT sites_status_from_known CHECK ((status_from = ANY (ARRAY['operator'::text, 'source'::text]))),
  CONSTRAINT sites_status_known CHECK ((status = ANY (ARRAY['enabled'::text, 'draining'::text, 'disabled'::text])))
);

CREATE TABLE transitions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  request_name text COLLATE "C" NOT NULL,
  from_status text,
  to_status text NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT transitions_pkey PRIMARY KEY (id),
  CONSTRAINT transitions_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name) ON DELETE CASCADE
);
CREATE INDEX transitions_by_request ON public.transitions USING btree (request_name, id);
CREATE INDEX transitions_by_time ON public.transitions USING btree (at, id);

CREATE TABLE unit_outputs (
  workflow_id text COLLATE "C" NOT NULL,
  unit text COLLATE "C" NOT NULL,
  dataset text COLLATE "C" NOT NULL,
  block text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'owed'::text,
  files integer NOT NULL,
  bytes bigint NOT NULL,
  refusals integer NOT NULL DEFAULT 0,
  merged_from text COLLATE "C",
  CONSTRAINT unit_outputs_pkey PRIMARY KEY (workflow_id, unit, dataset),
  CONSTRAINT unit_outputs_state_known CHECK ((state = ANY (ARRAY['owed'::text, 'replicated'::text, 'registered'::text, 'withdrawn'::text]))),
  CONSTRAINT unit_outputs_block_fkey FOREIGN KEY (block) REFERENCES output_blocks(name),
  CONSTRAINT unit_outputs_merged_from_fkey FOREIGN KEY (merged_from) REFERENCES output_blocks(name),
  CONSTRAINT unit_outputs_workflow_id_unit_fkey FOREIGN KEY (workflow_id, unit) REFERENCES work_units(workflow_id, name)
);
CREATE INDEX unit_outputs_by_block ON public.unit_outputs USING btree (block, state, refusals, unit);

CREATE TABLE work_units (
  workflow_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  dag_id text COLLATE "C" NOT NULL,
  round integer NOT NULL,
  block_index integer NOT NULL,
  status text NOT NULL,
  site text,
  events bigint NOT NULL,
  outputs jsonb NOT NULL,
  finished_at timestamp with time zone NOT NULL,
  registered_at timestamp with time zone,
  invalidated_at timestamp with time zone,
  invalidated_reason text,
  metrics jsonb,
  proof jsonb,
  CONSTRAINT work_units_pkey PRIMARY KEY (workflow_id, name),
  CONSTRAINT work_units_status_known CHECK ((status = ANY (ARRAY['owed'::text, 'registered'::text, 'invalidated'::text]))),
  CONSTRAINT work_units_dag_id_fkey FOREIGN KEY (dag_id) REFERENCES dags(id),
  CONSTRAINT work_units_workflow_id_block_index_fkey FOREIGN KEY (workflow_id, block_index) REFERENCES processing_blocks(workflow_id, block_index),
  CONSTRAINT work_units_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflows(id)
);
CREATE INDEX work_units_by_dag ON public.work_units USING btree (dag_id);
CREATE INDEX work_units_owed ON public.work_units USING btree (workflow_id) WHERE (status = 'owed'::text);

CREATE TABLE workflows (
  id text COLLATE "C" NOT NULL,
  request_name text COLLATE "C" NOT NULL,
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
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  abandoned_events bigint NOT NULL DEFAULT 0,
  engine text,
  share_planned real NOT NULL DEFAULT 1,
  last_done_at timestamp with time zone,
  has_all_units boolean NOT NULL DEFAULT false,
  CONSTRAINT workflows_pkey PRIMARY KEY (id),
  CONSTRAINT workflows_request_name_key UNIQUE (request_name),
  CONSTRAINT workflows_status_known CHECK ((status = ANY (ARRAY['new'::text, 'planning'::text, 'active'::text, 'stopping'::text, 'resubmitting'::text, 'held'::text, 'completed'::text, 'partial'::text, 'failed'::text, 'aborted'::text]))),
  CONSTRAINT workflows_current_dag FOREIGN KEY (current_dag_id) REFERENCES dags(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT workflows_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name)
);
CREATE INDEX workflows_newest ON public.workflows USING btree (created_at DESC, id DESC);
