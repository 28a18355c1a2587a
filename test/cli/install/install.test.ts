import { describe, expect, test } from "vitest";
import { kinds } from "../../../charts/bindings.ts";
import { type InstallOptions, install } from "../../../cli/install/install.ts";
import { InstallClient } from "../../../cli/install/install-client.ts";
import { planInstall } from "../../../cli/install/plan-install.ts";
import { Namespace } from "../../../crds/core-kinds.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";

const chosen = { image: "fairlead:1" };

/** An API server that stores applied objects, without a result of its own. */
function aServer() {
  const objects = new Map<string, string>();
  const requests: string[] = [];
  const send = async ({ method, path, body = "" }: ApiRequest) => {
    requests.push(`${method} ${path}`);
    const [place = "", query = ""] = path.split("?");
    const answer = (status: number, text: string) => ({ status, body: text, retryAfterMs: undefined });
    if (query.includes("labelSelector")) return answer(200, JSON.stringify({ items: [], metadata: {} }));
    if (method === "GET") {
      const missing = { kind: "Status", code: 404, details: { kind: "things" } };
      const found = objects.get(place);
      return found === undefined ? answer(404, JSON.stringify(missing)) : answer(200, found);
    }
    if (!query.includes("dryRun")) objects.set(place, body);
    return answer(200, body);
  };
  const client = new InstallClient({ send });
  const run = (values: object, options: Partial<InstallOptions> = {}) => {
    requests.length = 0;
    return install(planInstall(kinds, { ...chosen, ...values }, { crdsOnly: false }), {
      client,
      report: () => undefined,
      dryRun: false,
      force: false,
      wait: false,
      timeoutMs: 1_000,
      ...options,
    });
  };
  return { objects, requests, run };
}

describe("install()", () => {
  test("validates everything first, and changes nothing in a dry run", async () => {
    const { objects, requests, run } = aServer();
    const planned = await run({}, { dryRun: true });
    expect(objects.size).toBe(0);
    expect(new Set(planned.map(({ did }) => did))).toEqual(new Set(["created"]));
    // Objects in the namespace cannot be checked before it exists; its existence is checked once.
    expect(planned.find(({ title }) => title.startsWith("Deployment"))?.note).toContain("not checked");
    // Once as an object of the installation, once as the namespace of others.
    const looks = requests.filter((request) => request === "GET /api/v1/namespaces/fairlead-system");
    expect(looks).toHaveLength(2);
  });

  test("applies the plan, and finds nothing to change the second time", async () => {
    const { objects, run } = aServer();
    const made = await run({});
    expect(objects.size).toBe(made.length);
    expect(new Set(made.map(({ did }) => did))).toEqual(new Set(["created"]));
    expect(new Set((await run({})).map(({ did }) => did))).toEqual(new Set(["unchanged"]));
  });

  test("shows in a dry run what would change in an object", async () => {
    const { objects, run } = aServer();
    await run({});
    const kept = new Map(objects);
    const changed = (await run({ replicas: 3 }, { dryRun: true })).filter(({ did }) => did !== "unchanged");
    expect(changed).toHaveLength(1);
    expect(changed[0]?.diff).toContain("\n-  replicas: 2\n+  replicas: 3\n");
    expect(objects).toEqual(kept);
  });

  test("refuses a missing namespace before anything is changed", async () => {
    const { objects, run } = aServer();
    await expect(run({ createNamespace: false })).rejects.toThrow(
      /^Cannot install ServiceAccount .*: namespace "fairlead-system" does not exist; create it first$/,
    );
    expect(objects.size).toBe(0);
  });
});

test("InstallClient returns nothing if the user may not list or read and that is allowed, and otherwise fails", async () => {
  const body = JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden", message: "no" });
  const client = new InstallClient({ send: async () => ({ status: 403, body, retryAfterMs: undefined }) });
  expect(await client.listAllowed(Namespace)).toEqual([]);
  expect(await client.listIfAllowed(Namespace)).toBeUndefined();
  expect(await client.readIfAllowed(Namespace, { name: "a" })).toBeUndefined();
  await expect(client.list(Namespace)).rejects.toThrow("namespaces");
  await expect(client.read(Namespace, { name: "a" })).rejects.toThrow("Namespace a");
});
