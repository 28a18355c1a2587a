import { describe, expect, onTestFinished, test } from "vitest";
import { NotLeadingError } from "../../../../operator/errors.ts";
import { isKilled } from "../../../../operator/git/git-errors.ts";
import { readPublishError } from "../../../../operator/git/publish/publish-failure.ts";
import type { ZoneClone } from "../../../../operator/git/publish/zone-clone.ts";
import type { IncomingRequest, Serve } from "../../../../operator/zones/incoming-requests.ts";
import { PublishZoneInProcess } from "../../../fakes/publish-zone.ts";

const commit = "1".repeat(40);
const tree = "a".repeat(40);

/** A clone of a zone that answers as the test defines. */
async function aScriptedZone(lie: Serve) {
  const zone = new PublishZoneInProcess(async (request, back) => {
    if (request.name === "hold")
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
    if (request.name === "open") return { body: { format: "sha1" } };
    return await lie(request, back);
  });
  onTestFinished(() => zone.close());
  const clone = zone.clone({ branch: "main", root: "" });
  await clone.open();
  return { zone, clone };
}

const aCommit = { parent: undefined, message: "m", committedAt: new Date(0), folders: [], files: new Map() };
const calls = {
  head: (clone: ZoneClone) => clone.readHead(),
  has: (clone: ZoneClone) => clone.has(commit),
  fetch: (clone: ZoneClone) => clone.fetch(),
  read: (clone: ZoneClone) => clone.readBranch(commit),
  commit: (clone: ZoneClone) => clone.writeCommit(aCommit),
  push: (clone: ZoneClone) => clone.push({ commit, parent: undefined }),
  rebuild: (clone: ZoneClone) => clone.rebuild("sha1"),
  tidy: (clone: ZoneClone) => clone.tidy(),
};

describe("the operator disconnects a publish zone", () => {
  const aLease = (leaseUid: string) => ({ lease: { leaseUid, transitions: 1 } });
  const anOwner = (cluster: string) => ({ ownerFile: { owner: { cluster, lease: "a/b" } } });
  test.for<{ readonly call: keyof typeof calls; readonly what: string; readonly body: unknown }>([
    { call: "head", what: "an invalid id", body: { head: "../../etc" } },
    { call: "head", what: "an id with a line break", body: { head: `${commit}\n` } },
    { call: "head", what: "an unknown field", body: { head: commit, more: 1 } },
    { call: "has", what: "no answer", body: {} },
    { call: "has", what: "a text instead of a boolean", body: { has: "yes" } },
    { call: "fetch", what: "nothing", body: null },
    { call: "commit", what: "another kind of id", body: { commit: tree.slice(1) } },
    { call: "push", what: "an unknown outcome", body: { push: "forced" } },
    { call: "push", what: "a lock of two lines", body: { push: { lockedBy: "a\nb" } } },
    { call: "rebuild", what: "an unknown hash", body: { format: "md5" } },
    { call: "tidy", what: "unexpected content", body: { commit } },
    { call: "read", what: "an escape sequence in a Lease", body: aLease("\u001b[2J") },
    { call: "read", what: "a long name of a Lease", body: aLease("x".repeat(257)) },
    { call: "read", what: "an owner of two lines", body: anOwner("a\nb") },
    { call: "read", what: "an owner without a Lease", body: { ownerFile: { owner: { cluster: "a" } } } },
  ])("that answers $call with $what", async ({ call, body }) => {
    const { zone, clone } = await aScriptedZone(async () => ({ body }));
    const error: unknown = await calls[call](clone).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: "RepositoryUnreachable" });
    // The answer says nothing about the clone, which is not recreated for it.
    expect(isKilled(error)).toBe(true);
    expect(zone.log.messages("warn")).toContain("Lost the connection to a zone");
    // And the call can be repeated.
    await clone.open();
  });

  const flood = async (send: IncomingRequest["send"], text: string, count = 1): Promise<void> => {
    for (let index = 0; index < count; index++)
      await send({ body: { list: "trees" }, parts: [Buffer.from(text)] });
  };
  test.for<{ readonly what: string; readonly send: (request: IncomingRequest) => Promise<void> }>([
    { what: "a folder outside the layout", send: ({ send }) => flood(send, `${tree} ../x\0`) },
    { what: "half an entry", send: ({ send }) => flood(send, tree) },
    {
      what: "an endless list of folders",
      send: ({ send }) => flood(send, `${tree} a/b.c/d\0`.repeat(999), 10_000),
    },
    { what: "an unknown list", send: ({ send }) => send({ body: { list: "secrets" } }) },
    { what: "a frame that is too large", send: ({ send }) => flood(send, "x".repeat(2 ** 21)) },
  ])("that lists $what", async ({ send }) => {
    const { clone } = await aScriptedZone(async (request) => {
      await send(request);
      return { body: {} };
    });
    await expect(clone.readBranch(commit)).rejects.toMatchObject({ reason: "RepositoryUnreachable" });
  });

  test("that sends items which were not requested", async () => {
    const { clone } = await aScriptedZone(async ({ send }) => {
      await send({ body: { list: "trees" } });
      return { body: { head: commit } };
    });
    await expect(clone.readHead()).rejects.toMatchObject({ reason: "RepositoryUnreachable" });
  });
});

test("a push that the fence stops is not sent", async () => {
  const asked: string[] = [];
  const { clone } = await aScriptedZone(async ({ name }) => {
    asked.push(name);
    return { body: name === "push" ? { push: "pushed" } : {} };
  });
  const stop = (): never => {
    throw new NotLeadingError();
  };
  await expect(clone.push({ commit, parent: undefined }, stop)).rejects.toThrow(NotLeadingError);
  // It does not use the permit of the next one.
  expect(await clone.push({ commit, parent: undefined })).toBe("pushed");
  expect(asked).toEqual(["push"]);
});

describe("an error of the publish zone", () => {
  test.for(["Credentials", "CacheBroken", "ObjectFormat", "PushRefused", "RepositoryUnreachable"])(
    "with the reason %s becomes the error that the publisher handles",
    (reason) => {
      const error = readPublishError({ reason, message: "no: https://ann:secret@host/", killed: false });
      expect(error).toMatchObject({ name: "GitError", reason });
      expect(error.message).toBe("no: https://***@host/");
      expect(isKilled(error)).toBe(false);
    },
  );

  test.for([
    { reason: "Anything", message: "The operator's own token", killed: false },
    { reason: "PushRefused", message: "x".repeat(601), killed: false },
    { reason: "PushRefused", message: "\u001b[2J", killed: false },
    { reason: "PushRefused", message: "no" },
    null,
  ])("is not accepted as %j", (body) => {
    const error = readPublishError(body);
    expect(error).toMatchObject({ reason: "RepositoryUnreachable" });
    expect(error.message).toBe("The process that commits and pushes failed; see its log");
  });
});

test("the operator disconnects a publish zone that reports an unknown layer", async () => {
  const isolation = { landlockAbi: 7, inForce: ["moat"] };
  const zone = new PublishZoneInProcess(async ({ name, send }) => {
    if (name === "hold") await send({ body: { isolation: { own: isolation, git: isolation } } });
    return { body: {} };
  });
  onTestFinished(() => zone.close());
  const link = await zone.connection.link();
  expect(String(await link.closed)).toContain("violated the protocol");
});
