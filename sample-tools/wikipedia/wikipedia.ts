// Looks things up in Wikipedia, by its public interface for programs.

const LANGUAGES = ["ar", "de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh"];
const SECONDS = 15;

/** An article that was found. */
export interface Hit {
  /** The article's title, by which the other functions take it. */
  title: string;
  /** The words around what was found. */
  snippet: string;
  /** How many words the article has. */
  words: number;
  /** Where people read it. */
  url: string;
}

/**
 * Searches the articles of Wikipedia. Returns those that fit best, with the words around what was found.
 *
 * @param query - What to look for, such as `tidal range North Sea`.
 * @param limit - How many articles, 1 to 50; 10 unless told.
 * @param language - The code of the Wikipedia: `ar`, `de`, `en`, `es`, `fr`, `it`, `ja`, `nl`, `pl`, `pt`, `ru` or
 *   `zh`; `en` unless told.
 * @returns The articles, best first.
 */
export async function search_wikipedia(query: string, limit: number = 10, language: string = "en"): Promise<Hit[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > 50) {
    throw new Error(`\`limit\` is ${limit}: pass a whole number from 1 to 50`);
  }
  if (query.trim() === "") {
    throw new Error("`query` is empty: say what to look for");
  }
  const answer = await ask(language, { list: "search", srsearch: query, srlimit: String(limit) });
  const found = (answer.query?.search ?? []) as { title: string; snippet: string; wordcount: number }[];
  return found.map(({ title, snippet, wordcount }) => ({
    title,
    snippet: textOf(snippet),
    words: wordcount,
    url: addressOf(language, title),
  }));
}

/** What an article begins with. */
export interface Summary {
  /** The article's title, which is another one than was asked for after a redirect. */
  title: string;
  /** The text before the first heading. */
  text: string;
  /** The titles of the sections, as `get_article` takes them. */
  sections: string[];
  /** Where people read it. */
  url: string;
}

/**
 * Reads the beginning of an article, which says in short what it is about. Returns its text and the titles of its
 * sections.
 *
 * @param title - The article's title, such as `Tide`, as `search_wikipedia` gives it.
 * @param language - The code of the Wikipedia, such as `de`; `en` unless told.
 * @returns The beginning.
 */
export async function get_summary(title: string, language: string = "en"): Promise<Summary> {
  const article = await read(title, language);
  const [lead] = article.parts;
  return {
    title: article.title,
    text: lead?.text ?? "",
    sections: article.parts.slice(1).map((part) => part.title),
    url: addressOf(language, article.title),
  };
}

/** A piece of an article. */
export interface Article {
  /** The article's title, which is another one than was asked for after a redirect. */
  title: string;
  /** The text, with headings as in Markdown. */
  text: string;
  /** Where to begin the next call for what follows; left out at the end. */
  next_start?: number;
  /** Where people read it. */
  url: string;
}

/**
 * Reads an article as text, all of it or one section. Returns at most `length` characters, and where to go on.
 *
 * @param title - The article's title, such as `Tide`, as `search_wikipedia` gives it.
 * @param section - Only the section with this title and those below it, such as `Causes`.
 * @param start - How many characters to pass over; 0 unless told.
 * @param length - How many characters to return, 1 to 100000; 10000 unless told.
 * @param language - The code of the Wikipedia, such as `de`; `en` unless told.
 * @returns The text.
 */
export async function get_article(
  title: string,
  section?: string,
  start: number = 0,
  length: number = 10000,
  language: string = "en",
): Promise<Article> {
  if (!Number.isInteger(start) || start < 0) {
    throw new Error(`\`start\` is ${start}: pass a whole number, 0 or more`);
  }
  if (!Number.isInteger(length) || length < 1 || length > 100000) {
    throw new Error(`\`length\` is ${length}: pass a whole number from 1 to 100000`);
  }
  const article = await read(title, language);
  const parts = section === undefined ? article.parts : below(article.parts, section, article.title);
  const text = parts.map(written).join("\n\n").trim();
  if (start > 0 && start >= text.length) {
    throw new Error(`the text has ${text.length} characters, so nothing begins at ${start}`);
  }
  const end = start + length;
  const piece = { title: article.title, text: text.slice(start, end), url: addressOf(language, article.title) };
  return end < text.length ? { ...piece, next_start: end } : piece;
}

