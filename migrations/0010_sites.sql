-- What the catalog says of a site. rses: the storage it reads; NULL: no catalog lists the site.
ALTER TABLE sites ADD COLUMN rses jsonb;
-- false: the catalog listed it once and does not any more. What ran there still refers to it.
ALTER TABLE sites ADD COLUMN active boolean NOT NULL DEFAULT true;
-- Who said the status: an operator, whose word stays, or the status source. NULL: nobody.
ALTER TABLE sites ADD COLUMN status_from text
  CONSTRAINT sites_status_from_known CHECK (status_from IN ('operator', 'source'));
UPDATE sites SET status_from = 'operator' WHERE status <> 'enabled';
