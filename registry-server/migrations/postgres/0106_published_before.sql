-- The versions that stand at this moment, read from their tags: a tag v1.2.3 or 1.2.3 on a commit with a tool.toml. The bytes in hexadecimal are
-- what stands in a git tree before the ids of tool.toml and of tool.wasm. Also run after a backup of before this table was restored.
INSERT INTO published_versions
    (kind, owner_folded, name_folded, version, tree, manifest_sha256, component_sha256, commit_oid, published_ms)
SELECT ids.kind, ids.owner_folded, ids.name_folded, tagged.version, t.oid, manifest.sha256, component.sha256, c.oid, tagged.created_ms
FROM (
    SELECT repository, commit_oid, created_ms, ltrim(substr(name, 11), 'vV') AS version FROM refs
    WHERE name ~ '^refs/tags/[vV]?[0-9]+[.][0-9]+[.][0-9]'
) tagged
JOIN (
    SELECT r.id, r.kind, o.name_folded AS owner_folded, r.name_folded FROM repositories r JOIN accounts o ON o.id = r.owner
    UNION ALL
    SELECT repository, kind, owner_folded, name_folded FROM aliases
) ids ON ids.id = tagged.repository
JOIN commits c ON c.repository = tagged.repository AND c.oid = tagged.commit_oid
JOIN trees t ON t.repository = c.repository AND t.oid = c.tree
JOIN blobs manifest ON manifest.repository = t.repository
    AND manifest.oid = encode(substring(t.data FROM position('\x31303036343420746f6f6c2e746f6d6c00'::bytea IN t.data) + 17 FOR 20), 'hex')
LEFT JOIN blobs component ON component.repository = t.repository
    AND position('\x31303036343420746f6f6c2e7761736d00'::bytea IN t.data) > 0
    AND component.oid = encode(substring(t.data FROM position('\x31303036343420746f6f6c2e7761736d00'::bytea IN t.data) + 17 FOR 20), 'hex')
WHERE position('\x31303036343420746f6f6c2e746f6d6c00'::bytea IN t.data) > 0
ON CONFLICT (kind, owner_folded, name_folded, version) DO NOTHING;
