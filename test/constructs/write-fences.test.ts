import { App, Chart } from "cdk8s";
import { describe, expect, test } from "vitest";
import {
  type FencedInstallation,
  fenceNamesOf,
  fenceRulesOf,
  WriteFences,
  type WriteFencesProps,
} from "../../constructs/write-fences.ts";
import type { BoundKind } from "../../crds/binding.ts";
import { ConfigMap, Pod } from "../../crds/core-kinds.ts";
import { holderOf, impersonationHeaders } from "../../operator/cluster/impersonation.ts";
import { FIELD_MANAGER, stamps } from "../../synth/manifest.ts";
import { aGadgetKind, Gadget } from "../fakes/gadget.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
}

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly policyName?: string;
    readonly failurePolicy?: string;
    readonly paramKind?: object;
    readonly paramRef?: object;
    readonly validationActions?: readonly string[];
    readonly matchConstraints: {
      readonly resourceRules: readonly Rule[];
      readonly excludeResourceRules?: readonly Rule[];
      readonly objectSelector?: object;
    };
    readonly matchConditions: readonly { readonly expression: string }[];
    readonly validations: readonly { readonly expression: string; readonly reason: string }[];
  };
}

const installation: FencedInstallation = {
  name: "lead",
  namespace: "ops",
  ha: true,
  policies: { ownership: true, leadership: true },
};

const releases = { enabled: true };

function fencesFor(kinds: readonly BoundKind[], more: Partial<WriteFencesProps> = {}): readonly Made[] {
  const chart = new Chart(new App(), "fences");
  new WriteFences(chart, "fences", { ...installation, ...more, kinds });
  return chart.toJson();
}

function policy(fences: readonly Made[], fence: string): Made["spec"] {
  const found = fences.find(
    ({ kind, metadata }) => kind === "ValidatingAdmissionPolicy" && metadata.name.endsWith(`.${fence}`),
  );
  return found?.spec ?? expect.fail(`no policy ${fence}`);
}

const rulesOf = ({ matchConstraints }: Made["spec"]) =>
  matchConstraints.resourceRules.map(
    ({ apiGroups, resources, operations }) => `${apiGroups}/${resources}: ${operations.join(" ")}`,
  );

const related = [{ kind: Pod, ownerKey: () => undefined, subresource: "ephemeralcontainers" }] as const;
const gadgets = [aGadgetKind({ children: [ConfigMap], related })];

