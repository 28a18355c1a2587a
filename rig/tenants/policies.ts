import { apiVersionOf } from "../../crds/object.ts";
import { ReleasePolicy, type ReleaseRule } from "../../crds/release-policy.ts";
import type { Chance } from "../faults/random.ts";
import type { RequestedPublication } from "./actions.ts";
import { placesOf } from "./published.ts";

/** Permissions of a tenant beyond those of all tenants. */
export interface Allowance {
  readonly publishes: boolean;
  readonly quotas?: NonNullable<ReleaseRule["quotas"]>;
}

/** A random allowance of the attacker; undefined: it has no policy. */
export function makeAllowance(chance: Chance): Allowance | undefined {
  if (chance.isHit(0.3)) return undefined;
  const quotas = { programSeconds: 1, programSecondsPerHour: chance.between(1, 8) };
  const most = chance.isHit(0.3) ? { releases: chance.between(2, 5) } : {};
  return {
    publishes: chance.isHit(0.6),
    ...(chance.isHit(0.7) && { quotas: { ...quotas, ...most } }),
  };
}

/** The policy of one tenant. */
export function policyFor(namespace: string, { publishes, quotas }: Allowance): object {
  const { branch, folder } = placesOf(namespace);
  const publish = [{ branch, path: "." }, { branch: `${branch}-*`, path: "." }, { path: folder }];
  return {
    apiVersion: apiVersionOf(ReleasePolicy),
    kind: ReleasePolicy.kind,
    metadata: { name: namespace },
    spec: {
      rules: [
        { namespaces: { names: [namespace] }, ...(publishes && { publish }), ...(quotas && { quotas }) },
      ],
    },
  };
}

/** The fields of a Release's spec for a requested location. */
export function placeOf(
  { branch, path }: RequestedPublication,
  own: string,
  other: string,
): { readonly branch?: string; readonly path?: string } {
  const [mine, theirs] = [placesOf(own), placesOf(other)];
  const branches = {
    main: "main",
    own: mine.branch,
    beside: `${mine.branch}-beside`,
    other: theirs.branch,
    free: "anything",
  };
  const paths = {
    root: ".",
    own: mine.folder,
    below: `${mine.folder}/below`,
    other: theirs.folder,
    "others-folder": other,
    up: `${mine.folder}/../${other}`,
    odd: `./${theirs.folder}//`,
    workflows: ".github/workflows",
  };
  return {
    ...(branch !== "none" && { branch: branches[branch] }),
    ...(path !== "none" && { path: paths[path] }),
  };
}
