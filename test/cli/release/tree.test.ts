import { describe, expect, test } from "vitest";
import { buildTree } from "../../../cli/release/build-tree.ts";
import { formatTree } from "../../../cli/release/format-tree.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { assessHealth } from "../../../operator/engine/health/health.ts";

function live(
  apiVersion: string,
  kind: string,
  name: string,
  { owner = "", ...fields }: { owner?: string; [field: string]: unknown } = {},
): LiveObject {
  const ownerReferences = owner === "" ? [] : [{ apiVersion: "v1", kind: "X", name: "x", uid: owner }];
  const metadata = { name, namespace: "shop", uid: `${kind}-${name}`, resourceVersion: "1", ownerReferences };
  return { apiVersion, kind, metadata, ours: true, ...fields };
}

const assess = (object: LiveObject, pods: readonly LiveObject[]) => assessHealth(object, { nowMs: 0, pods });
const build = (input: Partial<Parameters<typeof buildTree>[0]>) =>
  buildTree({
    inventory: [],
    owned: [],
    behind: [],
    finished: new Set(),
    unread: new Map(),
    assess,
    ...input,
  });

const web = live("apps/v1", "Deployment", "web", {
  spec: { replicas: 1 },
  status: { replicas: 1, updatedReplicas: 1 },
});
const replicaSet = live("apps/v1", "ReplicaSet", "web-1", { owner: "Deployment-web", spec: { replicas: 1 } });
const former = live("apps/v1", "ReplicaSet", "web-0", { owner: "Deployment-web", spec: { replicas: 0 } });
const pod = live("v1", "Pod", "web-1-x", { owner: "ReplicaSet-web-1", status: { phase: "Running" } });
const config = live("v1", "ConfigMap", "web");

describe("buildTree()", () => {
  test("shows objects in the order of applying, with the objects that they own", () => {
    const tree = build({ owned: [web, config], behind: [former, pod, replicaSet] });
    expect(tree.map(({ id }) => id)).toEqual(["/ConfigMap/shop/web", "apps/Deployment/shop/web"]);
    const [deployment] = tree.slice(1);
    expect(deployment?.children.map(({ name }) => name)).toEqual(["web-1"]);
    expect(deployment?.children[0]?.children.map(({ name }) => name)).toEqual(["web-1-x"]);
  });

  test("has a node for a missing object, and for one that may not be read", () => {
    const inventory = ["/ConfigMap/shop/web", "/Secret/shop/keys"];
    const tree = build({ inventory, unread: new Map([["/Secret/shop", "you may not"]]) });
    expect(tree.map(({ health, message }) => [health, message])).toEqual([
      ["NotFound", "does not exist"],
      ["Unknown", "you may not"],
    ]);
  });

  test("treats a Job that was deleted after its time to live as healthy", () => {
    const id = "batch/Job/shop/migrate";
    const [node] = build({ inventory: [id], finished: new Set([id]) });
    expect(node).toMatchObject({
      health: "Current",
      message: "finished, and deleted after its time to live",
    });
  });

  test("ends at cyclic owner references", () => {
    const loop = live("v1", "Pod", "loop", { owner: "Pod-loop" });
    const one = {
      ...loop,
      metadata: {
        ...loop.metadata,
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "loop", uid: "ConfigMap-web" }],
      },
    };
    const [node] = build({ owned: [config], behind: [one, loop] });
    expect(node?.children).toHaveLength(1);
  });
});

describe("formatTree()", () => {
  test("pads columns of names and health", () => {
    const lines = formatTree(build({ owned: [config, web], behind: [replicaSet] }), { width: 200 });
    expect(lines[0]).toBe("├─ ConfigMap shop/web   Current");
    expect(lines[1]).toMatch(/^└─ Deployment shop\/web {2}InProgress {2}\S/);
    expect(lines[2]).toMatch(/^ {3}└─ ReplicaSet web-1 +InProgress /);
  });

  test("shows unhealthy objects first, and counts omitted ones", () => {
    const many = Array.from({ length: 100 }, (_, index) => live("v1", "ConfigMap", `c${index + 100}`));
    const tree = build({ owned: many, inventory: ["/ConfigMap/shop/gone"] });
    const lines = formatTree(tree, { width: 120 });
    expect(lines).toHaveLength(16);
    expect(lines.join("\n")).toContain("ConfigMap shop/gone");
    expect(lines.at(-1)).toBe("└─ … and 86 more ConfigMap objects, all healthy (-o json has all)");
  });

  test("keeps within the width of the terminal", () => {
    const long = live("v1", "ConfigMap", "x".repeat(250));
    for (const line of formatTree(build({ owned: [long] }), { width: 40 }))
      expect(line.length).toBeLessThanOrEqual(40);
  });
});
