//! The search queries to measure, and random tools inserted by the thousand into the database.
//!
//! The rows are those that a registry would have written.

use std::ops::Range;

use sqlx::{AnyConnection, AssertSqlSafe, Connection as _};

/// Rows of one statement.
const BATCH: usize = 500;
const OWNERS: usize = 100;
/// Words that tools are described with; the first are the most common.
const VOCABULARY: usize = 20_000;
const NOW_MS: i64 = 1_700_000_000_000;

/// The names of queries, and their parameters after `filter=tool-hub&limit=20&`.
pub(super) const QUERIES: [(&str, &str); 19] = [
    ("a rare word", "search=xylophone"),
    ("a word in half of the tools", "search=ordinary"),
    ("two words, each in half", "search=ordinary+frequent"),
    ("two words, one rare", "search=ordinary+xylophone"),
    ("a beginning of a common word", "search=ordin"),
    ("a part of a name", "search=ool-17"),
    ("one letter", "search=o"),
    ("two letters", "search=or"),
    ("two letters inside a few names", "search=0z"),
    (
        "an owner and a common word",
        "author=owner-8&search=ordinary",
    ),
    (
        "a common word by downloads",
        "search=ordinary&sort=downloads",
    ),
    (
        "a rare word by downloads",
        "search=xylophone&sort=downloads",
    ),
    (
        "the beginning of a common word by downloads",
        "search=ordin&sort=downloads",
    ),
    (
        "a word in all names by downloads",
        "search=tool&sort=downloads",
    ),
    ("one letter by downloads", "search=o&sort=downloads"),
    (
        "two letters inside a few names by downloads",
        "search=0z&sort=downloads",
    ),
    ("no words, by downloads", "sort=downloads"),
    ("no words, by change", "sort=lastModified"),
    ("an owner's, by change", "author=owner-8&sort=lastModified"),
];

/// One tool.
struct Tool {
    id: String,
    owner: String,
    owner_name: String,
    name: String,
    private: i64,
    description: String,
    functions: String,
    body: String,
    downloads: i64,
    modified_ms: i64,
}

/// Adds the tools of these numbers.
pub(super) async fn insert(database: &mut AnyConnection, numbers: Range<usize>) {
    let sqlite = database.backend_name() == "SQLite";
    if numbers.start == 0 {
        insert_owners(database).await;
    }
    let numbers: Vec<usize> = numbers.collect();
    let mut transaction = database.begin().await.expect("a transaction");
    for batch in numbers.chunks(BATCH) {
        let tools: Vec<Tool> = batch.iter().map(|number| Tool::new(*number)).collect();
        for rows in statements(&tools) {
            rows.insert(&mut transaction).await;
        }
    }
    transaction.commit().await.expect("a commit");
    if !sqlite {
        // In a running registry PostgreSQL's autovacuum does this.
        let analyzed = sqlx::query("VACUUM ANALYZE").execute(database).await;
        analyzed.expect("statistics");
    }
}

async fn insert_owners(database: &mut AnyConnection) {
    let mut owners = Rows::of("accounts (id, kind, name, name_folded, full_name, created_ms)");
    for owner in 0..OWNERS {
        let name = format!("owner-{owner}");
        let id = owner_id(owner);
        owners.add(
            [id, "user".into(), name.clone(), name.clone(), name],
            [NOW_MS],
        );
    }
    owners.insert(database).await;
}

fn owner_id(owner: usize) -> String {
    format!("{:024x}", owner + 1)
}

impl Tool {
    fn new(number: usize) -> Self {
        let mut random = Random(number as u64);
        let first = random.word();
        let owner = number % OWNERS;
        let mut description = random.words(12);
        // In half of the tools each, and in a quarter both.
        if number.is_multiple_of(2) {
            description += " ordinary";
        }
        if number % 4 < 2 {
            description += " frequent";
        }
        let rare = number % 20_000 == 40;
        if rare {
            description += " xylophone";
        }
        Self {
            id: format!("{number:024x}"),
            owner: owner_id(owner),
            owner_name: format!("owner-{owner}"),
            name: format!("{first}-tool-{number}{}", if rare { "zz" } else { "" }),
            private: i64::from(number % 20 == 3),
            description,
            functions: random.words(20),
            body: random.words(60),
            downloads: (random.next() % 100_000) as i64,
            modified_ms: NOW_MS + (random.next() % 10_000_000_000) as i64,
        }
    }
}

fn statements(tools: &[Tool]) -> [Rows; 5] {
    let mut repositories = Rows::of(
        "repositories (id, kind, owner, name, name_folded, search_text, private, downloads, created_ms, modified_ms)",
    );
    let mut tags = Rows::of("repository_tags (repository, tag)");
    let mut refs = Rows::of("refs (repository, name, commit_oid, created_ms)");
    let mut known = Rows::of("tools (repository, name, version, description, functions)");
    let mut documents =
        Rows::of("search_documents (repository, name, description, functions, body)");
    for tool in tools {
        let Tool {
            id,
            owner,
            owner_name,
            name,
            private,
            description,
            functions,
            body,
            downloads,
            modified_ms,
        } = tool;
        repositories.add(
            [id, "model", owner, name, name, body],
            [*private, *downloads, NOW_MS, *modified_ms],
        );
        tags.add([id, "tool-hub"], []);
        let commit = format!("{id}{:016x}", 0);
        refs.add([id, "refs/heads/main", &commit], [NOW_MS]);
        known.add([id, name, "0.1.0", description, functions], []);
        let full_name = format!("{owner_name}/{name} {name}");
        documents.add([id, &full_name, description, functions, body], []);
    }
    [repositories, tags, refs, known, documents]
}

/// Rows of one table; each has its texts first and its numbers after them.
struct Rows {
    sql: String,
    values: Vec<Value>,
}

enum Value {
    Text(String),
    Number(i64),
}

impl Rows {
    fn of(table: &str) -> Self {
        Self {
            sql: format!("INSERT INTO {table} VALUES "),
            values: Vec::new(),
        }
    }

    fn add<T: Into<String>>(
        &mut self,
        texts: impl IntoIterator<Item = T>,
        numbers: impl IntoIterator<Item = i64>,
    ) {
        let first = self.values.len() + 1;
        let texts = texts.into_iter().map(|text| Value::Text(text.into()));
        let numbers = numbers.into_iter().map(Value::Number);
        self.values.extend(texts.chain(numbers));
        let places: Vec<String> = (first..=self.values.len())
            .map(|place| format!("${place}"))
            .collect();
        let comma = if first == 1 { "" } else { "," };
        self.sql += &format!("{comma}({})", places.join(","));
    }

    async fn insert(self, database: &mut AnyConnection) {
        let mut statement = sqlx::query(AssertSqlSafe(self.sql));
        for value in self.values {
            statement = match value {
                Value::Text(text) => statement.bind(text),
                Value::Number(number) => statement.bind(number),
            };
        }
        statement.execute(database).await.expect("rows");
    }
}

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A word of the vocabulary, small numbers far more often than large ones.
    fn word(&mut self) -> String {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = (VOCABULARY as f64).powf(unit) as u64;
        let letters = rank.wrapping_mul(0x2545_F491_4F6C_DD1D);
        (0..4 + rank % 5)
            .map(|at| char::from(b'a' + ((letters >> (at * 5)) % 26) as u8))
            .collect()
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }
}
