import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CloneQuota } from "../../../../operator/git/source/clone-quota.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { SourcesHarness } from "./sources-harness.ts";

const mebibyte = 2 ** 20;
const aQuota = (): CloneQuota => new CloneQuota({ cacheBytes: 1_000 * mebibyte });

/** Clones with these sizes, each used by one namespace. */
function filled(sizes: Readonly<Record<string, number>>): CloneQuota {
  const quota = aQuota();
  for (const [namespace, size] of Object.entries(sizes)) {
    quota.join(namespace, namespace);
    quota.note(namespace, size * mebibyte);
  }
  return quota;
}

describe("CloneQuota", () => {
  test("allows one namespace a quarter of the cache, for any number of clones", () => {
    const quota = filled({ shop: 100 });
    quota.join("other", "shop");
    expect(quota.roomOf("other")).toBe(150 * mebibyte);
    quota.note("other", 150 * mebibyte);
    expect(() => quota.roomOf("shop")).toThrow(
      "Cannot fetch the repository: clones of namespace shop take 250 MiB of 250 MiB, all clones 250 MiB of 1000 MiB",
    );
  });

  test("lets a clone grow if another namespace that uses it is below its quota", () => {
    const quota = filled({ bad: 200, shop: 10 });
    quota.join("more", "bad");
    quota.note("more", 50 * mebibyte);
    expect(() => quota.roomOf("more")).toThrow("namespace bad");
    quota.join("more", "shop");
    expect(quota.roomOf("more")).toBe(190 * mebibyte);
  });

  test("reserves space for namespaces with little when others fill the cache", () => {
    const quota = filled({ a: 250, b: 250, c: 200, d: 10 });
    expect(() => quota.roomOf("c")).toThrow("clones of namespace c take 200 MiB");
    expect(quota.roomOf("d") / mebibyte).toBeCloseTo(140);
  });

  test("counts a clone that no Release uses for the namespace that used it last", () => {
    const quota = filled({ bad: 250 });
    quota.leave("bad", "bad");
    quota.join("next", "bad");
    expect(() => quota.roomOf("next")).toThrow("namespace bad");
    quota.forget("bad");
    expect(quota.roomOf("next")).toBe(250 * mebibyte);
  });

  test("no longer counts a clone for a namespace when another one still uses it", () => {
    const quota = filled({ a: 250 });
    quota.join("a", "b");
    quota.leave("a", "a");
    quota.join("next", "a");
    expect(quota.roomOf("next")).toBe(250 * mebibyte);
  });
});

test("a namespace whose clones use its share of the cache fetches no other, and does not block other namespaces", async () => {
  using first = new FakeGitRemote();
  using second = new FakeGitRemote();
  using third = new FakeGitRemote();
  for (const remote of [first, second, third])
    remote.commitByOthers({ a: randomBytes(40_000).toString("base64") });
  await using it = new SourcesHarness(first, { cacheBytes: 200_000 });
  await it.ready("bad/a");
  // A fetch is measured every second: a short one may exceed its limit. The steps are small, so that it is short on a busy machine.
  const isReady = (): boolean => it.ask("bad/b", { url: `file://${second.path}` }).state === "ready";
  await it.until(isReady, { stepMs: 1 });
  const url = `file://${third.path}`;
  const refused = await it.answer("bad/c", { url }, ({ state }) => state === "failed");
  expect(refused).toMatchObject({
    failure: {
      reason: "RenderLimit",
      message: expect.stringContaining("clones of namespace bad take 1 MiB"),
    },
  });
  await it.ready("shop/web", { url });
});
