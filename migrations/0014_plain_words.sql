-- What a request waits for and what a DAG's history tells are explained by `reason`, an engine's own message is `text`;
-- both were `words`. Three codes of waits say what they are.
UPDATE requests
SET waiting = (waiting - 'words') || jsonb_build_object(
  'reason', waiting -> 'words',
  'code', CASE waiting ->> 'code'
    WHEN 'place' THEN 'admission'
    WHEN 'judging' THEN 'checking'
    WHEN 'not-judged' THEN 'not-checked'
    ELSE waiting ->> 'code'
  END
)
WHERE waiting -> 'words' IS NOT NULL;

UPDATE dag_history
SET detail = (detail - 'words') || jsonb_build_object(CASE type WHEN 'ended' THEN 'text' ELSE 'reason' END, detail -> 'words')
WHERE type IN ('ended', 'refused') AND detail -> 'words' IS NOT NULL;
