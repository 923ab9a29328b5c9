-- What people submitted, as they wrote it: whoever clones a request begins with that.
CREATE TABLE request_documents (
  request_name text COLLATE "C" NOT NULL,
  document text NOT NULL,
  CONSTRAINT request_documents_pkey PRIMARY KEY (request_name),
  CONSTRAINT request_documents_request_name_fkey FOREIGN KEY (request_name) REFERENCES requests(name) ON DELETE CASCADE
);
