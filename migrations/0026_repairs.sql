-- A run whose engine broke off though no job had failed goes on by a rescue that is counted apart from those for failures.
ALTER TABLE dags
  DROP CONSTRAINT dags_rescue_kind_known,
  ADD CONSTRAINT dags_rescue_kind_known CHECK (rescue_kind IN ('failure', 'repair', 'stop', 'operator', 'recovery', 'side'));
