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
import { aConfigMapFile, aReleaseHarness, type ReleaseHarness } from "./release-harness.ts";

const certificate = selfSignedCertificate();
const hookSecret = "what the git host and we share";

/** A repository with TLS on loopback, and a Release of its folder `shop` that polls once an hour. */
async function aHostedHarness() {
  const harness = await aReleaseHarness();
  const authorizations = ["Bearer t0ken"];
  const server = gitHttpServer({ root: harness.source.folder, certificate, authorizations });
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
  const url = `https://127.0.0.1:${port}/${basename(harness.source.path)}`;
  const { namespace } = harness;
  const stringData = { bearerToken: "t0ken", "ca.crt": certificate.certificate };
  await applyObjects({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "git", namespace },
    stringData,
  });
  const secrets = await aFolder();
  writeFileSync(join(secrets, "shop"), hookSecret);
  const first = harness.commit({ "shop/a.json": aConfigMapFile("a", { colour: "blue" }) });
  const operator = await harness.start(["--hook-bind-address=127.0.0.1:0", `--hook-secrets=${secrets}`]);
  const source = { url, path: "shop", secretRef: { name: "git" } };
  await harness.release("shop", { source, interval: "1h" });
  await harness.untilAt("shop", first);
  const post = async (): Promise<void> => {
    const listening = operator.log.find(({ serves }) => serves === "hooks");
    const body = JSON.stringify({ repository: { clone_url: url } });
    const signature = createHmac("sha256", hookSecret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    await fetch(`http://${listening?.["address"]}/hooks/shop`, { method: "POST", headers, body });
  };
  return { harness, source, authorizations, post, goAway, listen, port };
}

const flagsOf = ({ namespace }: Pick<ReleaseHarness, "namespace">) => ({
  kubeconfig: testCluster().kubeconfigPath,
  namespace,
});

/** Runs a command, and returns its output. */
async function outputOf(run: (screen: Screen) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  await run({ print, withProgress: (_, work) => work(() => {}) });
  return lines.join("\n");
}

const reconcile = (harness: ReleaseHarness, timeout = "1m") =>
  outputOf((screen) => runReconcile("shop", { ...flagsOf(harness), wait: true, timeout }, screen));
const columnsOf = async ({ namespace }: ReleaseHarness): Promise<string> =>
  (await kubectl(["get", "release", "shop", "-n", namespace, "--no-headers"])).replaceAll(/ +/g, " ");
const colourOf = async ({ namespace }: ReleaseHarness): Promise<unknown> =>
  (await readObject<{ data: { colour: string } }>("configmaps", "a", namespace))?.data.colour;

test("a renamed folder makes a Release not ready, and a push that restores it is noticed at once", async () => {
  const { harness, ...it } = await aHostedHarness();
  const file = aConfigMapFile("a", { colour: "blue" });
  harness.commit({ "shop/a.json": undefined, "moved/a.json": file });
  await expect(reconcile(harness)).rejects.toThrow(/SourceNotFound: Cannot find the folder "shop"/);
  await harness.until("shop", { status: "False", reason: "SourceNotFound", message: /stays deployed/ });
  await harness.until("shop", { type: "Stalled", status: "True", reason: "SourceNotFound" });
  expect(await columnsOf(harness)).toMatch(/ False SourceNotFound /);
  expect(await outputOf((screen) => runTree("shop", { ...flagsOf(harness), kinds }, screen))).toMatch(
    /is not ready \(SourceNotFound\) at .*\n {2}Cannot find the folder/,
  );

  // Deployed objects are kept in sync.
  await kubectl([
    ...["patch", "cm", "a", "-n", harness.namespace],
    ...["--type=merge", "-p", '{"data":{"colour":"red"}}'],
  ]);
  await eventually(async () => (await colourOf(harness)) === "blue", { what: "the manual edit is reverted" });
  await harness.until("shop", { type: "Healthy", status: "True" });

  // The same for a folder that never existed.
  await harness.release("late", { source: { ...it.source, path: "late" }, interval: "1h" });
  await harness.until("late", { status: "False", reason: "SourceNotFound" });
  harness.commit({ "shop/a.json": file, "late/b.json": aConfigMapFile("b", {}) });
  await it.post();
  await harness.until("shop", { status: "True", reason: "Reconciled" });
  await harness.until("late", { status: "True", reason: "Reconciled" });
});

test("an expired token and a deleted repository make a Release not ready, and do not affect others", async () => {
  const { harness, ...it } = await aHostedHarness();
  it.authorizations.length = 0;
  await expect(reconcile(harness)).rejects.toThrow(/SourceRefused/);
  await harness.until("shop", { status: "False", reason: "SourceRefused" });

  it.authorizations.push("Bearer t0ken");
  renameSync(harness.source.path, `${harness.source.path}.gone`);
  await harness.until("shop", {
    status: "False",
    reason: "SourceNotFound",
    message: /repository does not exist/,
  });
  await expect(reconcile(harness)).rejects.toThrow(/SourceNotFound/);

  renameSync(`${harness.source.path}.gone`, harness.source.path);
  harness.commit({ "app/app.json": aConfigMapFile("app", {}), "shop/a.json": undefined });
  await expect(reconcile(harness)).rejects.toThrow(/Cannot find the folder/);
  await harness.release("app", { dependsOn: [{ name: "shop" }] });
  await harness.until("app", { status: "True" });
  await harness.until("shop", { status: "False", reason: "SourceNotFound" });
});

