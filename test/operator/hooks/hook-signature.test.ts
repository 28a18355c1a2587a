import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type HookHeaders, hasSignature, isSigned } from "../../../operator/hooks/hook-signature.ts";

const secret = "a secret of some length";
const body = Buffer.from('{"ref":"refs/heads/main"}');
const hex = createHmac("sha256", secret).update(body).digest("hex");
const sentAtMs = 1_614_265_330_000;

function standard(key: string | Buffer, { id = "msg_1", at = sentAtMs / 1_000 } = {}): HookHeaders {
  const signature = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` };
}

const check = (headers: HookHeaders, { secrets = [secret], nowMs = sentAtMs, text = body } = {}) =>
  isSigned({ headers, body: text, secrets, nowMs });

describe("isSigned()", () => {
  test.for<{ from: string; headers: HookHeaders }>([
    { from: "GitHub", headers: { "x-hub-signature-256": `sha256=${hex}` } },
    { from: "Bitbucket", headers: { "x-hub-signature": `sha256=${hex}` } },
    { from: "Gitea", headers: { "x-gitea-signature": hex } },
    { from: "Forgejo", headers: { "x-forgejo-signature": hex } },
    { from: "Gogs", headers: { "x-gogs-signature": hex } },
    { from: "anybody", headers: { "x-signature": `sha256=${hex}` } },
    { from: "GitLab, by its token", headers: { "x-gitlab-token": secret } },
    { from: "GitLab, by Standard Webhooks", headers: standard(secret) },
  ])("accepts the signatures of $from, and rejects slightly different ones", ({ headers }) => {
    expect(check(headers)).toBe(true);
    expect(check(headers, { secrets: ["another", secret] })).toBe(true);
    expect(check(headers, { secrets: ["another"] })).toBe(false);
    const flipped = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value).replace(/.$/, "!")]),
    );
    expect(check(flipped)).toBe(false);
    if (!("x-gitlab-token" in headers))
      expect(check(headers, { text: Buffer.from(`${body.toString()} `) })).toBe(false);
  });

  test("agrees with the examples of GitHub and of Standard Webhooks", () => {
    const github = {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    };
    const said = { secrets: ["It's a Secret to Everybody"], text: Buffer.from("Hello, World!") };
    expect(check(github, said)).toBe(true);
    const webhooks = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature":
        "v1,bm9ldHUjKzFob2VudXRob2VodWUzMjRvdWVvdW9ldQo= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const sent = {
      secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      text: Buffer.from('{"test": 2432232314}'),
    };
    expect(check(webhooks, sent)).toBe(true);
  });

  test("accepts a signature with a timestamp for five minutes, in both directions", () => {
    const minute = 60_000;
    expect(check(standard(secret), { nowMs: sentAtMs + 5 * minute })).toBe(true);
    expect(check(standard(secret), { nowMs: sentAtMs + 5 * minute + 1 })).toBe(false);
    expect(check(standard(secret), { nowMs: sentAtMs - 5 * minute - 1 })).toBe(false);
  });

  test.for<{ what: string; headers: HookHeaders; secrets?: string[] }>([
    { what: "no signature", headers: {} },
    { what: "an empty one", headers: { "x-hub-signature-256": "", "x-gitlab-token": "" } },
    { what: "SHA-1", headers: { "x-hub-signature": `sha1=${"0".repeat(40)}` } },
    { what: "half of one", headers: { "x-hub-signature-256": `sha256=${hex.slice(0, 32)}` } },
    { what: "a repeated header", headers: { "x-gitea-signature": `${hex}, ${hex}` } },
    { what: "a header as a list", headers: { "x-gitea-signature": [hex] } },
    { what: "a Standard Webhook without an id", headers: { ...standard(secret), "webhook-id": undefined } },
    {
      what: "a Standard Webhook without a time",
      headers: { ...standard(secret), "webhook-timestamp": "soon" },
    },
    { what: "a key that is empty after decoding", headers: standard(""), secrets: ["whsec_"] },
  ])("rejects $what", ({ headers, secrets = [secret] }) => {
    expect(check(headers, { secrets })).toBe(false);
  });

  test("rejects everything that was created without the secret", () => {
    const names = [
      "x-hub-signature-256",
      "x-gitea-signature",
      "x-gitlab-token",
      "webhook-signature",
      "x-signature",
    ];
    const value = fc.oneof(
      fc.string(),
      fc.stringMatching(/^(sha256=)?[0-9a-f]{64}$/),
      fc.base64String().map((text) => `v1,${text}`),
    );
    const headers = fc.dictionary(fc.constantFrom(...names, "webhook-id", "webhook-timestamp"), value);
    fc.assert(
      fc.property(headers, fc.uint8Array(), (made, bytes) => {
        expect(check(made, { text: Buffer.from(bytes) })).toBe(false);
      }),
    );
  });
});

describe("hasSignature()", () => {
  test("recognizes every header that could be a signature", () => {
    expect(hasSignature({ "x-gitlab-token": "x" })).toBe(true);
    expect(hasSignature({ "webhook-signature": "x" })).toBe(true);
    expect(hasSignature({ "x-hub-signature-256": "x" })).toBe(true);
    expect(hasSignature({ "x-gitlab-token": "", authorization: "Bearer x" })).toBe(false);
  });
});
