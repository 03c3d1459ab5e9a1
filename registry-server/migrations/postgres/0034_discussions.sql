-- Pull requests and other discussions of a repository share their numbers. base is the commit a pull request started from.
ALTER TABLE pull_requests RENAME TO discussions;
ALTER TABLE discussions ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'pull_request' CHECK (kind IN ('discussion', 'pull_request'));
ALTER TABLE discussions ADD COLUMN status TEXT COLLATE "C" NOT NULL DEFAULT 'open' CHECK (status IN ('draft', 'open'));
ALTER TABLE discussions ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE discussions ADD COLUMN base TEXT COLLATE "C";
