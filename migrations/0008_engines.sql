-- Which engine a request's rounds are made for: another one leaves it alone. NULL: no round was made yet.
ALTER TABLE workflows ADD COLUMN engine text;
UPDATE workflows SET engine =
  (SELECT dags.engine FROM dags WHERE dags.workflow_id = workflows.id ORDER BY dags.created_at DESC LIMIT 1);
