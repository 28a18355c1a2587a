import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "cdk8s";
import { describe, expect, test } from "vitest";
import { shippedKinds } from "../../charts/bindings-delivery.ts";
import { productChart } from "../../charts/install-chart.ts";
import { OperatorChart } from "../../charts/operator-chart.ts";
import { buildInfo } from "../examples/build-info.ts";
import { configOf, type Made, the } from "./operator-install.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface PolicySpec {
  readonly validations: readonly unknown[];
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
}

const productWith = (releases: object): readonly Made[] =>
  new OperatorChart(new App(), "operator", { kinds: [], values: { image: "fairlead:1", releases } }).toJson();
const rulesOf = (objects: readonly Made[]) => the("ClusterRole", objects)["rules"] as readonly Rule[];

describe("the operator's rights for Releases", () => {
  test("allow watching, and acting as the account that each Release must have", () => {
    const objects = productWith({});
    const writes = rulesOf(objects).filter(({ verbs }) =>
      verbs.some((verb) => verb !== "list" && verb !== "watch"),
    );
    expect(
      writes.map(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs].join(" ")),
    ).toEqual([
      "authentication.k8s.io userextras/fairlead.dev/holder impersonate",
      "events.k8s.io events create patch",
      "fairlead.dev releases get list watch patch",
      "fairlead.dev releases/status patch",
      " serviceaccounts impersonate",
    ]);
    expect(rulesOf(objects).flatMap(({ resources }) => resources)).toEqual(
      expect.arrayContaining(["deployments", "configmaps", "ingresses", "serviceaccounts"]),
    );
    expect(configOf(objects)).toMatchObject({ releases: true, releaseRequireServiceAccount: true });
  });

  test("allow deploying the common kinds if no account is required", () => {
    const objects = productWith({ requireServiceAccount: false });
    expect(rulesOf(objects)).toContainEqual({
      apiGroups: ["networking.k8s.io"],
      resources: ["ingresses"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    });
    expect(configOf(objects).releaseRequireServiceAccount).toBe(false);
  });
});

describe("the Secret for the key of records", () => {
  const secretIn = (objects: readonly Made[]) => objects.filter(({ kind }) => kind === "Secret");

  test("has no key, which the operator adds, and is the only one that the operator may read", () => {
    const [secret, ...others] = secretIn(productWith({}));
    expect(others).toEqual([]);
    expect(secret).toMatchObject({
      metadata: { name: "fairlead-records", namespace: "fairlead-system" },
      type: "Opaque",
    });
    expect(secret).not.toHaveProperty("data");
    const role = productWith({}).find(
      ({ kind, metadata }) => kind === "Role" && metadata.name === "fairlead-records",
    );
    expect(role).toMatchObject({
      metadata: { namespace: "fairlead-system" },
      rules: [
        {
          apiGroups: [""],
          resources: ["secrets"],
          resourceNames: ["fairlead-records"],
          verbs: ["get", "patch"],
        },
      ],
    });
  });

  test("does not exist without Releases", () => {
    expect(secretIn(productWith({ enabled: false }))).toEqual([]);
  });
});

describe("the operator's rights for a kind that follows a git source", () => {
  const secretsOf = (releases: object) => {
    const values = { image: "fairlead:1", releases };
    const objects: readonly Made[] = new OperatorChart(new App(), "operator", {
      kinds: [buildInfo],
      values,
    }).toJson();
    return rulesOf(objects).filter(({ resources }) => resources.includes("secrets"));
  };

  test("do not allow reading Secrets", () => {
    expect(secretsOf({})).toEqual([]);
  });

  test("allow reading Secrets, and not listing them, if the platform enables it", () => {
    expect(secretsOf({ readSecrets: true })).toEqual([
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
    ]);
  });
});

function installedByDefault(releases: object = {}): readonly Made[] {
  const app = new App();
  productChart(app, { kinds: shippedKinds, values: { image: "fairlead:1", releases } });
  return app.charts.flatMap((chart) => chart.toJson() as Made[]);
}

describe("an installation without Pipelines", () => {
  test("has no permission to write an object of a Release", () => {
    const writes = rulesOf(installedByDefault({ pipelines: false })).filter(({ verbs }) =>
      verbs.some((verb) => ["create", "update", "patch", "delete"].includes(verb)),
    );
    expect(writes.flatMap(({ resources }) => resources)).toEqual(["events", "releases", "releases/status"]);
  });

  test("has no permission on Pipelines, Promotions, Approvals and Freezes", () => {
    const resources = rulesOf(installedByDefault({ pipelines: false })).flatMap((rule) => rule.resources);
    for (const kind of ["pipelines", "promotions", "approvals", "freezes"])
      expect(resources).not.toContain(kind);
  });
});

describe("docs/fences.md", () => {
  test("lists the policies of an installation with the default values", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/fences.md"), "utf8");
    const listed = [...page.matchAll(/^(fairlead\.\S+) +(\d+) +(\S+) +\d+s$/gm)].map(([, ...cells]) => cells);
    const installed = installedByDefault()
      .filter(({ kind }) => kind === "ValidatingAdmissionPolicy")
      .map(({ metadata, spec }) => {
        const { validations, paramKind } = spec as PolicySpec;
        const parameter = paramKind === undefined ? "<unset>" : `${paramKind.apiVersion}/${paramKind.kind}`;
        return [metadata.name, String(validations.length), parameter];
      });
    expect(listed).toEqual(installed.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
  });
});

describe("docs/operator-rights.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/operator-rights.md"), "utf8");
  const documented = [...page.matchAll(/^\| `([a-z./0-9]+)` \| (any|its own) \| ([a-z ]+) \| /gm)].map(
    ([, resource, names, verbs]) => `${resource} ${names}: ${verbs}`,
  );

  test("consist of exactly these with the default values", () => {
    const verbs = new Map<string, string[]>();
    const roles = installedByDefault().filter(({ kind }) => kind === "ClusterRole" || kind === "Role");
    for (const { apiGroups, resources, resourceNames, verbs: given } of roles.flatMap(
      (role) => role["rules"] as readonly (Rule & { readonly resourceNames?: readonly string[] })[],
    )) {
      const [plural = "", ...rest] = resources[0]?.split("/") ?? [];
      const group = apiGroups[0] === "" ? "" : `.${apiGroups[0]}`;
      const resource = [`${plural}${group}`, ...rest].join("/");
      const name = `${resource} ${resourceNames === undefined ? "any" : "its own"}`;
      verbs.getOrInsertComputed(name, () => []).push(...given);
    }
    const given = [...verbs].map(([name, all]) => `${name}: ${all.join(" ")}`);
    expect(documented.toSorted()).toEqual(given.toSorted());
  });
});
