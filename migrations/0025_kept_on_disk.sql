-- A block is archived when its tape rule exists. Without tape it ends as kept on disk, also what was called archived before.
ALTER TABLE processing_blocks DROP CONSTRAINT processing_blocks_status_known;
ALTER TABLE processing_blocks ADD CONSTRAINT processing_blocks_status_known
  CHECK (status IN ('open', 'complete', 'archived', 'on_disk', 'failed', 'invalidated'));
UPDATE processing_blocks p SET status = 'on_disk' WHERE status = 'archived' AND EXISTS (
  SELECT 1 FROM output_blocks b WHERE b.workflow_id = p.workflow_id AND b.block_index = p.block_index
    AND b.receipts->>'tape-rule' = 'none is wanted');
UPDATE output_blocks SET receipts = receipts - 'tape-rule' WHERE receipts->>'tape-rule' = 'none is wanted';
