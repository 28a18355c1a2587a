import type { Manifest } from "../../synth/manifest.ts";
import type { ApiResponse } from "./transport.ts";

/** Shorter values are not redacted, because they occur in half of all words. */
const shortestSecret = 4;

/** Maximum number of characters to search: the length of the message, for each form of each value. */
const SEARCHED = 50_000_000;
/** Encoding a value in all its forms takes as long as searching this many characters. */
const FORMS = 9;
const FORM_COST = 500;

/**
 * Removes the values of a Secret from a rejection of that Secret: an API server, or a webhook, repeats the value that it
 * rejects, and its message is copied to a condition, an event and a log line.
 */
export function hideSecretValues(response: ApiResponse, manifest: Manifest): ApiResponse {
  if (manifest.kind !== "Secret" || manifest.apiVersion !== "v1") return response;
  const values = [...leaves(manifest["data"]), ...leaves(manifest["stringData"])];
  if (values.length * FORMS * (FORM_COST + response.body.length) > SEARCHED)
    return { ...response, body: withoutWords(response) };
  // The longest first: a value may contain another one.
  const forms = [...new Set(values.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const hidden = forms.reduce((text, form) => text.replaceAll(form, "***"), response.body);
  return { ...response, body: hidden };
}

/** The only shown part of a rejection if too much would have to be searched: its reason. */
function withoutWords({ status, body }: ApiResponse): string {
  const reason = /"reason":"([A-Za-z]{1,40})"/.exec(body)?.[1] ?? "";
  const message =
    "the API server refused it; its message is not shown because the Secret has too many values to redact";
  return JSON.stringify({ kind: "Status", apiVersion: "v1", code: status, reason, message });
}

/** The value as it is, encoded in and decoded from base64, and quoted as JSON, also before it is quoted in a message. */
function formsOf(value: string): string[] {
  const plain = [value, Buffer.from(value).toString("base64"), Buffer.from(value, "base64").toString()];
  return plain
    .flatMap((form) => [form, quoted(form), quoted(quoted(form))])
    .filter((form) => form.length >= shortestSecret);
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(leaves);
}
