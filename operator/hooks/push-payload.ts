import { shapeOfJson } from "../engine/json-shape.ts";

/** The fields of a webhook's body that are used. */
export interface PushPayload {
  /** URLs of the repository, as sent. Unchecked text. */
  readonly urls: readonly string[];
  /** `refs/heads/main`. Unchecked text. */
  readonly ref: string | undefined;
}

/**
 * Fields with a repository's URLs: in `repository` (GitHub, Gitea, Bitbucket), `project` (GitLab), or at the top level.
 */
const urlFields = [
  "clone_url",
  "ssh_url",
  "html_url",
  "git_url",
  "git_http_url",
  "git_ssh_url",
  "http_url",
  "web_url",
  "homepage",
  "url",
];
const longestUrl = 2_048;
const longestRef = 255;
/**
 * Maximum number of values. A push of two thousand commits has fewer. V8 takes 30 to 60 ms for a body of the maximum
 * size that has more.
 */
const most = { depth: 100, keys: 50_000, values: 250_000 };

/**
 * Parses the body of a webhook with a valid signature: JSON, or a form whose field `payload` is JSON (GitHub's default).
 * An empty body names no repository. Undefined: it cannot be parsed, or has too many values. Pure.
 */
export function readPush(body: Buffer, contentType: string | undefined): PushPayload | undefined {
  const text = isForm(contentType) ? payloadField(body.toString("utf8")) : body.toString("utf8");
  if (text === undefined) return undefined;
  if (text.trim() === "") return { urls: [], ref: undefined };
  const payload = objectIn(parse(text));
  if (payload === undefined) return undefined;
  const places = [payload, objectIn(payload["repository"]), objectIn(payload["project"])];
  const urls = new Set<string>();
  for (const place of places) {
    for (const url of urlsIn(place)) urls.add(url);
  }
  const ref = payload["ref"];
  return { urls: [...urls], ref: typeof ref === "string" && ref.length <= longestRef ? ref : undefined };
}

/**
 * The field `payload` of a form; empty if there is none, undefined if its encoding is invalid. Parses nothing else:
 * `URLSearchParams` takes 9 s for a form of 500,000 fields.
 */
function payloadField(form: string): string | undefined {
  const name = "payload=";
  const found = form.startsWith(name) ? 0 : form.indexOf(`&${name}`) + 1;
  if (found === 0 && !form.startsWith(name)) return "";
  const end = form.indexOf("&", found);
  const value = form.slice(found + name.length, end < 0 ? form.length : end);
  try {
    return decodeURIComponent(value.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function isForm(contentType: string | undefined): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded";
}

function urlsIn(place: Fields | undefined): string[] {
  if (place === undefined) return [];
  const links = objectIn(place["links"]);
  const clones = Array.isArray(links?.["clone"]) ? links["clone"].slice(0, 10) : [];
  const found = [
    ...urlFields.map((field) => place[field]),
    ...[objectIn(links?.["html"]), ...clones.map(objectIn)].map((link) => link?.["href"]),
  ];
  return found.filter(
    (url): url is string => typeof url === "string" && url !== "" && url.length <= longestUrl,
  );
}

type Fields = Readonly<Record<string, unknown>>;

function objectIn(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function parse(text: string): unknown {
  const { depth, keys, values } = shapeOfJson(Buffer.from(text), { mostDepth: most.depth });
  if (depth > most.depth || keys > most.keys || values > most.values) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
