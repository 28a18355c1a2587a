import { describe, expect, test } from "vitest";
import { Secret } from "../../../../crds/core-kinds.ts";
import type { LiveObject } from "../../../../crds/object.ts";
import { createSecretReader } from "../../../../operator/cluster/found-kinds/secret-reader.ts";
import { ApiUnavailableError } from "../../../../operator/errors.ts";
import type { Cluster, Impersonation, ObjectRef } from "../../../../operator/ports.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { aLiveObject } from "../../../fakes/objects.ts";

const ref = { namespace: "shop", name: "git" };
const asItself = { as: undefined, maxAgeMs: 60_000 };
const deployer = { namespace: "shop", serviceAccountName: "deployer" };

function aReader() {
  const clock = new FakeClock();
  const requests: string[] = [];
  let answer: () => LiveObject | undefined = () => aSecret({ username: "ana", password: "s3cr3t" });
  const cluster = {
    as: (who: Impersonation | undefined) => ({
      read: async ({ namespace, name }: ObjectRef) => {
        requests.push(`${namespace}/${name} as ${who?.serviceAccountName ?? "operator"}`);
        return answer();
      },
    }),
  } as unknown as Cluster;
  const reader = createSecretReader({
    cluster,
    clock,
    remedy: ", or the Release needs a serviceAccountName that may",
  });
  const answers = (next: typeof answer): void => {
    answer = next;
  };
  return { reader, clock, requests, answers };
}

function aSecret(texts: Readonly<Record<string, string>>): LiveObject {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  return aLiveObject({ kind: Secret, name: "git", fields: { data } });
}

describe("the reader of Secrets", () => {
  test("reads a Secret once for all callers within its maximum age, and decodes it", async () => {
    const { reader, clock, requests } = aReader();
    const found = await Promise.all([reader.read(ref, asItself), reader.read(ref, asItself)]);
    expect([...(found[0] ?? [])]).toEqual([
      ["username", "ana"],
      ["password", "s3cr3t"],
    ]);
    expect(found[1]).toBe(found[0]);
    await clock.advance(59_000);
    await reader.read(ref, asItself);
    expect(requests).toHaveLength(1);
    await clock.advance(2_000);
    await reader.read(ref, asItself);
    expect(requests).toHaveLength(2);
  });

  test("never returns to one account a Secret that another one read", async () => {
    const { reader, requests, answers } = aReader();
    await reader.read(ref, asItself);
    answers(() => {
      throw new ApiUnavailableError('Cannot read "/Secret/shop/git": user "deployer" may not get "secrets"', {
        status: 403,
      });
    });
    await expect(reader.read(ref, { as: deployer, maxAgeMs: 60_000 })).rejects.toMatchObject({
      name: "SourceError",
      reason: "SourceInvalid",
      message: 'Secret "shop/git" cannot be read: user "deployer" may not get "secrets"',
    });
    expect(requests).toEqual(["shop/git as operator", "shop/git as deployer"]);
  });

  test("reports the operator's own missing permission with the value that grants it", async () => {
    const { reader, answers } = aReader();
    answers(() => {
      throw new ApiUnavailableError('Cannot read "x": user "o" may not get "secrets"', { status: 403 });
    });
    await expect(reader.read(ref, asItself)).rejects.toThrow(/value releases\.readSecrets/);
  });

  test("reads again at once after a failure, and after a reset", async () => {
    const { reader, requests, answers } = aReader();
    answers(() => undefined);
    await expect(reader.read(ref, asItself)).rejects.toMatchObject({
      reason: "SourceInvalid",
      message: expect.stringContaining('"shop/git" does not exist'),
    });
    const outage = new ApiUnavailableError("no answer", { status: 503 });
    answers(() => {
      throw outage;
    });
    // A temporary failure is not a failure of the Release.
    await expect(reader.read(ref, asItself)).rejects.toBe(outage);
    answers(() => aSecret({ password: "new" }));
    await reader.read(ref, asItself);
    await reader.read(ref, asItself);
    expect(requests).toHaveLength(3);
    reader.forget(ref);
    await reader.read(ref, asItself);
    expect(requests).toHaveLength(4);
  });

  test("keeps no Secret for longer than ten minutes once another one is read", async () => {
    const { reader, clock, requests } = aReader();
    await reader.read(ref, { as: undefined, maxAgeMs: Number.POSITIVE_INFINITY });
    await clock.advance(600_000);
    await reader.read(ref, { as: undefined, maxAgeMs: Number.POSITIVE_INFINITY });
    expect(requests).toHaveLength(2);
  });
});
