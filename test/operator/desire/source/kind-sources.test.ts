import { describe, expect, test } from "vitest";
import type { ReleaseRule } from "../../../../crds/release-policy.ts";
import { ImpersonationError } from "../../../../operator/cluster/impersonation.ts";
import type { SelectedRules } from "../../../../operator/desire/release/limits.ts";
import { SourceError } from "../../../../operator/errors.ts";
import { aCommit, aRevision, limitsOf } from "../../../fakes/releases.ts";
import { aScene, key, type SceneOptions, url } from "./kind-source-scene.ts";

describe("the sources of a kind", () => {
  test("are requested by a key that contains the kind, with the annotation that requests a poll", async () => {
    const { ask, asked } = aScene({ wish: { url, ref: { tag: "v1" }, path: "web", intervalMs: 5_000 } });
    expect(await ask()).toEqual({ state: { state: "pending" } });
    expect(asked).toMatchObject([
      { key, source: { url, ref: { tag: "v1" }, path: "web" }, intervalMs: 5_000, requestedAt: "now" },
    ]);
  });

  test("are polled every minute by default, and not more often than once a second", async () => {
    const usual = aScene();
    await usual.ask();
    const eager = aScene({ wish: { url, intervalMs: 1 } });
    await eager.ask();
    expect([...usual.asked, ...eager.asked].map(({ intervalMs }) => intervalMs)).toEqual([60_000, 1_000]);
  });

  test("contain the head, the commit that changed the folder, its tree and the last error", async () => {
    const scene = aScene();
    const stale = { reason: "SourceUnreachable", message: "no answer" } as const;
    const revision = { ...aRevision("2", "tree-1"), isAssumed: true };
    scene.state = { state: "ready", revision, handledRequest: "now", stale };
    expect(await scene.ask()).toEqual({
      state: {
        state: "ready",
        head: aCommit("2"),
        changed: aCommit("1"),
        isAssumed: true,
        tree: "tree-1",
        handledRequest: "now",
        stale,
      },
    });
  });

  test("keep the reported head while nothing else changes", async () => {
    const scene = aScene();
    scene.state = { state: "ready", revision: aRevision("1"), handledRequest: undefined };
    const { state } = await scene.ask();
    scene.state = { state: "ready", revision: aRevision("2", "tree-1"), handledRequest: undefined };
    expect((await scene.ask()).state).toBe(state);
  });

  test("contain the reason why there is no head", async () => {
    const scene = aScene();
    const failure = { reason: "SourceNotFound", message: "no branch main" } as const;
    scene.state = { state: "failed", failure, handledRequest: "now" };
    expect(await scene.ask()).toEqual({ state: { state: "failed", ...failure, handledRequest: "now" } });
  });

  test("are dropped when the resource no longer follows one, and when it is deleted", async () => {
    const { ask, sources, asked, forgotten } = aScene({ wish: undefined });
    expect(await ask()).toEqual({ state: undefined });
    sources.forget("shop/web");
    expect([asked, forgotten]).toEqual([[], [key, key]]);
  });

  test("cannot be used if the kind returns something else", async () => {
    const { ask, asked, forgotten } = aScene({ wish: { url: "" } });
    expect(await ask()).toMatchObject({ state: { state: "failed", reason: "SourceInvalid" } });
    const failing = aScene({
      more: {
        of: () => {
          throw new Error("spec.url is missing");
        },
      },
    });
    const message = expect.stringContaining("spec.url is missing");
    expect(await failing.ask()).toMatchObject({ state: { reason: "SourceInvalid", message } });
    expect([...asked, ...failing.asked]).toEqual([]);
    // The earlier source of the spec is no longer polled.
    expect([...forgotten, ...failing.forgotten]).toEqual([key, key]);
  });
});

