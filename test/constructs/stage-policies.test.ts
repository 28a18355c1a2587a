import { App, Chart } from "cdk8s";
import { describe, expect, test } from "vitest";
import { fenceNamesOf, WriteFences, type WriteFencesProps } from "../../constructs/write-fences.ts";

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly validationActions?: readonly string[];
    readonly failurePolicy?: string;
    readonly paramKind?: object;
    readonly matchConstraints: {
      readonly namespaceSelector?: object;
      readonly resourceRules: readonly {
        readonly resources: readonly string[];
        readonly operations: readonly string[];
      }[];
    };
    readonly matchConditions: readonly { readonly expression: string }[];
    readonly validations: readonly { readonly expression: string; readonly messageExpression: string }[];
  };
}

const installation = {
  name: "lead",
  namespace: "ops",
  ha: true,
  policies: { ownership: false, leadership: false, stages: true },
  releases: { enabled: true },
} as const;

function make(more: Partial<WriteFencesProps> = {}): readonly Made[] {
  const chart = new Chart(new App(), "fences");
  new WriteFences(chart, "fences", { ...installation, kinds: [], ...more });
  return chart.toJson();
}

const policiesIn = (made: readonly Made[]) => made.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
const notOperator = "!(request.userInfo.username == 'system:serviceaccount:ops:lead')";

describe("StagePolicies", () => {
  test("match the objects that users write, by kind and operation", () => {
    const looks = policiesIn(make()).map(({ metadata, spec: { matchConstraints } }) => [
      metadata.name.replace("lead.ops.", ""),
      ...matchConstraints.resourceRules.map((rule) => `${rule.resources}: ${rule.operations.join(" ")}`),
    ]);
    expect(looks).toEqual([
      ["approvals", "approvals: CREATE", "freezes: CREATE"],
      ["promotions", "promotions: CREATE UPDATE"],
      ["pins", "releases: CREATE UPDATE"],
      ["pipelines", "pipelines: UPDATE DELETE"],
      ["pipeline-status", "pipelines/status: UPDATE", "promotions/status: UPDATE"],
      ["deletions", "approvals: UPDATE DELETE", "promotions: UPDATE DELETE"],
    ]);
  });

  test("refuse requests that cannot be evaluated, and are bound with Deny", () => {
    const made = make();
    for (const { spec } of policiesIn(made)) expect(spec).toMatchObject({ failurePolicy: "Fail" });
    const bindings = made.filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding");
    expect(bindings).toHaveLength(6);
    for (const { spec } of bindings) expect(spec.validationActions).toEqual(["Deny"]);
  });

  test("match Approvals of all users, and other objects of all users except the operator", () => {
    const [approvals, ...others] = policiesIn(make());
    expect(approvals?.spec.matchConditions).toEqual([]);
    for (const { spec } of others) expect(spec.matchConditions[0]?.expression).toBe(notOperator);
    // Also when the operator impersonates an account for a Release.
    expect(JSON.stringify(others)).not.toContain("fairlead.dev/holder");
  });

  test.each(["pipelines", "deletions"])("let controllers clean up: %s", (name) => {
    const policy = policiesIn(make()).find(({ metadata }) => metadata.name === `lead.ops.${name}`);
    expect(policy?.spec.matchConditions.map(({ expression }) => expression)).toEqual([
      notOperator,
      "!(request.userInfo.username in ['system:serviceaccount:kube-system:namespace-controller', " +
        "'system:serviceaccount:kube-system:generic-garbage-collector', 'system:kube-controller-manager'])",
    ]);
  });

  test("check at most two permissions in an expression, because of the API server's cost limit", () => {
    for (const { spec } of policiesIn(make()))
      for (const { expression } of spec.validations)
        expect(expression.split(".check(").length - 1).toBeLessThanOrEqual(2);
  });

  test("match the watched namespaces", () => {
    for (const { spec } of policiesIn(make({ watchedNamespaces: ["a", "b"] })))
      expect(spec.matchConstraints.namespaceSelector).toEqual({
        matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: ["a", "b"] }],
      });
    for (const { spec } of policiesIn(make()))
      expect(spec.matchConstraints.namespaceSelector).toBeUndefined();
  });

  test("exist if there are Releases and the value is set, and are among the fences", () => {
    expect(fenceNamesOf(installation)).toEqual(
      ["approvals", "promotions", "pins", "pipelines", "pipeline-status", "deletions"].map(
        (name) => `lead.ops.${name}`,
      ),
    );
    for (const off of [
      { releases: undefined },
      { releases: { enabled: false } },
      { policies: { ...installation.policies, stages: false } },
    ]) {
      expect(make(off)).toEqual([]);
      expect(fenceNamesOf({ ...installation, ...off })).toEqual([]);
    }
  });
});

describe("UserDefaults", () => {
  const policies = { ...installation.policies, userDefaults: true };
  const defaultsIn = (made: readonly Made[]) => made.filter(({ kind }) => kind.startsWith("Mutating"));

  test("fill in the creator of an Approval, a Freeze or a Promotion, if it is missing", () => {
    const [policy, binding, ...others] = defaultsIn(make({ policies }));
    expect(others).toEqual([]);
    expect(policy?.spec.matchConstraints.resourceRules).toMatchObject([
      { resources: ["approvals", "freezes", "promotions"], operations: ["CREATE"] },
    ]);
    expect(policy?.spec.matchConditions[0]?.expression).toBe("has(object.spec) && !has(object.spec.by)");
    // The validating policies reject wrong values.
    expect(policy?.spec.failurePolicy).toBe("Ignore");
    expect(binding?.spec).toEqual({ policyName: "lead.ops.user-defaults" });
  });

  test("are omitted unless they are enabled, and without the validating policies", () => {
    expect(defaultsIn(make())).toEqual([]);
    expect(defaultsIn(make({ policies: { ...policies, stages: false } }))).toEqual([]);
  });
});
