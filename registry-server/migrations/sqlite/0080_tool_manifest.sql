-- Which of a repository's manifests its default branch carries, so that listings show its facts.
ALTER TABLE tools ADD COLUMN manifest TEXT;

-- The facts begin with name and version, neither of which has a character with a meaning in a pattern or in JSON. Of several manifests
-- of one version any is taken; the next commit sets it right.
UPDATE tools SET manifest = (
    SELECT MAX(m.sha256) FROM manifests m
    WHERE m.repository = tools.repository AND m.facts LIKE '{"name":"' || tools.name || '","version":"' || tools.version || '",%'
);
