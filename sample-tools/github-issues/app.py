"""The tool github-issues, which calls GitHub. `tool new --from-openapi` made it; answers go through `brief`."""

from __future__ import annotations

import brief
import openapi_client as _client
from wit_world import exports
from wit_world.exports import functions
from wit_world.imports.tool_hub_tool_types import Reply

API = "https://api.github.com"


class Functions(exports.Functions):
    def list_issues(
        self,
        owner: str,
        repo: str,
        state: functions.ListIssuesState | None,
        labels: str | None,
        sort: functions.ListIssuesSort | None,
        direction: functions.ListIssuesDirection | None,
        since: str | None,
        per_page: int | None,
        page: int | None,
    ) -> Reply:
        return brief.call(
            "GET",
            API + "/repos/{owner}/{repo}/issues",
            path={"owner": owner, "repo": repo},
            query={
                "state": _client.case(state),
                "labels": labels,
                "sort": _client.case(sort),
                "direction": _client.case(direction),
                "since": since,
                "per_page": per_page,
                "page": page,
            },
        )

    def get_issue(self, owner: str, repo: str, issue_number: int) -> Reply:
        return brief.call(
            "GET",
            API + "/repos/{owner}/{repo}/issues/{issue_number}",
            path={"owner": owner, "repo": repo, "issue_number": issue_number},
        )

    def list_issue_comments(
        self,
        owner: str,
        repo: str,
        issue_number: int,
        per_page: int | None,
        page: int | None,
    ) -> Reply:
        return brief.call(
            "GET",
            API + "/repos/{owner}/{repo}/issues/{issue_number}/comments",
            path={"owner": owner, "repo": repo, "issue_number": issue_number},
            query={"per_page": per_page, "page": page},
        )

    def search_issues(
        self,
        q: str,
        sort: functions.SearchIssuesSort | None,
        order: functions.ListIssuesDirection | None,
        per_page: int | None,
        page: int | None,
    ) -> Reply:
        return brief.call(
            "GET",
            API + "/search/issues",
            query={
                "q": q,
                "sort": _client.case(sort),
                "order": _client.case(order),
                "per_page": per_page,
                "page": page,
            },
        )

    def create_issue(
        self,
        owner: str,
        repo: str,
        title: str,
        body: str | None,
        labels: list[str] | None,
        assignees: list[str] | None,
        milestone: int | None,
    ) -> Reply:
        return brief.call(
            "POST",
            API + "/repos/{owner}/{repo}/issues",
            path={"owner": owner, "repo": repo},
            json={
                "title": title,
                "body": body,
                "labels": labels,
                "assignees": assignees,
                "milestone": milestone,
            },
            media_type="application/json",
        )

    def update_issue(
        self,
        owner: str,
        repo: str,
        issue_number: int,
        title: str | None,
        body: str | None,
        state: functions.UpdateIssueState | None,
        state_reason: functions.UpdateIssueStateReason | None,
        labels: list[str] | None,
        assignees: list[str] | None,
        milestone: int | None,
    ) -> Reply:
        return brief.call(
            "PATCH",
            API + "/repos/{owner}/{repo}/issues/{issue_number}",
            path={"owner": owner, "repo": repo, "issue_number": issue_number},
            json={
                "title": title,
                "body": body,
                "state": _client.case(state),
                "state_reason": _client.case(state_reason),
                "labels": labels,
                "assignees": assignees,
                "milestone": milestone,
            },
            media_type="application/json",
        )

    def add_issue_comment(self, owner: str, repo: str, issue_number: int, body: str) -> Reply:
        return brief.call(
            "POST",
            API + "/repos/{owner}/{repo}/issues/{issue_number}/comments",
            path={"owner": owner, "repo": repo, "issue_number": issue_number},
            json={"body": body},
            media_type="application/json",
        )
