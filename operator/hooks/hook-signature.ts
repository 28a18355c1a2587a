import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Headers of a request as Node gives them, names in lower case. */
export type HookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SignatureInput {
  readonly headers: HookHeaders;
  /** The raw bytes, before parsing. */
  readonly body: Buffer;
  /** The shared secrets; any may sign. */
  readonly secrets: readonly string[];
  /** Milliseconds since 1970, for signatures with a timestamp. */
  readonly nowMs: number;
}

/**
 * `sha256=<hex>` or `<hex>`: HMAC-SHA256 over the body. Used by GitHub, Bitbucket, Gitea, Forgejo, Gogs, and the generic
 * format.
 */
const bodySignatures = [
  "x-hub-signature-256",
  "x-hub-signature",
  "x-gitea-signature",
  "x-forgejo-signature",
  "x-gogs-signature",
  "x-signature",
] as const;
/** GitLab: the secret itself. */
const tokenHeader = "x-gitlab-token";
/** Standard Webhooks, which newer GitLab versions send: HMAC over id, time and body. */
const standardHeader = "webhook-signature";
/** Maximum difference of a signature's timestamp in either direction, as Standard Webhooks requires. */
const toleranceMs = 5 * 60_000;
/** A longer signature header is ignored. */
const longestHeader = 1_024;

/** Whether a request has a header that could be a signature. Pure. */
export function hasSignature(headers: HookHeaders): boolean {
  return [...bodySignatures, tokenHeader, standardHeader].some((name) => textOf(headers, name) !== undefined);
}

/**
 * Whether the sender of this body has one of the secrets: one valid signature is enough. Compares in constant time.
 * Formats as documented by GitHub, Gitea, Forgejo, GitLab and Standard Webhooks (2026).
 */
export function isSigned(input: SignatureInput): boolean {
  // Every secret and every header is tried, so that the time does not reveal which one matched.
  return input.secrets.map((secret) => isSignedWith(secret, input)).includes(true);
}

function isSignedWith(secret: string, { headers, body, nowMs }: SignatureInput): boolean {
  const checks: boolean[] = [];
  const digest = createHmac("sha256", secret).update(body).digest();
  for (const name of bodySignatures) {
    const [, hex] = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(textOf(headers, name) ?? "") ?? [];
    if (hex !== undefined) checks.push(timingSafeEqual(digest, Buffer.from(hex, "hex")));
  }
  const token = textOf(headers, tokenHeader);
  if (token !== undefined) checks.push(isSameText(token, secret));
  checks.push(isStandardSigned(secret, { headers, body, nowMs }));
  return checks.includes(true);
}

function isStandardSigned(
  secret: string,
  { headers, body, nowMs }: Omit<SignatureInput, "secrets">,
): boolean {
  const signatures = textOf(headers, standardHeader);
  const id = textOf(headers, "webhook-id");
  const sentAt = textOf(headers, "webhook-timestamp");
  if (signatures === undefined || id === undefined || sentAt === undefined) return false;
  if (!/^\d{1,12}$/.test(sentAt) || Math.abs(Number(sentAt) * 1_000 - nowMs) > toleranceMs) return false;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  if (key.length === 0) return false;
  const digest = createHmac("sha256", key).update(`${id}.${sentAt}.`).update(body).digest("base64");
  return signatures
    .split(" ")
    .map((signature) => isSameText(signature, `v1,${digest}`))
    .includes(true);
}

/** Compares texts in a time that does not reveal anything, not even the length. */
function isSameText(one: string, other: string): boolean {
  const key = randomBytes(32);
  const digestOf = (text: string) => createHmac("sha256", key).update(text).digest();
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function textOf(headers: HookHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" && value.length <= longestHeader ? value : undefined;
}
