-- A stop that nobody has carried out yet was asked for when it meant to go back to the queue: it still does.
UPDATE requests SET wish = jsonb_set(wish, '{kind}', '"requeue"') WHERE wish->>'kind' = 'stop';