interface Part {
  title: string;
  level: number;
  text: string;
}

interface Answer {
  error?: { info?: string };
  query?: {
    search?: unknown[];
    pages?: { title: string; missing?: boolean; invalid?: boolean; invalidreason?: string; extract?: string }[];
  };
}

async function read(title: string, language: string): Promise<{ title: string; parts: Part[] }> {
  const answer = await ask(language, {
    prop: "extracts",
    explaintext: "1",
    exsectionformat: "wiki",
    redirects: "1",
    titles: title,
  });
  const page = answer.query?.pages?.[0];
  if (page === undefined || page.missing || page.invalid || title.includes("|")) {
    const why = page?.invalidreason ?? "there is no article of this title";
    throw new Error(`\`${title}\`: ${why}; find its title with search_wikipedia`);
  }
  return { title: page.title, parts: partsOf(page.extract ?? "") };
}

/** The text before the first heading, and a part for each heading. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [{ title: "", level: 1, text: "" }];
  for (const line of text.split("\n")) {
    const heading = /^(={2,6}) (.{1,300}) \1$/.exec(line.trim());
    if (heading?.[1] !== undefined && heading[2] !== undefined) {
      parts.push({ title: heading[2], level: heading[1].length, text: "" });
    } else {
      const part = parts[parts.length - 1] as Part;
      part.text += `${line}\n`;
    }
  }
  for (const part of parts) {
    part.text = part.text.replace(/\n{2,}/g, "\n\n").trim();
  }
  return parts;
}

function below(parts: Part[], section: string, title: string): Part[] {
  const wanted = section.trim().toLowerCase();
  const first = parts.findIndex((part) => part.level > 1 && part.title.toLowerCase() === wanted);
  const begin = parts[first];
  if (begin === undefined) {
    const known = parts.slice(1).map((part) => part.title);
    throw new Error(`\`${title}\` has no section \`${section}\`; it has ${known.join(", ") || "none"}`);
  }
  const after = parts.findIndex((part, index) => index > first && part.level <= begin.level);
  return parts.slice(first, after === -1 ? undefined : after);
}

function written(part: Part): string {
  return part.title === "" ? part.text : `${"#".repeat(part.level)} ${part.title}\n\n${part.text}`.trim();
}

async function ask(language: string, query: Record<string, string>): Promise<Answer> {
  if (!LANGUAGES.includes(language)) {
    throw new Error(`\`${language}\` is not a Wikipedia that this tool knows: use ${LANGUAGES.join(", ")}`);
  }
  const parameters = new URLSearchParams({ action: "query", format: "json", formatversion: "2", ...query });
  const response = await fetch(`https://${language}.wikipedia.org/w/api.php?${parameters}`, {
    headers: { "user-agent": "tool-hub-wikipedia/0.1" },
    signal: AbortSignal.timeout(SECONDS * 1000),
  });
  if (!response.ok) {
    const wait = response.headers.get("retry-after");
    throw new Error(
      `Wikipedia answered with status ${response.status}: try again ${wait ? `after ${wait} seconds` : "later"}`,
    );
  }
  const answer = (await response.json()) as Answer;
  if (answer.error) {
    throw new Error(`Wikipedia says: ${answer.error.info}`);
  }
  return answer;
}

function addressOf(language: string, title: string): string {
  return `https://${language}.wikipedia.org/wiki/${encodeURIComponent(title.replace(/ /g, "_"))}`;
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

/** A snippet without the marks around what was found. */
function textOf(html: string): string {
  const text = html.replace(/<[^>]*>/g, "").replace(/&(?:#(\d{1,7})|([a-z]{1,8}));/g, (whole, code, name) =>
    code ? String.fromCodePoint(Math.min(Number(code), 0x10ffff)) : (NAMED[name] ?? whole),
  );
  return text.replace(/\s+/g, " ").trim();
}
