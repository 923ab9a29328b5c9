-- Output blocks follow sizes (docs/adr/0022-block-sizes.md): a site's files of a dataset go into one block until it is full,
-- whichever processing blocks their units were planned in. What is too small to stand alone at the end is merged.
ALTER TABLE workflows ADD COLUMN has_all_units boolean NOT NULL DEFAULT false;

-- With the column goes the uniqueness of what it was part of; the name is made from the key, and is unique.
ALTER TABLE output_blocks DROP COLUMN block_index;
ALTER TABLE output_blocks ADD COLUMN is_firm boolean NOT NULL DEFAULT false;
ALTER TABLE output_blocks DROP CONSTRAINT output_blocks_status_known;
ALTER TABLE output_blocks ADD CONSTRAINT output_blocks_status_known
  CHECK (status IN ('open', 'done', 'failed', 'merged', 'withdrawing', 'withdrawn'));
-- What services may know of already stays a block.
UPDATE output_blocks SET is_firm = true WHERE begun <> '[]' OR status <> 'open';
CREATE INDEX output_blocks_by_workflow ON output_blocks (workflow_id, dataset, site);

-- The block that a unit was in before it was merged; its receipts tell where the files are.
ALTER TABLE unit_outputs ADD COLUMN merged_from text COLLATE "C" REFERENCES output_blocks (name);
