import { App, Chart } from "cdk8s";
import { describe, expect, test } from "vitest";
import type { ResourceRule } from "../../constructs/admission-policy.ts";
import { WriteFences } from "../../constructs/write-fences.ts";
import type { BoundKind } from "../../crds/binding.ts";
import { ConfigMap, Deployment, Namespace } from "../../crds/core-kinds.ts";
import { Release } from "../../crds/release.ts";
import { additionManagerOf } from "../../synth/stamp.ts";
import { aGadgetKind, Gadget } from "../fakes/gadget.ts";

interface Policy {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly matchConstraints: { readonly resourceRules: readonly ResourceRule[] };
    readonly validations: readonly { readonly expression: string }[];
  };
}

const Gizmo = { ...Gadget, kind: "Gizmo", plural: "gizmos" };
const ownerKey = () => undefined;

/** The rules of a fence, and its expression. */
function fenceOf(fence: string, ...kinds: readonly BoundKind[]) {
  const chart = new Chart(new App(), "fences");
  const policies = { ownership: true, leadership: true };
  new WriteFences(chart, "fences", { name: "lead", namespace: "ops", ha: true, policies, kinds });
  const found = (chart.toJson() as readonly Policy[]).find(
    ({ metadata }) => metadata.name === `lead.ops.${fence}`,
  );
  const { matchConstraints, validations } = found?.spec ?? expect.fail(`no policy ${fence}`);
  return {
    rules: matchConstraints.resourceRules.map(
      ({ apiGroups, resources, operations }) => `${apiGroups}/${resources}: ${operations.join(" ")}`,
    ),
    expression: validations[0]?.expression ?? "",
  };
}

describe("the fences of kinds that set fields of other owners' objects", () => {
  test("match the kinds whose fields are set, and admit these fields by managers of the kind", () => {
    const settings = aGadgetKind({
      children: [ConfigMap],
      related: [{ kind: Deployment, ownerKey, fields: ["spec.paused", "spec.template.spec.x"] }],
    });
    const ownership = fenceOf("ownership", settings);
    expect(ownership.rules).toEqual(["/configmaps: UPDATE DELETE", "apps/deployments: UPDATE DELETE"]);
    expect(fenceOf("leadership", settings).rules).toContain("apps/deployments: UPDATE");
    const text = ownership.expression;
    const manager = additionManagerOf(Gadget, { metadata: { name: "web", namespace: "shop" } });
    const ofLongName = additionManagerOf(Gadget, { metadata: { name: "x".repeat(200) } });
    const prefixes = [...text.matchAll(/startsWith\('([^']+)'\)/g)].map(([, prefix = ""]) => prefix);
    expect(prefixes.map((prefix) => [manager.startsWith(prefix), ofLongName.startsWith(prefix)])).toEqual([
      [true, false],
      [false, true],
    ]);
    for (const names of ["['metadata', 'spec']", "['paused', 'template']", "['spec']", "['x']"])
      expect(text).toContain(`.all(k, k in ${names} || `);
    expect(fenceOf("ownership", aGadgetKind()).expression).not.toContain("startsWith(");
  });

  test("admit pin, digest and next commit of a Release, and no other field of its spec", () => {
    const fields = ["spec.revision", "spec.digest", "spec.next"];
    const pins = aGadgetKind({ children: [ConfigMap], related: [{ kind: Release, ownerKey, fields }] });
    const ownership = fenceOf("ownership", pins);
    expect(ownership.rules).toContain("fairlead.dev/releases: UPDATE DELETE");
    const text = ownership.expression;
    expect(text).toContain(
      "object[?'spec'].orValue({}).all(k, k in ['revision', 'digest', 'next'] || (k in oldObject[?'spec'].orValue({})",
    );
    expect(text).toContain(
      "oldObject[?'spec'].orValue({}).all(k, k in ['revision', 'digest', 'next'] || k in",
    );
  });

  test("admit the finalizer of a kind in which fields are set", () => {
    const settings = aGadgetKind({
      children: [ConfigMap],
      related: [{ kind: Gizmo, ownerKey, fields: ["spec.size"] }],
    });
    const gizmo = { ...aGadgetKind({ children: [Namespace] }), definition: Gizmo };
    expect(fenceOf("ownership", settings, gizmo).expression).toContain(
      "['example.dev/Gizmo'].exists(k, k == request.kind.group",
    );
  });
});
