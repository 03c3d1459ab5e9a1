//! Pull requests.

use super::Writing;
use crate::error::RegistryError;

/// A pull request that is being opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewPullRequest<'a> {
    pub(crate) title: &'a str,
    pub(crate) author: &'a str,
    pub(crate) created_ms: i64,
}

impl Writing {
    /// Opens a pull request under the next number of its repository, which the transaction has locked.
    pub(crate) async fn insert_pull_request(
        &mut self,
        repository: &str,
        request: NewPullRequest<'_>,
    ) -> Result<u32, RegistryError> {
        let number = sqlx::query_scalar(
            "INSERT INTO pull_requests (repository, number, title, author, created_ms) \
             SELECT $1, COALESCE(MAX(number), 0) + 1, $2, $3, CAST($4 AS BIGINT) FROM pull_requests WHERE repository = $1 \
             RETURNING number",
        );
        let number: i64 = number
            .bind(repository)
            .bind(request.title)
            .bind(request.author)
            .bind(request.created_ms)
            .fetch_one(&mut *self.transaction)
            .await?;
        u32::try_from(number)
            .map_err(|_| RegistryError::Damaged("pull requests have no more numbers".to_owned()))
    }
}
