import { describe, expect, test } from "vitest";
import {
  holderOf,
  ImpersonationError,
  impersonationHeaders,
} from "../../../operator/cluster/impersonation.ts";
import { KubeCluster } from "../../../operator/cluster/kube-cluster.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { aConfigMap, configMaps, scriptedCluster } from "./fixture.ts";

const who = { namespace: "shop", serviceAccountName: "deployer" };
const holder = holderOf(["fairlead-system", "fairlead"], "fairlead-6c9d-2xkqp");
const create = { mode: "create" } as const;

describe("impersonationHeaders()", () => {
  test("contain the ServiceAccount and the instance, and not the groups, which the API server adds", () => {
    expect(impersonationHeaders(who, holder)).toEqual({
      "impersonate-user": "system:serviceaccount:shop:deployer",
      "impersonate-extra-fairlead.dev%2Fholder": "fairlead-system/fairlead/fairlead-6c9d-2xkqp",
    });
  });

  test.for<[string, Partial<typeof who>]>([
    ["no name", { serviceAccountName: "" }],
    ["no namespace", { namespace: "" }],
    ["a name that is undefined at run time", { serviceAccountName: undefined as unknown as string }],
    ["a name with a colon, which is another account's", { serviceAccountName: "a:b" }],
    ["a namespace with a colon", { namespace: "kube-system:x" }],
    ["a line break", { serviceAccountName: "deployer\r\nimpersonate-group: system:masters" }],
    ["a line break at the end", { serviceAccountName: "deployer\n" }],
    ["a wildcard", { serviceAccountName: "*" }],
    ["capitals", { serviceAccountName: "Deployer" }],
    ["a name that is too long", { serviceAccountName: "a".repeat(254) }],
    ["a namespace that is too long", { namespace: "a".repeat(64) }],
  ])("are rejected, and never omitted, for %s", ([, odd]) => {
    expect(() => impersonationHeaders({ ...who, ...odd }, holder)).toThrow(ImpersonationError);
  });

  test.for([undefined, "", "pod", "ns/name/", "ns/name/pod\r\nx: y", "ns/name/po d", "/name/pod"])(
    "are rejected if the instance has no identity: %j",
    (odd) => {
      expect(() => impersonationHeaders(who, odd)).toThrow(/has no name to send/);
    },
  );
});

describe("KubeCluster.as()", () => {
  async function aCluster() {
    const server = await scriptedCluster();
    server.server.script = (_request, answer) => answer.json(200, aConfigMap("a"));
    const clock = systemClock();
    const cluster = new KubeCluster({ transport: server.transport, clock, fence: { check() {} }, holder });
    const users = () => server.server.requests.map(({ headers }) => headers["impersonate-user"]);
    return { server, cluster, users, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  }
  const ref = { kind: configMaps, namespace: "shop", name: "a" };

  test("sends every type of request with the permissions of the ServiceAccount", async () => {
    await using scene = await aCluster();
    const bound = scene.cluster.until(new AbortController().signal).as(who);
    const live = await bound.apply(configMaps, aConfigMap("a"), create);
    await bound.read(ref);
    await bound.patchStatus(ref, "uid", {});
    await bound.patchMetadata(ref, {});
    await bound.takeOverFields(configMaps, live);
    await bound.delete(ref, { uid: "uid", propagation: "Background" });
    await bound.as(who).until(new AbortController().signal).read(ref);
    expect(new Set(scene.users())).toEqual(new Set(["system:serviceaccount:shop:deployer"]));
    expect(scene.users()).toHaveLength(7);
    expect(scene.server.server.requests[0]?.headers["authorization"]).toBe("Bearer scripted-token");
    // The other headers of an apply stay.
    expect(scene.server.server.requests[0]?.headers["content-type"]).toBe("application/apply-patch+yaml");
  });

  test("sends the requests of a plan with the same permissions, as dry runs", async () => {
    await using scene = await aCluster();
    const dry = scene.cluster.as(who).until(new AbortController().signal).dryRun();
    await dry.apply(configMaps, aConfigMap("a"), create);
    await dry.read(ref);
    expect(new Set(scene.users())).toEqual(new Set(["system:serviceaccount:shop:deployer"]));
    expect(
      scene.server.server.requests.map(({ method, query }) => `${method} ${query.get("dryRun")}`),
    ).toEqual(["PATCH All", "GET null"]);
  });

  test("changes nothing for others, and can be undone", async () => {
    await using scene = await aCluster();
    const bound = scene.cluster.as(who);
    await scene.cluster.read(ref);
    await bound.as(undefined).read(ref);
    expect(scene.users()).toEqual([undefined, undefined]);
    await bound.as({ ...who, serviceAccountName: "other" }).read(ref);
    expect(scene.users().at(-1)).toBe("system:serviceaccount:shop:other");
  });

  test("sends no request with an invalid name", async () => {
    await using scene = await aCluster();
    expect(() => scene.cluster.as({ ...who, serviceAccountName: "" })).toThrow(ImpersonationError);
    expect(scene.users()).toEqual([]);
  });
});