describe("the platform's rules for the source of a kind", () => {
  const known = (...rules: readonly ReleaseRule[]): SelectedRules => ({
    state: "known",
    limits: limitsOf(...rules),
  });

  test.for([
    {
      does: "a repository",
      rules: known({ sources: ["https://git.example.dev/other/"] }),
      says: "it does not allow",
    },
    {
      does: "a commit without signature",
      rules: known({ verify: { required: true } }),
      says: "must be signed",
    },
    {
      does: "every source while the policies cannot be evaluated",
      rules: { state: "undecidable", message: "Cannot decide" } as const,
      says: "Cannot decide",
    },
  ])("refuse $does before anything is fetched or read", async ({ rules, says }) => {
    const { ask, asked, read, forgotten } = aScene({ rules, wish: { url, secretRef: { name: "git" } } });
    const { state } = await ask();
    expect(state).toMatchObject({ reason: "PolicyRefused", message: expect.stringContaining(says) });
    expect([asked, read, forgotten]).toEqual([[], [], [key]]);
  });

  test("refuse addresses of the operator's own node", async () => {
    const { ask } = aScene({ wish: { url: "https://127.0.0.1/x" } });
    expect(await ask()).toMatchObject({
      state: {
        message: expect.stringMatching(/^Refused by default: source.url .* or change the BuildInfo$/),
      },
    });
  });

  test("are awaited", async () => {
    const { ask, asked } = aScene({
      rules: { state: "pending", message: "Waiting for Namespace shop to be observed" },
    });
    expect(await ask()).toEqual({ state: { state: "pending" } });
    expect(asked).toEqual([]);
  });

  test("limit the repository, and name the keys that may sign", async () => {
    const rules = known({
      quotas: { repositoryBytes: 1_000 },
      verify: { required: true, keys: ["ssh-ed25519 A"] },
    });
    const { ask, asked } = aScene({ rules });
    await ask();
    expect(asked).toMatchObject([{ repositoryBytes: 1_000, signers: new Map([["0.pub", "ssh-ed25519 A"]]) }]);
  });
});

describe("the Secrets of the source of a kind", () => {
  const wish = { url, secretRef: { name: "git" }, verify: { secretRef: { name: "keys" } } };

  const act = { deployer: (): string => "deployer", reader: (): string => "reader" };
  test.for<{ readonly by: string; readonly options: SceneOptions; readonly as: string }>([
    { by: "the operator", options: {}, as: "operator" },
    { by: "the account of the policy", options: { policy: { actAs: act.deployer } }, as: "shop/deployer" },
    {
      by: "the account of the source before that of the policy",
      options: { policy: { actAs: act.deployer }, more: { actAs: act.reader } },
      as: "shop/reader",
    },
  ])("are read in the resource's namespace by $by", async ({ options, as }) => {
    const { ask, asked, read } = aScene({ wish, ...options });
    await ask();
    expect(read).toEqual([`shop/git as ${as}`, `shop/keys as ${as}`]);
    const data = new Map([["password", "s3cr3t"]]);
    expect(asked).toMatchObject([{ credentials: data, signers: data }]);
  });

  test("are requested again while they are missing", async () => {
    const scene = aScene({ wish: { ...wish, intervalMs: 5_000 } });
    scene.secret = async () => {
      throw new SourceError("SourceInvalid", "no Secret");
    };
    expect(await scene.ask()).toEqual({
      state: { state: "failed", reason: "SourceInvalid", message: "no Secret" },
      retryAfterMs: 5_000,
    });
    // What is known about the source is kept.
    expect(scene.forgotten).toEqual([]);
  });

  test("are not read as an account that cannot be impersonated, and the error is reported", async () => {
    const scene = aScene({ wish });
    scene.secret = async () => {
      throw new ImpersonationError("Cannot impersonate");
    };
    expect(await scene.ask()).toEqual({
      state: { state: "failed", reason: "SourceInvalid", message: "Cannot impersonate" },
    });
  });

  test("are read again after the remote has refused them", async () => {
    const scene = aScene({ wish });
    const failure = { reason: "SourceRefused", message: "wrong password" } as const;
    scene.state = { state: "failed", failure };
    expect(await scene.ask()).toMatchObject({ state: { reason: "SourceRefused" }, retryAfterMs: 60_000 });
    expect(scene.forgotten).toEqual(["secret shop/git"]);
  });

  test("are read again after the remote has refused them, also if a revision is known", async () => {
    const scene = aScene({ wish });
    const stale = { reason: "SourceRefused", message: "expired" } as const;
    scene.state = { state: "ready", revision: aRevision("1"), handledRequest: undefined, stale };
    expect(await scene.ask()).toMatchObject({ state: { state: "ready", stale }, retryAfterMs: 60_000 });
    expect(scene.forgotten).toEqual(["secret shop/git"]);
  });
});
