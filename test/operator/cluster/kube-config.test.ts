import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { type LoadClusterAccessOptions, loadClusterAccess } from "../../../operator/cluster/kube-config.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kube-config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

interface ConfigParts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly current?: string | undefined;
}

function aConfig({
  cluster = {},
  user = { token: "t" },
  context = {},
  current = "shop",
}: ConfigParts = {}): string {
  return stringify({
    clusters: [{ name: "c", cluster: { server: "https://api.shop.example:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "shop", context: { cluster: "c", user: "u", ...context } }],
    ...(current !== "" && { "current-context": current }),
  });
}

async function load(text: string, options: Partial<LoadClusterAccessOptions> = {}) {
  const folder = await aFolder();
  const kubeconfig = join(folder, "config");
  await writeFile(kubeconfig, text);
  return {
    folder,
    access: await loadClusterAccess({ kubeconfig, env: {}, clock: new FakeClock(), ...options }),
  };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("loadClusterAccess()", () => {
  test.for([
    { by: "token", user: { token: "secret" }, authorization: "Bearer secret", tls: {} },
    {
      by: "name and password",
      user: { username: "me", password: "pass" },
      authorization: `Basic ${base64("me:pass")}`,
      tls: {},
    },
    {
      by: "client certificate",
      user: { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY") },
      authorization: undefined,
      tls: { cert: "CERT", key: "KEY" },
    },
  ])("reads a user with $by", async ({ user, authorization, tls }) => {
    const cluster = { "certificate-authority-data": base64("CA") };
    const { access } = await load(aConfig({ user, cluster, context: { namespace: "shop" } }));
    expect(access.server.href).toBe("https://api.shop.example:6443/");
    expect(access).toMatchObject({ namespace: "shop", verifiesServer: true });
    expect(await access.authorization()).toBe(authorization);
    expect(await access.tls()).toEqual({ ca: "CA", ...tls });
  });

  test("finds files relative to the kubeconfig, and reads them again", async () => {
    const clock = new FakeClock();
    const text = aConfig({ user: { tokenFile: "token" }, cluster: { "certificate-authority": "ca.crt" } });
    const { folder, access } = await load(text, { clock });
    await writeFile(join(folder, "token"), "first\n");
    await writeFile(join(folder, "ca.crt"), "CA 1");
    expect(await access.authorization()).toBe("Bearer first");
    expect(await access.tls()).toEqual({ ca: "CA 1" });
    await writeFile(join(folder, "token"), "second\n");
    await writeFile(join(folder, "ca.crt"), "CA 2");
    expect(await access.authorization()).toBe("Bearer first");
    expect(await access.tls()).toEqual({ ca: "CA 2" });
    await clock.advance(60_000);
    expect(await access.authorization()).toBe("Bearer second");
    await writeFile(join(folder, "token"), "third");
    access.forget();
    expect(await access.authorization()).toBe("Bearer third");
  });

  test("uses tls-server-name and insecure-skip-tls-verify", async () => {
    const cluster = { "tls-server-name": "inner.example", "insecure-skip-tls-verify": true };
    const { access } = await load(aConfig({ cluster }));
    expect(access).toMatchObject({ servername: "inner.example", verifiesServer: false });
  });

  test("merges the files of KUBECONFIG, and ignores a missing one", async () => {
    const folder = await aFolder();
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    await writeFile(first, stringify({ "current-context": "shop" }));
    await writeFile(second, aConfig({ current: "other" }));
    const env = { KUBECONFIG: [first, join(folder, "none"), second].join(delimiter) };
    const access = await loadClusterAccess({ env, clock: new FakeClock() });
    expect(access.server.host).toBe("api.shop.example:6443");
  });

  test("uses the pod's service account inside a cluster", async () => {
    const serviceAccountFolder = await aFolder();
    await writeFile(join(serviceAccountFolder, "token"), "pod-token");
    await writeFile(join(serviceAccountFolder, "ca.crt"), "CA");
    await writeFile(join(serviceAccountFolder, "namespace"), "fairlead-system");
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443", HOME: "/nowhere" };
    const access = await loadClusterAccess({ env, clock: new FakeClock(), serviceAccountFolder });
    expect(access.server.href).toBe("https://[fd00::1]/");
    expect(access.namespace).toBe("fairlead-system");
    expect(await access.authorization()).toBe("Bearer pod-token");
    expect(await access.tls()).toEqual({ ca: "CA" });
  });

  test("uses the file in the home folder last", async () => {
    await expect(loadClusterAccess({ env: { HOME: "/nowhere" }, clock: new FakeClock() })).rejects.toThrow(
      'Cannot read kubeconfig "/nowhere/.kube/config": no such file',
    );
  });

  test.for([
    {
      when: "there is no current context",
      text: aConfig({ current: "" }),
      says: /no current context; choose one with --context \(it has shop\)$/,
    },
    {
      when: "the context does not exist",
      text: aConfig({ current: "other" }),
      says: /it has no context "other"$/,
    },
    {
      when: "the cluster does not exist",
      text: aConfig({ context: { cluster: "gone" } }),
      says: /it has no cluster "gone"$/,
    },
    {
      when: "the user does not exist",
      text: aConfig({ context: { user: "gone" } }),
      says: /it has no user "gone"$/,
    },
    {
      when: "the server is no URL",
      text: aConfig({ cluster: { server: "nowhere" } }),
      says: /server "nowhere" is not a URL$/,
    },
    ...["as", "as-uid", "as-groups", "as-user-extra"].map((field) => ({
      when: `its user acts as another one by ${field}`,
      text: aConfig({ user: { token: "secret", [field]: "ann" } }),
      says: /its user acts as another one \(as\), which is not supported; use credentials of that user$/,
    })),
    {
      when: "there is a proxy",
      text: aConfig({ cluster: { "proxy-url": "http://proxy" } }),
      says: /proxy-url is not supported/,
    },
    { when: "the file is no YAML", text: "token: [secret", says: /it is not YAML$/ },
    { when: "the file is empty", text: "", says: /it has no contexts/ },
  ])("reports that $when", async ({ text, says }) => {
    const error = await load(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "ClusterAccessError", message: expect.stringMatching(says) });
    expect(String(error)).not.toContain("secret");
  });

  test.for([
    { noProxy: undefined, works: false },
    { noProxy: "other.example", works: false },
    { noProxy: "localhost,.shop.example", works: true },
    { noProxy: "api.shop.example", works: true },
    { noProxy: "*", works: true },
  ])(
    "refuses a proxy of the environment unless NO_PROXY exempts the server: $noProxy",
    async ({ noProxy, works }) => {
      const env = { HTTPS_PROXY: "http://user:secret@proxy", NO_PROXY: noProxy };
      const loading = load(aConfig(), { env });
      if (works) await loading;
      else await expect(loading).rejects.toThrow('add "api.shop.example" to NO_PROXY, or unset HTTPS_PROXY');
    },
  );

  test("exempts a network of NO_PROXY", async () => {
    const env = { HTTPS_PROXY: "http://proxy", NO_PROXY: "10.96.0.0/12" };
    await load(aConfig({ cluster: { server: "https://10.97.0.1" } }), { env });
    await expect(load(aConfig({ cluster: { server: "https://10.112.0.1" } }), { env })).rejects.toThrow(
      "NO_PROXY",
    );
  });

  test("uses the client library for an exec plugin", async () => {
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "from-program" },
    };
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", `console.log(${JSON.stringify(JSON.stringify(credential))})`],
      interactiveMode: "Never",
    };
    const { access } = await load(aConfig({ user: { exec }, context: { namespace: "shop" } }));
    expect(await access.authorization()).toBe("Bearer from-program");
    expect(access.namespace).toBe("shop");
  });
});
