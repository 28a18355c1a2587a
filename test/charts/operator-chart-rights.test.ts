import { App } from "cdk8s";
import { describe, expect, test } from "vitest";
import { OperatorChart } from "../../charts/operator-chart.ts";
import { configOf, type Made, the } from "./operator-install.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const productWith = (releases: object): readonly Made[] =>
  new OperatorChart(new App(), "operator", { kinds: [], values: { image: "fairlead:1", releases } }).toJson();
const rulesOf = (objects: readonly Made[]) => the("ClusterRole", objects)["rules"] as readonly Rule[];

describe("the operator's rights for Releases", () => {
  test("are to watch, and to act as the account that each Release must name", () => {
    const objects = productWith({});
    const writes = rulesOf(objects).filter(({ verbs }) =>
      verbs.some((verb) => verb !== "list" && verb !== "watch"),
    );
    expect(
      writes.map(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs].join(" ")),
    ).toEqual([
      "authentication.k8s.io userextras/fairlead.dev/holder impersonate",
      "events.k8s.io events create patch",
      "fairlead.dev releases list watch patch",
      "fairlead.dev releases/status patch",
      " serviceaccounts impersonate",
    ]);
    expect(rulesOf(objects).flatMap(({ resources }) => resources)).toEqual(
      expect.arrayContaining(["deployments", "configmaps", "ingresses", "serviceaccounts"]),
    );
    expect(configOf(objects)).toMatchObject({ releases: true, releaseRequireServiceAccount: true });
  });

  test("are to deploy the common kinds where no account is required", () => {
    const objects = productWith({ requireServiceAccount: false });
    expect(rulesOf(objects)).toContainEqual({
      apiGroups: ["networking.k8s.io"],
      resources: ["ingresses"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    });
    expect(configOf(objects).releaseRequireServiceAccount).toBe(false);
  });
});
