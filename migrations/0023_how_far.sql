-- How far a request is: which share of its work is planned, and when a unit of it was last done.
ALTER TABLE workflows ADD COLUMN share_planned real NOT NULL DEFAULT 1;
ALTER TABLE workflows ADD COLUMN last_done_at timestamptz;
