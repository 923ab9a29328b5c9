-- Who may submit a run: the holder of its newest ticket. An older one is refused at the submit host, however late it
-- gets there.
ALTER TABLE dags ADD COLUMN ticket bigint NOT NULL DEFAULT 0;