test("a Release stays ready in a short outage, and does not in a long one", async () => {
  const { harness, ...it } = await aHostedHarness();
  it.goAway();
  await expect(reconcile(harness, "3s")).rejects.toThrow(/source of Release .*SourceUnreachable/);
  await harness.until("shop", { type: "Sourced", status: "False", reason: "SourceUnreachable" });
  await harness.until("shop", { status: "True", reason: "Reconciled" });
  expect(await outputOf((screen) => runTree("shop", { ...flagsOf(harness), kinds }, screen))).toMatch(
    /is Ready at .*, source unavailable \(SourceUnreachable\)\n {2}Cannot reach the repository/,
  );

  // As if it had started ten minutes ago.
  const release = await harness.until("shop", { type: "Sourced", status: "False" });
  const conditions = release.status?.conditions?.map((condition) =>
    condition.type === "Sourced"
      ? { ...condition, lastTransitionTime: new Date(Date.now() - 600_000).toISOString() }
      : condition,
  );
  const patch = JSON.stringify({ status: { conditions } });
  await kubectl([
    ...["patch", "release", "shop", "-n", harness.namespace, "--subresource=status"],
    ...["--type=merge", "-p", patch],
  ]);
  await harness.until("shop", { status: "False", reason: "SourceUnreachable", message: /stays deployed/ });
  await harness.until("shop", { type: "Reconciling", status: "True", reason: "SourceUnreachable" });
  await harness.until("shop", { type: "Healthy", status: "True" });

  await it.listen(it.port);
  await harness.until("shop", { status: "True", reason: "Reconciled" });
});

test("a pinned or suspended Release reports what it ignores", async () => {
  const harness = await aReleaseHarness();
  const first = harness.commit({ "shop/a.json": aConfigMapFile("a", { colour: "blue" }) });
  await harness.start();
  await harness.release("shop", { revision: first });
  await harness.until("shop", {
    status: "True",
    message: /Pinned to \w{12} by spec.revision: branch main is ignored$/,
  });
  expect(await columnsOf(harness)).toMatch(/ branch main True Reconciled /);
  await kubectl([
    ...["patch", "release", "shop", "-n", harness.namespace],
    ...["--type=merge", "-p", '{"spec":{"suspend":true}}'],
  ]);
  await harness.until("shop", {
    status: "True",
    reason: "Suspended",
    message: /ignores branch main, edits/,
  });
  expect(await columnsOf(harness)).toMatch(/ everything True Suspended /);
  await kubectl([
    ...["patch", "release", "shop", "-n", harness.namespace],
    ...["--type=merge", "-p", '{"spec":{"suspend":false,"revision":null}}'],
  ]);
  await harness.until("shop", { status: "True", reason: "Reconciled", message: /in place$/ });
  expect(await columnsOf(harness)).toMatch(/^shop \w{12} True Reconciled /);
});

test("kubectl waits for a commit of a folder, also for one that changes no object, and a push writes one status", async () => {
  const harness = await aReleaseHarness();
  const { namespace } = harness;
  const names = Array.from({ length: 12 }, (_, index) => `folder-${index}`);
  const files = names.map((name) => [`${name}/map.json`, aConfigMapFile(name, { colour: "blue" })]);
  const first = harness.commit(Object.fromEntries(files));
  await harness.start();
  for (const name of names) await harness.release(name);
  for (const name of names) await harness.untilAt(name, first);

  const waitFor = async (name: string): Promise<void> => {
    const log = ["log", "-1", "--first-parent", "--format=%H", "main", "--", name];
    const commit = harness.source.git(log).trim();
    const path = `--for=jsonpath={.status.deployed.revision}=${commit}`;
    await kubectl(["wait", `release/${name}`, "-n", namespace, path, "--timeout=180s"]);
  };
  const statusWrites = async (since: Date): Promise<readonly string[]> =>
    (await harness.writes(since)).filter((write) => write.includes("releases"));

  const quiet = new Date();
  harness.commit({ "folder-3/notes.md": "Nothing that is applied" });
  await waitFor("folder-3");
  expect(await statusWrites(quiet)).toEqual(["patch releases/status folder-3 200"]);

  const edit = new Date();
  harness.commit({ "folder-4/map.json": aConfigMapFile("folder-4", { colour: "red" }) });
  await waitFor("folder-4");
  const bad = harness.commit({ "elsewhere/notes.md": "No Release has this" });
  const parent = harness.source.commitOn(bad, { "folder-5/map.json": "{" });
  harness.source.resetTo(
    harness.source.commitOn(parent, { "folder-5/map.json": JSON.stringify(files[5]?.[1], undefined, 2) }),
  );
  await waitFor("folder-5");
  expect(await statusWrites(edit)).toEqual([
    "patch releases/status folder-4 200",
    "patch releases/status folder-5 200",
  ]);
});
