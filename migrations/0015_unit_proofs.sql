-- What a finished job of a graph was made of, so that a later version can tell whether it still holds
-- (docs/adr/0016-job-graphs.md). NULL: it is no such job, or its report could not be read.
ALTER TABLE work_units ADD COLUMN proof jsonb;
