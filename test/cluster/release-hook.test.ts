import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { runDiff } from "../../cli/commands/diff.ts";
import { runReconcile } from "../../cli/commands/reconcile.ts";
import { gitHttpServer } from "../fakes/git-http-server.ts";
import type { FakeGitRemote } from "../fakes/git-remote.ts";
import { selfSignedCertificate } from "../fakes/self-signed-certificate.ts";
import { applyObjects, testCluster } from "./fixture.ts";
import { aFolder } from "./operator.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

const certificate = selfSignedCertificate();
const hookSecret = "what the git host and we share";

/** Serves a repository with TLS on loopback, for clients with the token. */
async function behindHttps(remote: FakeGitRemote): Promise<string> {
  const server = gitHttpServer({ root: remote.folder, certificate, authorizations: ["Bearer t0ken"] });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/${basename(remote.path)}`;
}

test("a Release that polls once an hour is deployed at once by a hook, and by a command", async () => {
  const harness = await aReleaseHarness();
  const { commit, namespace } = harness;
  const url = await behindHttps(harness.source);
  const metadata = { name: "git", namespace };
  const stringData = { bearerToken: "t0ken", "ca.crt": certificate.certificate };
  await applyObjects({ apiVersion: "v1", kind: "Secret", metadata, stringData });
  const secrets = await aFolder();
  writeFileSync(join(secrets, "shop"), hookSecret);
  const first = commit({ "shop/a.json": aConfigMapFile("a", { colour: "blue" }) });
  const operator = await harness.start(["--hook-bind-address=127.0.0.1:0", `--hook-secrets=${secrets}`]);
  await harness.release("shop", {
    source: { url, path: "shop", secretRef: { name: "git" } },
    interval: "1h",
  });
  await harness.untilAt("shop", first);

  const post = async (signature: string, body: string) => {
    const listening = operator.log.find(
      ({ message, serves }) => message === "Listening" && serves === "hooks",
    );
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    return (await fetch(`http://${listening?.["address"]}/hooks/shop`, { method: "POST", headers, body }))
      .status;
  };
  // The host names the repository by ssh, and the Release by https.
  const body = JSON.stringify({
    ref: "refs/heads/main",
    repository: { ssh_url: `git@127.0.0.1:${basename(url)}` },
  });
  const second = commit({ "shop/a.json": aConfigMapFile("a", { colour: "green" }) });
  expect(await post("0".repeat(64), body)).toBe(401);
  expect(await post(createHmac("sha256", hookSecret).update(body).digest("hex"), body)).toBe(202);
  await harness.untilAt("shop", second);

  const third = commit({ "shop/a.json": aConfigMapFile("a", { colour: "red" }) });
  const flags = { kubeconfig: testCluster().kubeconfigPath, namespace };
  const lines: string[] = [];
  const screen = {
    print: (line: string) => void lines.push(line),
    withProgress: <T>(_: string, work: (report: (line: string) => void) => Promise<T>) => work(() => {}),
  };
  expect(await runDiff("shop", { ...flags, kinds }, screen)).toBe(1);
  expect(lines.join("\n")).toContain("-  colour: green\n+  colour: red");
  await runReconcile("shop", { ...flags, wait: true }, screen);
  expect(lines.at(-1)).toContain(`is Ready at ${third.slice(0, 10)}`);
});
