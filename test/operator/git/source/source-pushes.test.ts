import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitHttpServer } from "../../../fakes/git-http-server.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { selfSignedCertificate } from "../../../fakes/self-signed-certificate.ts";
import { type AskOptions, SourcesHarness } from "./sources-harness.ts";

const certificate = selfSignedCertificate();
const credentials = { bearerToken: "t0ken", "ca.crt": certificate.certificate };
const main = "refs/heads/main";

/** A git host, on which refs are reported as pushed. Counts the commands of git that ask it. */
async function aHost(remote: FakeGitRemote) {
  let commands = 0;
  const server = gitHttpServer({
    root: remote.folder,
    certificate,
    authorizations: ["Bearer t0ken"],
    onRequest: ({ url }) => {
      if (url.includes("/info/refs")) commands++;
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/${basename(remote.path)}`;
  const it = new SourcesHarness(remote);
  onTestFinished(() => it.sources.close());
  const asked: AskOptions = { url, credentials, intervalMs: 3_600_000 };
  return { it, url, asked, commands: () => commands };
}

test("a pushed branch that is the only one wanted is fetched with one command", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ x: "1" });
  const { it, url, asked, commands } = await aHost(remote);
  await it.ready("a", asked);
  await it.ready("pinned", { ...asked, revision: first });
  const before = commands();

  const second = remote.commitByOthers({ x: "2" });
  it.sources.refresh({ url, pushed: main });
  const revision = await it.ready("a", asked, ({ head }) => head.id === second);

  expect(revision).toMatchObject({ changed: { id: second }, isAssumed: false });
  expect(commands() - before).toBe(1);
  expect(it.sources.stats).toMatchObject({ polls: 2, fetches: 2 });
});

test.for([
  { but: "another branch was pushed", pushed: "refs/heads/next" },
  { but: "the sender does not name the branch", pushed: undefined },
  { but: "another branch is wanted too", pushed: main, also: { ref: { branch: "next" } } },
  { but: "a range of tags is wanted too", pushed: main, also: { ref: { semver: "1.x" } } },
])("after a push, everything is polled if $but", async ({ pushed, also }) => {
  using remote = new FakeGitRemote();
  remote.resetTo(remote.commitByOthers({ x: "1" }), "next");
  remote.git(["tag", "v1.0.0", "main"]);
  const { it, url, asked, commands } = await aHost(remote);
  await it.ready("a", asked);
  if (also !== undefined) await it.ready("b", { ...asked, ...also });
  const [before, { polls }] = [commands(), { ...it.sources.stats }];

  const second = remote.commitByOthers({ x: "2" });
  it.sources.refresh({ url, pushed });
  await it.ready("a", asked, ({ head }) => head.id === second);

  expect(commands() - before).toBe(2);
  expect(it.sources.stats.polls - polls).toBe(1);
});

test("a deleted branch that is reported as pushed is reported as missing, with the names of others", async () => {
  using remote = new FakeGitRemote();
  remote.resetTo(remote.commitByOthers({ x: "1" }), "mainly");
  const { it, url, asked } = await aHost(remote);
  const { head } = await it.ready("a", asked);

  remote.git(["update-ref", "-d", main]);
  it.sources.refresh({ url, pushed: main });

  const isStale = { revision: { head }, stale: { reason: "SourceNotFound" } };
  const state = await it.answer("a", asked, (now) => now.state === "ready" && now.stale !== undefined);
  expect(state).toMatchObject(isStale);
  expect(JSON.stringify(state)).toContain("mainly");
});

test("a rewritten branch that is reported as pushed gets its new commit", async () => {
  using remote = new FakeGitRemote();
  const root = remote.commitByOthers({ x: "1" });
  remote.commitByOthers({ x: "2" });
  const { it, url, asked, commands } = await aHost(remote);
  await it.ready("a", asked);
  const before = commands();

  const rewritten = remote.commitOn(root, { x: "3" });
  remote.resetTo(rewritten);
  it.sources.refresh({ url, pushed: main });

  await it.ready("a", asked, ({ head }) => head.id === rewritten);
  expect(commands() - before).toBe(1);
});

test("a push that is reported while the host refuses access is reported, and is seen afterwards", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const { it, url, asked } = await aHost(remote);
  await it.ready("a", asked);

  remote.vanish();
  it.sources.refresh({ url, pushed: main });
  await it.answer("a", asked, (now) => now.state === "ready" && now.stale !== undefined);
  remote.behave();
  const second = remote.commitByOthers({ x: "2" });

  await it.ready("a", asked, ({ head }) => head.id === second);
});
