import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type GitHttpServerOptions, gitHttpServer } from "../../../fakes/git-http-server.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { selfSignedCertificate } from "../../../fakes/self-signed-certificate.ts";
import { type AskOptions, readAll, SourcesHarness } from "./sources-harness.ts";

const certificate = selfSignedCertificate();
const ca = { "ca.crt": certificate.certificate };
const password = "hunter2 €/%:@";
const basic = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
const bearer = "Bearer t0ken";

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Serves a repository with TLS on loopback, for clients with the password or the token. */
async function behindHttps(remote: FakeGitRemote, options: Partial<GitHttpServerOptions> = {}) {
  const seen: (string | undefined)[] = [];
  const server = gitHttpServer({
    root: remote.folder,
    certificate,
    authorizations: [basic, bearer],
    onRequest: ({ authorization }) => void seen.push(authorization),
    ...options,
  });
  return { url: `https://127.0.0.1:${await listening(server)}/${basename(remote.path)}`, seen };
}

test.for([
  { with: "a password", credentials: { username: "me", password, ...ca }, sends: basic },
  { with: "a token", credentials: { bearerToken: "t0ken\n", ...ca }, sends: bearer },
])(
  "over https a repository is read with $with, from the first request on",
  async ({ credentials, sends }) => {
    using remote = new FakeGitRemote();
    remote.git(["config", "uploadpack.allowFilter", "true"]);
    remote.commitByOthers({ "a/x": "1", big: "b".repeat(2_000) });
    const host = await behindHttps(remote);
    await using it = new SourcesHarness(remote, { limits: { fileBytes: 1_000 } });
    const options = { url: host.url, credentials, path: "a" };

    expect(await readAll(await it.ready("a", options))).toEqual({ x: "1" });
    const head = remote.commitByOthers({ "a/x": "2" });
    it.sources.refresh({ url: host.url });
    const next = await it.ready("a", options, (revision) => revision.head.id === head);

    expect(await readAll(next)).toEqual({ x: "2" });
    expect(new Set(host.seen)).toEqual(new Set([sends]));
  },
);

test.for([
  {
    fault: "a wrong password",
    credentials: { username: "me", password: "wr0ng", ...ca },
    reason: "SourceRefused",
  },
  { fault: "no credentials", credentials: ca, reason: "SourceRefused" },
  {
    fault: "a certificate that nobody vouches for",
    credentials: { bearerToken: "t0ken" },
    reason: "SourceRefused",
  },
  { fault: "half a password", credentials: { username: "me", ...ca }, reason: "SourceInvalid" },
  {
    fault: "a token with a header",
    credentials: { bearerToken: "t0ken\r\nX: y", ...ca },
    reason: "SourceInvalid",
  },
])("$fault is reported clearly, and without the secret", async ({ credentials, reason }) => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const host = await behindHttps(remote);
  await using it = new SourcesHarness(remote);
  const state = await it.answer("a", { url: host.url, credentials });
  expect(state).toMatchObject({ state: "failed", failure: { reason } });
  const words = JSON.stringify([state, it.log.entries]);
  for (const secret of ["t0ken", "wr0ng", Buffer.from("me:wr0ng").toString("base64")])
    expect(words).not.toContain(secret);
});

test("another tenant's clone of the same repository is not used", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const host = await behindHttps(remote);
  await using it = new SourcesHarness(remote);
  const own = await it.ready("a", { url: host.url, credentials: { bearerToken: "t0ken", ...ca } });
  const other = await it.ready("b", { url: host.url, credentials: { username: "me", password, ...ca } });
  const thief = await it.answer("c", { url: host.url, credentials: { bearerToken: "guess", ...ca } });
  expect(other.repositoryId).not.toBe(own.repositoryId);
  expect(thief).toMatchObject({ failure: { reason: "SourceRefused" } });
});

