import type { Manifest } from "../../synth/manifest.ts";
import type { ApiResponse } from "./transport.ts";

/** A shorter value is no secret, and stands in half of all words. */
const shortestSecret = 4;

/**
 * A refusal without the values of the Secret that it is about: an API server, or a webhook, repeats what it does not
 * like, and its words go into a condition, an event and a log line.
 */
export function hideSecretValues(response: ApiResponse, manifest: Manifest): ApiResponse {
  if (manifest.kind !== "Secret" || manifest.apiVersion !== "v1") return response;
  const values = [...leaves(manifest["data"]), ...leaves(manifest["stringData"])];
  // The longest first: a value may be a part of another one.
  const forms = [...new Set(values.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const hidden = forms.reduce((text, form) => text.replaceAll(form, "***"), response.body);
  return { ...response, body: hidden };
}

/** As it is, in base64 and out of it, and quoted: by JSON, and before that by whoever put it into a sentence. */
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
