import { Freeze, type FreezeSpec } from "../../crds/freeze.ts";
import { instantMs, type KindClock } from "../../crds/kind-context.ts";
import type { KubernetesObject } from "../../crds/object.ts";

export interface FreezesInput {
  readonly pipeline: { readonly metadata: Pick<KubernetesObject["metadata"], "name" | "labels"> };
  /** Name of the stage. */
  readonly stage: string;
  /** Its earlier names. */
  readonly formerly?: readonly string[] | undefined;
  /** The Freezes of the Pipeline's namespace. */
  readonly freezes: readonly KubernetesObject[];
  /** Called with the instants at which they end. */
  readonly clock: KindClock;
}

/** A Freeze that applies to a stage. */
export interface HoldingFreeze {
  readonly name: string;
  readonly reason: string;
  readonly by?: string;
  /** RFC 3339. Undefined: until it is deleted. */
  readonly until?: string;
}

export interface FreezeState {
  /** Sorted by name. Empty: the stage is not frozen. */
  readonly holding: readonly HoldingFreeze[];
  /** When the last of them ends. Undefined: none applies, or one applies until it is deleted. */
  readonly until?: string;
  /** For users. */
  readonly message: string;
}

/** The Freezes that apply to a stage now. One that this version cannot parse applies to every stage. Pure. */
export function assessFreezes({ freezes, ...concerned }: FreezesInput): FreezeState {
  const holding = freezes
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((freeze) => holdBy(freeze, concerned));
  if (holding.length === 0) return { holding, message: "no Freeze applies" };
  const ends = holding.map(({ until }) => until);
  const until = ends.every((end) => end !== undefined)
    ? ends.toSorted((a, b) => instantMs(a) - instantMs(b)).at(-1)
    : undefined;
  return { holding, ...(until !== undefined && { until }), message: holding.map(describe).join("; ") };
}

function holdBy(
  { metadata: { name }, spec }: KubernetesObject,
  { clock, ...concerned }: Omit<FreezesInput, "freezes">,
): readonly HoldingFreeze[] {
  const { data } = Freeze.spec.safeParse(spec);
  if (data === undefined) return [{ name, reason: "this version of the operator cannot read it" }];
  if (!concerns(data, concerned)) return [];
  const { reason, by, until } = data;
  if (until !== undefined && clock.reached(until)) return [];
  return [{ name, reason, ...(by !== undefined && { by }), ...(until !== undefined && { until }) }];
}

function concerns(
  { pipelines = {}, stages }: FreezeSpec,
  { pipeline: { metadata }, stage, formerly = [] }: Omit<FreezesInput, "freezes" | "clock">,
): boolean {
  const { names, matchLabels = {} } = pipelines;
  if (names !== undefined && !names.includes(metadata.name)) return false;
  // A rename must not end a Freeze.
  if (stages !== undefined && ![stage, ...formerly].some((name) => stages.includes(name))) return false;
  return Object.entries(matchLabels).every(([key, value]) => metadata.labels?.[key] === value);
}

function describe({ name, reason, by, until }: HoldingFreeze): string {
  const who = by === undefined ? "" : ` of ${by}`;
  const end = until === undefined ? "until it is deleted" : `until ${until}`;
  return `frozen by Freeze ${name}${who} ${end}: ${reason}`;
}