test("the target of a redirect does not get the credentials, and the redirect is reported", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const target = await behindHttps(remote);
  const redirecting = createServer(
    { cert: certificate.certificate, key: certificate.key },
    (request, response) => {
      const { origin } = new URL(target.url);
      response
        .writeHead(302, { location: `${origin.replace("127.0.0.1", "localhost")}${request.url}` })
        .end();
    },
  );
  const url = `https://127.0.0.1:${await listening(redirecting)}/${basename(remote.path)}`;
  await using it = new SourcesHarness(remote);
  const state = await it.answer("a", { url, credentials: { bearerToken: "t0ken", ...ca } });
  expect(state).toMatchObject({
    failure: { reason: "SourceInvalid", message: expect.stringContaining("redirects") },
  });
  expect(target.seen).toEqual([]);
});

test.for([
  { says: "no such commit", id: "1".repeat(40), state: "failed" },
  { says: "an old commit", id: undefined, state: "ready" },
])("if the host does not serve commits by id, the history is searched: $says", async ({ id, state }) => {
  using remote = new FakeGitRemote();
  const old = remote.commitByOthers({ x: "1" });
  remote.commitByOthers({ x: "2" });
  const host = await behindHttps(remote, { oldProtocol: true });
  await using it = new SourcesHarness(remote);
  const options: AskOptions = {
    url: host.url,
    credentials: { bearerToken: "t0ken", ...ca },
    ref: { commit: id ?? old },
  };
  const answer = await it.answer("a", options);
  expect(answer.state).toBe(state);
  if (answer.state === "ready") expect(await readAll(answer.revision)).toEqual({ x: "1" });
  else expect(answer).toMatchObject({ failure: { reason: "SourceNotFound" } });
});

test("a host with only the dumb HTTP protocol is supported", async () => {
  using remote = new FakeGitRemote();
  const old = remote.commitByOthers({ x: "1" });
  const plain = createServer({ cert: certificate.certificate, key: certificate.key }, (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "https://host");
    try {
      response.end(readFileSync(join(remote.path, pathname)));
    } catch {
      response.writeHead(404).end();
    }
  });
  const url = `https://127.0.0.1:${await listening(plain)}/`;
  remote.git(["update-server-info"]);
  await using it = new SourcesHarness(remote);
  expect(await readAll(await it.ready("a", { url, credentials: ca }))).toEqual({ x: "1" });

  const head = remote.commitByOthers({ x: "2" });
  remote.git(["update-server-info"]);
  it.sources.refresh({ url });
  const next = await it.ready("a", { url, credentials: ca }, (revision) => revision.head.id === head);
  expect(await readAll(next)).toEqual({ x: "2" });
  expect(await readAll(await it.ready("b", { url, credentials: ca, revision: old }))).toEqual({ x: "1" });
});

test("a host that does not respond in time causes a timeout", async () => {
  using remote = new FakeGitRemote();
  const silent = createServer({ cert: certificate.certificate, key: certificate.key }, () => undefined);
  const url = `https://127.0.0.1:${await listening(silent)}/x.git`;
  await using it = new SourcesHarness(remote, { timeoutMs: 20_000 });
  expect(await it.answer("a", { url, credentials: ca })).toMatchObject({
    failure: { reason: "SourceUnreachable", message: expect.stringContaining("no output for 20 s") },
  });
});

test.for([403, 500])("the body of a response with status %i is in no message", async (status) => {
  using remote = new FakeGitRemote();
  const options = { cert: certificate.certificate, key: certificate.key };
  const inside = createServer(options, (_, response) => {
    response.writeHead(status, { "content-type": "text/plain" }).end("token=PRIVATE\r\nfatal: PRIVATE\n");
  });
  const url = `https://127.0.0.1:${await listening(inside)}/latest/meta-data`;
  await using it = new SourcesHarness(remote);
  const state = await it.answer("a", { url, credentials: ca });
  expect(state).toMatchObject({
    failure: { message: expect.stringContaining(`HTTP status ${status}`) },
  });
  expect(JSON.stringify([state, it.log.entries])).not.toContain("PRIVATE");
});
