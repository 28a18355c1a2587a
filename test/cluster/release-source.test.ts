import { createHmac } from "node:crypto";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { runReconcile } from "../../cli/commands/reconcile.ts";
import type { Screen } from "../../cli/commands/screen.ts";
import { runTree } from "../../cli/commands/tree.ts";
import { gitHttpServer } from "../fakes/git-http-server.ts";
import { selfSignedCertificate } from "../fakes/self-signed-certificate.ts";
import { applyObjects, eventually, kubectl, readObject, testCluster } from "./fixture.ts";
import { aFolder } from "./operator.ts";
import { aConfigMapFile, aReleaseStory, type ReleaseStory } from "./release-story.ts";

const certificate = selfSignedCertificate();
const hookSecret = "what the git host and we share";

/** A repository with TLS on loopback, and a Release of its folder `shop` that polls once an hour. */
async function aHostedStory() {
  const story = await aReleaseStory();
  const authorizations = ["Bearer t0ken"];
  const server = gitHttpServer({ root: story.source.folder, certificate, authorizations });
  const listen = async (port = 0): Promise<number> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await listen();
  const goAway = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(goAway);
  const url = `https://127.0.0.1:${port}/${basename(story.source.path)}`;
  const { namespace } = story;
  const stringData = { bearerToken: "t0ken", "ca.crt": certificate.certificate };
  await applyObjects({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "git", namespace },
    stringData,
  });
  const secrets = await aFolder();
  writeFileSync(join(secrets, "shop"), hookSecret);
  const first = story.commit({ "shop/a.json": aConfigMapFile("a", { colour: "blue" }) });
  const operator = await story.start(["--hook-bind-address=127.0.0.1:0", `--hook-secrets=${secrets}`]);
  const source = { url, path: "shop", secretRef: { name: "git" } };
  await story.release("shop", { source, interval: "1h" });
  await story.untilAt("shop", first);
  const post = async (): Promise<void> => {
    const listening = operator.log.find(({ serves }) => serves === "hooks");
    const body = JSON.stringify({ repository: { clone_url: url } });
    const signature = createHmac("sha256", hookSecret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    await fetch(`http://${listening?.["address"]}/hooks/shop`, { method: "POST", headers, body });
  };
  return { ...story, source, repository: story.source, authorizations, post, goAway, listen, port };
}

const flagsOf = ({ namespace }: Pick<ReleaseStory, "namespace">) => ({
  kubeconfig: testCluster().kubeconfigPath,
  namespace,
});

/** Runs a command, and returns its output. */
async function said(run: (screen: Screen) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  await run({ print, withProgress: (_, work) => work(() => {}) });
  return lines.join("\n");
}

const reconcile = (story: ReleaseStory, timeout = "1m") =>
  said((screen) => runReconcile("shop", { ...flagsOf(story), wait: true, timeout }, screen));
const columnsOf = async ({ namespace }: ReleaseStory): Promise<string> =>
  (await kubectl(["get", "release", "shop", "-n", namespace, "--no-headers"])).replaceAll(/ +/g, " ");
const colourOf = async ({ namespace }: ReleaseStory): Promise<unknown> =>
  (await readObject<{ data: { colour: string } }>("configmaps", "a", namespace))?.data.colour;

test("a renamed folder makes a Release not ready, and a push that restores it is noticed at once", async () => {
  const it = await aHostedStory();
  const story = { ...it, source: it.repository };
  const file = aConfigMapFile("a", { colour: "blue" });
  story.commit({ "shop/a.json": undefined, "moved/a.json": file });
  await expect(reconcile(story)).rejects.toThrow(/SourceNotFound: Cannot find the folder "shop"/);
  await story.until("shop", { status: "False", reason: "SourceNotFound", message: /stays deployed/ });
  await story.until("shop", { type: "Stalled", status: "True", reason: "SourceNotFound" });
  expect(await columnsOf(story)).toMatch(/ False SourceNotFound /);
  expect(await said((screen) => runTree("shop", { ...flagsOf(story), kinds }, screen))).toMatch(
    /is not ready \(SourceNotFound\) at .*\n {2}Cannot find the folder/,
  );

  // Deployed objects are kept in sync.
  await kubectl([
    ...["patch", "cm", "a", "-n", story.namespace],
    ...["--type=merge", "-p", '{"data":{"colour":"red"}}'],
  ]);
  await eventually(async () => (await colourOf(story)) === "blue", { what: "the hand edit is undone" });
  await story.until("shop", { type: "Healthy", status: "True" });

  // The same for a folder that never existed.
  await story.release("late", { source: { ...it.source, path: "late" }, interval: "1h" });
  await story.until("late", { status: "False", reason: "SourceNotFound" });
  story.commit({ "shop/a.json": file, "late/b.json": aConfigMapFile("b", {}) });
  await it.post();
  await story.until("shop", { status: "True", reason: "Reconciled" });
  await story.until("late", { status: "True", reason: "Reconciled" });
});

