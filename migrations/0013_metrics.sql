-- What the jobs of a finished unit showed, small enough to be kept when its directory is gone
-- (docs/adr/0015-adaptive.md). NULL: nobody could read a report of them.
ALTER TABLE work_units ADD COLUMN metrics jsonb;
