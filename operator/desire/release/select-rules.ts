import type { LiveObject } from "../../../crds/object.ts";
import { type NamespaceSelector, ReleasePolicy } from "../../../crds/release-policy.ts";
import type { Limits, NamedRule, SelectedRules } from "./limits.ts";
import { matchesPattern } from "./publish-place.ts";

export interface SelectRulesInput {
  readonly namespace: string;
  /** Labels of the Namespace; `unknown`: not observed yet; `unreadable`: this operator may not watch namespaces. */
  readonly labels: Readonly<Record<string, string>> | "unknown" | "unreadable";
  readonly policies: readonly LiveObject[];
  /** The limits if no rule selects the namespace. */
  readonly installation: Limits;
}

/**
 * Selects the rules that apply to the Releases of a namespace, from all policies sorted by name. Rules of policies replace
 * those of the installation. Pure.
 */
export function selectRules({ namespace, labels, policies, installation }: SelectRulesInput): SelectedRules {
  const selected: NamedRule[] = [];
  const byName = policies.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const policy of byName) {
    const name = `ReleasePolicy ${policy.metadata.name}`;
    const { data } = ReleasePolicy.spec.safeParse(policy["spec"]);
    if (data === undefined) return undecidable(name, "this version of the operator cannot read its spec");
    for (const [index, { namespaces, ...rule }] of data.rules.entries()) {
      const from = `${name}, rule ${index + 1}`;
      if (!matchesName(namespaces, namespace)) continue;
      const wanted = Object.entries(namespaces.matchLabels ?? {});
      if (wanted.length > 0 && labels === "unknown")
        return { state: "pending", message: `Waiting for Namespace ${namespace} to be observed` };
      if (wanted.length > 0 && labels === "unreadable")
        return undecidable(
          from,
          "it selects by labels, which an operator with --namespace cannot read; use names",
        );
      const found = labels as Readonly<Record<string, string>>;
      if (wanted.every(([key, value]) => found[key] === value)) selected.push({ from, rule });
    }
  }
  return { state: "known", limits: selected.length === 0 ? installation : selected };
}

function matchesName({ names }: NamespaceSelector, namespace: string): boolean {
  return names === undefined || names.some((pattern) => matchesPattern(pattern, namespace));
}

function undecidable(from: string, why: string): SelectedRules {
  const message = `Cannot decide what is allowed: ${from}: ${why}. Ask the platform team to correct it`;
  return { state: "undecidable", message };
}