describe("WriteFences", () => {
  test("match changes and deletions of the child kinds, and all kinds that the role allows to write except events", () => {
    const fences = fencesFor(gadgets);
    expect(rulesOf(policy(fences, "ownership"))).toEqual(["/configmaps: UPDATE DELETE"]);
    expect(rulesOf(policy(fences, "leadership"))).toEqual([
      "/configmaps: CREATE UPDATE DELETE",
      "/pods/ephemeralcontainers: UPDATE",
      "example.dev/gadgets/status: UPDATE",
    ]);
    const retiring = [aGadgetKind({ children: [ConfigMap], retire: () => undefined })];
    expect(rulesOf(policy(fencesFor(retiring), "ownership"))).toEqual([
      "/configmaps: UPDATE DELETE",
      "example.dev/gadgets: DELETE",
    ]);
    expect(rulesOf(policy(fencesFor(retiring), "leadership"))).toContain("example.dev/gadgets: DELETE");
    // A kind with objects that garbage collection cannot reach has a finalizer, which is written too.
    expect(rulesOf(policy(fencesFor([aGadgetKind()]), "leadership"))).toContain(
      "example.dev/gadgets: UPDATE",
    );
  });

  test("match only requests of the operator's own ServiceAccount, and are named after it", () => {
    const fences = fencesFor(gadgets);
    expect(fences.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ValidatingAdmissionPolicy lead.ops.ownership",
      "ValidatingAdmissionPolicyBinding lead.ops.ownership",
      "ValidatingAdmissionPolicy lead.ops.leadership",
      "ValidatingAdmissionPolicyBinding lead.ops.leadership",
    ]);
    for (const fence of ["ownership", "leadership"]) {
      const { matchConditions, failurePolicy, validations } = policy(fences, fence);
      expect(matchConditions).toMatchObject([
        { expression: "request.userInfo.username == 'system:serviceaccount:ops:lead'" },
      ]);
      expect(failurePolicy).toBe("Fail");
      expect(validations).toMatchObject([{ reason: "Forbidden" }]);
    }
  });

  test("read the installation's Lease, and refuse nothing if it is missing", () => {
    const fences = fencesFor(gadgets);
    expect(policy(fences, "leadership").paramKind).toEqual({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
    });
    expect(fences.at(-1)?.spec).toEqual({
      policyName: "lead.ops.leadership",
      validationActions: ["Deny"],
      // Deny would reject all users' requests: the API server reads the parameter before it evaluates the user.
      paramRef: { name: "lead", namespace: "ops", parameterNotFoundAction: "Allow" },
    });
  });

  test("contain the kinds, stamps and field manager of the operator", () => {
    const text = JSON.stringify(policy(fencesFor(gadgets), "ownership"));
    for (const word of [stamps.set, stamps.owner, stamps.adoptBy]) expect(text).toContain(`'${word}'`);
    expect(text).toContain(`f.manager == '${FIELD_MANAGER}'`);
    expect(text).toContain("in ['example.dev/Gadget']");
    expect(text).toContain("{'gadgets.example.dev': ['gadget', 'gadget.example.dev']}");
  });

  test("admit the finalizer of a kind that is a child of another one", () => {
    const parent = aGadgetKind({ children: [Gadget] });
    const { validations } = policy(fencesFor([parent]), "ownership");
    expect(validations[0]?.expression).toContain("['example.dev/Gadget'].exists(k, k == request.kind.group");
    expect(policy(fencesFor(gadgets), "ownership").validations[0]?.expression).not.toContain("request.kind");
  });

  test("match objects of every kind if there are Releases, except events and the operator's Lease", () => {
    const fences = fencesFor(gadgets, { releases });
    expect(rulesOf(policy(fences, "ownership"))).toEqual(["*/*: UPDATE DELETE"]);
    expect(rulesOf(policy(fences, "release-leadership"))).toEqual(["*/*: CREATE UPDATE DELETE"]);
    for (const fence of ["ownership", "release-leadership"]) {
      const { excludeResourceRules } = policy(fences, fence).matchConstraints;
      expect(excludeResourceRules).toMatchObject([
        { apiGroups: [""], resources: ["events"] },
        { apiGroups: ["events.k8s.io"], resources: ["events"] },
        { apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: ["lead"] },
        { apiGroups: ["authentication.k8s.io"], resources: ["*"] },
        { apiGroups: ["authorization.k8s.io"], resources: ["*"] },
      ]);
    }
  });

  test("match a Release's objects by its label, and the Release itself by its kind", () => {
    const fences = fencesFor(gadgets, { releases });
    const objectSelector = { matchExpressions: [{ key: stamps.set, operator: "Exists" }] };
    expect(policy(fences, "release-leadership").matchConstraints).toMatchObject({ objectSelector });
    expect(policy(fences, "leadership").matchConstraints).not.toHaveProperty("objectSelector");
    expect(rulesOf(policy(fences, "leadership"))).toEqual([
      ...rulesOf(policy(fencesFor(gadgets), "leadership")),
      "fairlead.dev/releases: UPDATE",
      "fairlead.dev/releases/status: UPDATE",
    ]);
    expect(fenceNamesOf({ ...installation, releases })).toEqual([
      "lead.ops.ownership",
      "lead.ops.leadership",
      "lead.ops.release-leadership",
    ]);
    expect(fenceNamesOf({ ...installation, releases, ha: false })).toEqual(["lead.ops.ownership"]);
  });

  test("match impersonated requests too, of this installation only", () => {
    const fences = fencesFor(gadgets, { releases });
    const claims = "request.userInfo.?extra[?'fairlead.dev/holder'].orValue([])";
    for (const fence of ["ownership", "leadership", "release-leadership"]) {
      expect(policy(fences, fence).matchConditions).toMatchObject([
        {
          expression: `request.userInfo.username == 'system:serviceaccount:ops:lead' || ${claims}.exists(h, h.startsWith('ops/lead/'))`,
        },
      ]);
    }
    // As the operator's adapter sends it.
    const headers = impersonationHeaders(
      { namespace: "shop", serviceAccountName: "deployer" },
      holderOf(["ops", "lead"], "lead-1"),
    );
    const [[header = "", claim] = []] = Object.entries(headers).filter(
      ([name]) => name !== "impersonate-user",
    );
    expect(decodeURIComponent(header)).toBe("impersonate-extra-fairlead.dev/holder");
    expect(claim).toMatch(/^ops\/lead\//);
  });

  test("admit that a Release becomes an ApplySet, and is referenced by objects handed over to it", () => {
    const text = policy(fencesFor(gadgets, { releases }), "ownership").validations[0]?.expression;
    expect(text).toContain(
      "(['fairlead.dev/Release'].exists(k, k == request.kind.group + '/' + request.kind.kind)",
    );
    expect(JSON.stringify(policy(fencesFor(gadgets, { releases }), "ownership"))).toContain(
      "'releases.fairlead.dev': ['release', 'release.fairlead.dev']",
    );
    expect(JSON.stringify(fencesFor(gadgets))).not.toContain("Release");
  });

  test("let only the operator write the status of Releases, in the namespaces that it watches", () => {
    const policies = { ...installation.policies, releaseStatus: true };
    const all = policy(fencesFor(gadgets, { releases, policies }), "release-status");
    expect(rulesOf(all)).toEqual(["fairlead.dev/releases/status: UPDATE"]);
    expect(all.matchConditions).toMatchObject([
      { expression: "!(request.userInfo.username == 'system:serviceaccount:ops:lead')" },
    ]);
    expect(all.validations).toMatchObject([{ expression: "false", reason: "Forbidden" }]);
    expect(all.matchConstraints).not.toHaveProperty("namespaceSelector");
    const some = fencesFor(gadgets, { releases, policies, watchedNamespaces: ["a", "b"] });
    expect(policy(some, "release-status").matchConstraints).toMatchObject({
      namespaceSelector: {
        matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: ["a", "b"] }],
      },
    });
    expect(fenceNamesOf({ ...installation, releases, policies })).toContain("lead.ops.release-status");
    expect(fenceNamesOf({ ...installation, policies })).not.toContain("lead.ops.release-status");
  });

  test("can be disabled, and there is none for leadership without leader election", () => {
    const off = { ownership: false, leadership: false };
    const ownership = { ...installation, ha: false };
    expect(fencesFor(gadgets, { policies: off })).toEqual([]);
    expect(fenceRulesOf({ ...installation, policies: off })).toEqual([]);
    expect(fencesFor(gadgets, { ha: false })).toHaveLength(2);
    expect(fenceNamesOf(ownership)).toEqual(["lead.ops.ownership"]);
    expect(
      fenceRulesOf(ownership).map(({ resources, resourceNames, verbs }) => [resources, resourceNames, verbs]),
    ).toEqual([
      [["validatingadmissionpolicies"], ["lead.ops.ownership"], ["list"]],
      [["validatingadmissionpolicybindings"], ["lead.ops.ownership"], ["list"]],
    ]);
  });
});
