-- What a request waits for has parts: reason, words, since, until, who can change it. The loop says it anew at its next pass.
ALTER TABLE requests ALTER COLUMN waiting TYPE jsonb USING NULL;
