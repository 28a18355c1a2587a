import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { gitHttpServer } from "../fakes/git-http-server.ts";
import { selfSignedCertificate } from "../fakes/self-signed-certificate.ts";
import { eventually, kubectlJson, testCluster } from "./fixture.ts";
import { aHarness, applyResource, untilCondition, type Wanted } from "./harness.ts";
import { install } from "./install.ts";
import { anInspectedGit, SecretValues, watchProcessList } from "./leak-checks.ts";
import { aFolder, type RunningOperator, startOperator } from "./operator.ts";
import type { TestRepository } from "./repository.ts";
import { vault, vaultSecret } from "./vault-kind.ts";

const program = join(import.meta.dirname, "vault-program.ts");
const { definition } = vault;

/** Commands that connect to the remote: git gets a header only through its environment. */
const remoteCommands = ["ls-remote", "fetch", "push", "clone"];

/** A git host that accepts these headers. */
async function aGitHost(repository: TestRepository, authorizations: readonly string[]) {
  const certificate = selfSignedCertificate();
  const server = gitHttpServer({ root: repository.remote.folder, certificate, authorizations });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { ca: certificate.certificate, host: `127.0.0.1:${port}` };
}

function outputOf({ log, output }: RunningOperator): string {
  return [...output, ...log.map((line) => JSON.stringify(line))].join("\n");
}

test("no password, token or Secret appears in a log, an event, a status, a commit or the process list", async () => {
  const secretValues = new SecretValues();
  secretValues.add("child", vaultSecret);
  await install(testCluster(), { kinds: [vault], name: "vaults" });
  const harness = await aHarness({ program, rights: "vaults", publishes: false });
  const { namespace, repository, user } = harness;
  secretValues.add("kubeconfig", parse(readFileSync(user.kubeconfigPath, "utf8")).users[0].user.token);
  const basic = (password: string) => Buffer.from(`robot:${password}`).toString("base64");
  const password = secretValues.create("password");
  const header = secretValues.add("header", `Basic ${basic(password)}`);
  secretValues.add("header", basic(password));
  const token = secretValues.create("bearer");
  const { ca, host } = await aGitHost(repository, [header, `Bearer ${token}`]);
  const credentials = join(await aFolder(), "credentials");
  mkdirSync(credentials);
  const write = (file: string, text: string) => writeFileSync(join(credentials, file), text);
  write("ca.crt", ca);
  write("username", "robot");
  write("password", secretValues.create("wrong-password"));

  // When it succeeds and fails, with the most verbose log
  const processes = watchProcessList();
  const git = await anInspectedGit();
  const args = [
    "--log-level=debug",
    `--repository=https://${host}/remote.git`,
    `--repository-credentials=${credentials}`,
    `--repository-cache=${repository.remote.folder}/cache`,
  ];
  const operator = await harness.start(args, { environment: { PATH: git.path } });
  const statuses: object[] = [];
  const until = async (wanted: Wanted) =>
    void statuses.push(await untilCondition(definition, namespace, wanted));
  const published = { type: "Published", status: "False" };
  await applyResource(definition, namespace, { text: "one" });
  await until({ ...published, reason: "RepositoryUnreachable" });
  write("password", password);
  await until({ type: "Published" });

  const echoed = `remote said https://robot:${password}@${host}/remote.git, Authorization: ${header}, and ${password}`;
  repository.remote.refusePushes(echoed);
  await applyResource(definition, namespace, { text: "two" });
  await until({ ...published, reason: "PushRefused" });
  repository.remote.behave();
  write("bearerToken", token);
  await until({ type: "Published" });
  repository.remote.refusePushes(`no, ${token}`);
  await applyResource(definition, namespace, { text: "three" });
  await until({ ...published, reason: "PushRefused" });
  repository.remote.behave();

  for (const mistake of ["key", "base64", "type"]) {
    await applyResource(definition, namespace, { text: mistake, mistake });
    await until({ type: "Applied", status: "False" });
  }
  await applyResource(definition, namespace, { text: "four" });
  await until({ type: "Published" });
  await eventually(
    () =>
      repository.read(`${namespace}/vaults.secrets.tests.fairlead.dev/web/secret-web.yaml`).includes("four"),
    {
      what: "the last edit is on the branch",
    },
  );
  await operator.stop();

  // Then no output contains any of them
  const events = await kubectlJson(["get", "events.events.k8s.io", "-n", namespace]);
  const { remote } = repository;
  const objects = remote.git(["cat-file", "--batch-all-objects", "--batch", "--buffer"]);
  const commands = git.commands();
  const local = commands.filter(({ name }) => !remoteCommands.includes(name));
  const seen = {
    log: secretValues.foundIn(outputOf(operator)),
    events: secretValues.foundIn(JSON.stringify(events)),
    statuses: secretValues.foundIn(JSON.stringify(statuses)),
    commits: secretValues.foundIn(objects + remote.git(["log", "--format=raw", "-p", "main"])),
    processList: secretValues.foundIn(processes.seen()),
    arguments: secretValues.foundIn(commands.map(({ args }) => args).join("\n")),
    localEnvironments: secretValues.foundIn(local.map(({ environment }) => environment).join("\n")),
  };
  expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((place) => [place, []])));
  // There was output to check.
  expect(outputOf(operator)).toMatch(/\*\*\*/);
  expect(commands.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["push", "ls-remote", "fast-import"]),
  );
  expect(secretValues.foundIn(commands.map(({ environment }) => environment).join("\n"))).not.toContain(
    "kubeconfig",
  );
});

test("an operator that cannot start does not expose password, token and key", async () => {
  const secretValues = new SecretValues();
  const folder = await aFolder();
  const password = secretValues.create("url-password");
  const start = (args: readonly string[], kubeconfigPath?: string) =>
    startOperator({ args: ["--log-level=debug", ...args], ...(kubeconfigPath && { kubeconfigPath }) });
  const refused = await start([`--repository=https://robot:${password}@git.example.dev/env.git`]);
  expect(await refused.untilEnded()).toBe(1);

  // A revoked token, and a rejected key.
  const config = parse(readFileSync(testCluster().operatorKubeconfigPath, "utf8"));
  config.users[0].user = { token: secretValues.create("old-token") };
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(config));
  for (const file of ["identity", "known_hosts"])
    writeFileSync(join(folder, file), `${secretValues.create(file)}\n`, { mode: 0o600 });
  const refusedByServer = await start(
    [
      "--repository=ssh://git@127.0.0.1:1/env.git",
      `--repository-credentials=${folder}`,
      `--repository-cache=${folder}/cache`,
    ],
    kubeconfig,
  );
  await eventually(() => /Unauthorized|401|credentials/i.test(outputOf(refusedByServer)), {
    what: "it is rejected",
  });
  await refusedByServer.stop();
  expect(secretValues.foundIn(outputOf(refused) + outputOf(refusedByServer))).toEqual([]);
});
