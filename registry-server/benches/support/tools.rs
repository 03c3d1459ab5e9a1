//! Tools by the thousand, written straight into the database as a registry would have written them.

use std::ops::Range;

use data_encoding::HEXLOWER;
use sqlx::{Any, AnyConnection, Connection as _, QueryBuilder};

/// Rows of one statement.
const BATCH: usize = 500;
const OWNERS: usize = 100;
/// Words that tools are described with; the first are the most common.
const VOCABULARY: usize = 20_000;
const NOW_MS: i64 = 1_700_000_000_000;

/// What is searched for, and what follows `filter=tool-hub&limit=20&`.
pub(super) const QUERIES: [(&str, &str); 11] = [
    ("a rare word", "search=xylophone"),
    ("a word in half of the tools", "search=ordinary"),
    ("two words, each in half", "search=ordinary+frequent"),
    ("two words, one rare", "search=ordinary+xylophone"),
    ("a beginning of a common word", "search=ordin"),
    ("a part of a name", "search=ool-17"),
    (
        "an owner and a common word",
        "author=owner-8&search=ordinary",
    ),
    (
        "a common word by downloads",
        "search=ordinary&sort=downloads",
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
        for mut statement in statements(&tools, sqlite) {
            let done = statement.build().execute(&mut *transaction).await;
            done.expect("rows");
        }
    }
    transaction.commit().await.expect("a commit");
    if !sqlite {
        // In a registry that lives this happens by itself.
        let analyzed = sqlx::query("VACUUM ANALYZE").execute(database).await;
        analyzed.expect("statistics");
    }
}

async fn insert_owners(database: &mut AnyConnection) {
    let mut owners = QueryBuilder::<Any>::new(
        "INSERT INTO accounts (id, kind, name, name_folded, full_name, created_ms) ",
    );
    owners.push_values(0..OWNERS, |mut row, owner| {
        let name = format!("owner-{owner}");
        row.push_bind(owner_id(owner)).push_bind("user");
        row.push_bind(name.clone()).push_bind(name.clone());
        row.push_bind(name).push_bind(NOW_MS);
    });
    owners.build().execute(database).await.expect("owners");
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
        if number % 20_000 == 40 {
            description += " xylophone";
        }
        Self {
            id: format!("{number:024x}"),
            owner: owner_id(owner),
            owner_name: format!("owner-{owner}"),
            name: format!("{first}-tool-{number}"),
            private: i64::from(number % 20 == 3),
            description,
            functions: random.words(20),
            body: random.words(60),
            downloads: (random.next() % 100_000) as i64,
            modified_ms: NOW_MS + (random.next() % 10_000_000_000) as i64,
        }
    }

    /// The words for SQLite's index of what is no text.
    fn facets(&self) -> String {
        format!(
            "n{} t{}",
            HEXLOWER.encode(self.owner_name.as_bytes()),
            HEXLOWER.encode(b"tool-hub")
        )
    }
}

fn statements(tools: &[Tool], sqlite: bool) -> Vec<QueryBuilder<Any>> {
    let mut repositories = QueryBuilder::new(
        "INSERT INTO repositories (id, kind, owner, name, name_folded, private, search_text, downloads, created_ms, modified_ms) ",
    );
    repositories.push_values(tools, |mut row, tool| {
        row.push_bind(tool.id.clone()).push_bind("model");
        row.push_bind(tool.owner.clone());
        row.push_bind(tool.name.clone())
            .push_bind(tool.name.clone());
        row.push_bind(tool.private).push_bind(tool.body.clone());
        row.push_bind(tool.downloads)
            .push_bind(NOW_MS)
            .push_bind(tool.modified_ms);
    });
    let mut tags = QueryBuilder::new("INSERT INTO repository_tags (repository, tag) ");
    tags.push_values(tools, |mut row, tool| {
        row.push_bind(tool.id.clone()).push_bind("tool-hub");
    });
    let mut refs =
        QueryBuilder::new("INSERT INTO refs (repository, name, commit_oid, created_ms) ");
    refs.push_values(tools, |mut row, tool| {
        row.push_bind(tool.id.clone()).push_bind("refs/heads/main");
        row.push_bind(format!("{}{:016x}", tool.id, 0))
            .push_bind(NOW_MS);
    });
    let mut known =
        QueryBuilder::new("INSERT INTO tools (repository, name, version, description, functions) ");
    known.push_values(tools, |mut row, tool| {
        row.push_bind(tool.id.clone()).push_bind(tool.name.clone());
        row.push_bind("0.1.0").push_bind(tool.description.clone());
        row.push_bind(tool.functions.clone());
    });
    vec![repositories, tags, refs, known, documents(tools, sqlite)]
}

fn documents(tools: &[Tool], sqlite: bool) -> QueryBuilder<Any> {
    let facets = if sqlite { ", facets" } else { "" };
    let mut documents = QueryBuilder::new(format!(
        "INSERT INTO search_documents (repository, title, name, description, functions, body{facets}) "
    ));
    documents.push_values(tools, |mut row, tool| {
        row.push_bind(tool.id.clone()).push_bind(tool.name.clone());
        row.push_bind(format!("{}/{} {}", tool.owner_name, tool.name, tool.name));
        row.push_bind(tool.description.clone());
        row.push_bind(tool.functions.clone())
            .push_bind(tool.body.clone());
        if sqlite {
            row.push_bind(tool.facets());
        }
    });
    documents
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