test("an expired token and a deleted repository make a Release not ready, and do not affect others", async () => {
  const it = await aHostedStory();
  const story = { ...it, source: it.repository };
  it.authorizations.length = 0;
  await expect(reconcile(story)).rejects.toThrow(/SourceRefused/);
  await story.until("shop", { status: "False", reason: "SourceRefused" });

  it.authorizations.push("Bearer t0ken");
  renameSync(it.repository.path, `${it.repository.path}.gone`);
  await story.until("shop", {
    status: "False",
    reason: "SourceNotFound",
    message: /repository does not exist/,
  });
  await expect(reconcile(story)).rejects.toThrow(/SourceNotFound/);

  renameSync(`${it.repository.path}.gone`, it.repository.path);
  story.commit({ "app/app.json": aConfigMapFile("app", {}), "shop/a.json": undefined });
  await expect(reconcile(story)).rejects.toThrow(/Cannot find the folder/);
  await story.release("app", { dependsOn: [{ name: "shop" }] });
  await story.until("app", { status: "True" });
  await story.until("shop", { status: "False", reason: "SourceNotFound" });
});

test("a Release stays ready in a short outage, and does not in a long one", async () => {
  const it = await aHostedStory();
  const story = { ...it, source: it.repository };
  it.goAway();
  await expect(reconcile(story, "3s")).rejects.toThrow(/source of Release .*SourceUnreachable/);
  await story.until("shop", { type: "Sourced", status: "False", reason: "SourceUnreachable" });
  await story.until("shop", { status: "True", reason: "Reconciled" });
  expect(await said((screen) => runTree("shop", { ...flagsOf(story), kinds }, screen))).toMatch(
    /is Ready at .*, source unavailable \(SourceUnreachable\)\n {2}Cannot reach the repository/,
  );

  // As if it had started ten minutes ago.
  const release = await story.until("shop", { type: "Sourced", status: "False" });
  const conditions = release.status?.conditions?.map((condition) =>
    condition.type === "Sourced"
      ? { ...condition, lastTransitionTime: new Date(Date.now() - 600_000).toISOString() }
      : condition,
  );
  const patch = JSON.stringify({ status: { conditions } });
  await kubectl([
    ...["patch", "release", "shop", "-n", story.namespace, "--subresource=status"],
    ...["--type=merge", "-p", patch],
  ]);
  await story.until("shop", { status: "False", reason: "SourceUnreachable", message: /stays deployed/ });
  await story.until("shop", { type: "Reconciling", status: "True", reason: "SourceUnreachable" });
  await story.until("shop", { type: "Healthy", status: "True" });

  await it.listen(it.port);
  await story.until("shop", { status: "True", reason: "Reconciled" });
});

test("a pinned or suspended Release reports what it ignores", async () => {
  const story = await aReleaseStory();
  const first = story.commit({ "shop/a.json": aConfigMapFile("a", { colour: "blue" }) });
  await story.start();
  await story.release("shop", { revision: first });
  await story.until("shop", {
    status: "True",
    message: /Pinned to \w{12} by spec.revision: branch main is ignored$/,
  });
  expect(await columnsOf(story)).toMatch(/ branch main True Reconciled /);
  await kubectl([
    ...["patch", "release", "shop", "-n", story.namespace],
    ...["--type=merge", "-p", '{"spec":{"suspend":true}}'],
  ]);
  await story.until("shop", {
    status: "True",
    reason: "Suspended",
    message: /ignores branch main, edits/,
  });
  expect(await columnsOf(story)).toMatch(/ everything True Suspended /);
  await kubectl([
    ...["patch", "release", "shop", "-n", story.namespace],
    ...["--type=merge", "-p", '{"spec":{"suspend":false,"revision":null}}'],
  ]);
  await story.until("shop", { status: "True", reason: "Reconciled", message: /in place$/ });
  expect(await columnsOf(story)).toMatch(/^shop \w{12} True Reconciled /);
});

test("kubectl waits for a commit of a folder, also for one that changes no object, and a push writes one status", async () => {
  const story = await aReleaseStory();
  const { namespace } = story;
  const names = Array.from({ length: 12 }, (_, index) => `folder-${index}`);
  const files = names.map((name) => [`${name}/map.json`, aConfigMapFile(name, { colour: "blue" })]);
  const first = story.commit(Object.fromEntries(files));
  await story.start();
  for (const name of names) await story.release(name);
  for (const name of names) await story.untilAt(name, first);

  const waitFor = async (name: string): Promise<void> => {
    const log = ["log", "-1", "--first-parent", "--format=%H", "main", "--", name];
    const commit = story.source.git(log).trim();
    const path = `--for=jsonpath={.status.deployed.revision}=${commit}`;
    await kubectl(["wait", `release/${name}`, "-n", namespace, path, "--timeout=30s"]);
  };
  const statusWrites = async (since: Date): Promise<readonly string[]> =>
    (await story.writes(since)).filter((write) => write.includes("releases"));

  const quiet = new Date();
  story.commit({ "folder-3/notes.md": "Nothing that is applied" });
  await waitFor("folder-3");
  expect(await statusWrites(quiet)).toEqual(["patch releases/status folder-3 200"]);

  const edit = new Date();
  story.commit({ "folder-4/map.json": aConfigMapFile("folder-4", { colour: "red" }) });
  await waitFor("folder-4");
  const bad = story.commit({ "elsewhere/notes.md": "No Release has this" });
  const parent = story.source.commitOn(bad, { "folder-5/map.json": "{" });
  story.source.resetTo(
    story.source.commitOn(parent, { "folder-5/map.json": JSON.stringify(files[5]?.[1], undefined, 2) }),
  );
  await waitFor("folder-5");
  expect(await statusWrites(edit)).toEqual([
    "patch releases/status folder-4 200",
    "patch releases/status folder-5 200",
  ]);
});
