import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitHttpServer } from "../../fakes/git-http-server.ts";
import { FakeGitRemote } from "../../fakes/git-remote.ts";
import { selfSignedCertificate } from "../../fakes/self-signed-certificate.ts";
import { anOffer, PublisherHarness } from "./publish/publisher-harness.ts";

const certificate = selfSignedCertificate();
const password = "hunter2 €/%:@";
const basic = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
const bearer = "Bearer t0ken";

interface Host {
  readonly url: string;
  /** The received Authorization headers. */
  readonly seen: (string | undefined)[];
}

/** Serves a repository with TLS on loopback, for clients with the password or the token. */
async function behindHttps(remote: FakeGitRemote): Promise<Host> {
  const seen: (string | undefined)[] = [];
  const server = gitHttpServer({
    root: remote.folder,
    certificate,
    authorizations: [basic, bearer],
    onRequest: ({ authorization }) => void seen.push(authorization),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/${basename(remote.path)}`, seen };
}

function secretIn(remote: FakeGitRemote, files: Readonly<Record<string, string>>): string {
  const directory = join(remote.folder, "secret");
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

test.for([
  { with: "a password", files: { username: "me", password }, sends: basic },
  { with: "a token", files: { bearerToken: "t0ken" }, sends: bearer },
])("pushes to an https remote with its own certificate, with $with", async ({ files, sends }) => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "README.md": "hello" });
  const host = await behindHttps(remote);
  const credentialsDirectory = secretIn(remote, { ...files, "ca.crt": certificate.certificate });
  await using it = await new PublisherHarness(remote, {
    repository: host.url,
    credentialsDirectory,
  }).started();

  const [record] = await it.untilPublished(anOffer());

  expect(record?.commit).toBe(remote.head());
  expect(remote.commits()).toBe(2);
  // From the first request on, without a challenge by the server.
  expect(new Set(host.seen)).toEqual(new Set([sends]));
});

test("a commit of several megabytes is pushed", async () => {
  using remote = new FakeGitRemote();
  const host = await behindHttps(remote);
  const credentialsDirectory = secretIn(remote, { bearerToken: "t0ken", "ca.crt": certificate.certificate });
  await using it = await new PublisherHarness(remote, {
    repository: host.url,
    credentialsDirectory,
  }).started();
  // Larger than git's http.postBuffer of 1 MiB, and not compressible below it.
  const text = Array.from({ length: 60_000 }, () => crypto.randomUUID()).join("\n");

  await it.untilPublished(anOffer({ files: { "configmap-big.yaml": text } }));

  const path = remote.paths().find((name) => name.endsWith("configmap-big.yaml"));
  expect(Number(remote.git(["cat-file", "-s", `main:${path}`]))).toBe(text.length);
});

test.for([
  { fault: "a certificate that nobody vouches for", files: { bearerToken: "t0ken" }, hears: false },
  {
    fault: "a wrong password",
    files: { username: "me", password: "wr0ng", "ca.crt": certificate.certificate },
    hears: true,
  },
])("$fault makes the remote unreachable, and no message contains the secret", async ({ files, hears }) => {
  using remote = new FakeGitRemote();
  const host = await behindHttps(remote);
  const credentialsDirectory = secretIn(remote, files);
  await using it = new PublisherHarness(remote, { repository: host.url, credentialsDirectory });
  it.publisher.start();

  await it.until(() => it.publish(anOffer()).state === "failed");

  const state = it.publish(anOffer());
  expect(state).toMatchObject({ state: "failed", reason: "RepositoryUnreachable" });
  const words = JSON.stringify([state, it.logged]);
  for (const secret of ["t0ken", "wr0ng", Buffer.from("me:wr0ng").toString("base64")]) {
    expect(words).not.toContain(secret);
  }
  expect(host.seen.length > 0).toBe(hears);
  expect(remote.head()).toBeUndefined();
});

test("a redirecting host receives no data, and neither does the target: git would send the token there", async () => {
  using remote = new FakeGitRemote();
  const target = await behindHttps(remote);
  const redirecting = createServer(
    { cert: certificate.certificate, key: certificate.key },
    ({ url }, response) => response.writeHead(302, { location: `${new URL(target.url).origin}${url}` }).end(),
  ).listen(0, "127.0.0.1");
  onTestFinished(() => void redirecting.close());
  await once(redirecting, "listening");
  const { port } = redirecting.address() as AddressInfo;
  await using it = new PublisherHarness(remote, {
    repository: `https://127.0.0.1:${port}/${basename(remote.path)}`,
    credentialsDirectory: secretIn(remote, { bearerToken: "t0ken", "ca.crt": certificate.certificate }),
  });
  it.publisher.start();

  await it.until(() => it.publish(anOffer()).state === "failed");

  expect(it.publish(anOffer())).toMatchObject({ reason: "RepositoryUnreachable" });
  expect(target.seen).toEqual([]);
});
