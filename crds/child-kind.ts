import { type CustomResource, groupKindOf, type LiveObject, type ObjectKind } from "./object.ts";

/**
 * The treatment of an object of a child kind after its creation.
 * - `kept`: corrects it and creates it again, as long as the chart makes it; deletes it when the chart no longer does.
 * - `once`: never changes it.
 * - `run`: corrects its labels and annotations only, never its spec.
 *
 * Objects of the last two stay when the chart no longer makes them; see {@link ChildKind.keep}.
 */
export type Lifetime = "kept" | "once" | "run";

/** A child kind that differs from a plain one. */
export interface ChildKind<Resource = CustomResource> {
  readonly kind: ObjectKind;
  /** Default: `kept`. */
  readonly lifetime?: Lifetime;
  /** Whether its objects are committed to git. Default: true. */
  readonly publish?: boolean;
  /**
   * With `once` and `run`: which objects stay that the chart no longer creates. A number: the newest of them, at most
   * this many. A function: those that it returns, out of `left`, the oldest first; pure. Default: all stay, until the
   * resource is deleted.
   */
  readonly keep?: number | KeepRule<Resource>;
}

/** Selects the objects that stay although the chart no longer creates them; `left` has the oldest first. Pure. */
export type KeepRule<Resource = CustomResource> = (
  resource: Resource,
  left: readonly LiveObject[],
) => readonly LiveObject[];

/** A child kind that is not plain, with its defaults. */
export interface ChildRule {
  readonly kind: ObjectKind;
  readonly lifetime: Lifetime;
  readonly publish: boolean;
  /** Undefined: all stay. */
  readonly keep: KeepRule | undefined;
}

/** The child kinds of a binding, and the options of some of them. */
export interface Children {
  readonly children: readonly ObjectKind[];
  /** Options of the children that are not plain; empty for a plain kind. */
  readonly childRules: readonly ChildRule[];
}

/**
 * Validates the child kinds that the author of a kind declares.
 *
 * @param of Their parent kind, for messages.
 * @throws RangeError that names a contradictory declaration.
 */
export function readChildren(of: string, declared: readonly (ObjectKind | ChildKind<never>)[]): Children {
  const children: ObjectKind[] = [];
  const rules: ChildRule[] = [];
  for (const one of declared) {
    const rule = isPlain(one) ? undefined : ruleOf(one, of);
    const kind = rule?.kind ?? (one as ObjectKind);
    const isAgain = children.some((other) => groupKindOf(other) === groupKindOf(kind));
    const hasRule = rules.some((other) => groupKindOf(other.kind) === groupKindOf(kind));
    if (isAgain && (rule !== undefined || hasRule))
      throw new RangeError(`Cannot bind "${of}": ${kind.kind} is a child kind twice`);
    children.push(kind);
    if (rule !== undefined && (rule.lifetime !== "kept" || !rule.publish)) rules.push(rule);
  }
  return { children, childRules: rules };
}

function isPlain(declared: ObjectKind | ChildKind<never>): declared is ObjectKind {
  return typeof declared.kind === "string";
}

function ruleOf({ kind, lifetime = "kept", publish = true, keep }: ChildKind<never>, of: string): ChildRule {
  const refused = `Cannot bind "${of}": "keep" of ${kind.kind}`;
  if (keep !== undefined && lifetime === "kept")
    throw new RangeError(`${refused} needs the lifetime "once" or "run"`);
  if (typeof keep === "number" && !(Number.isInteger(keep) && keep >= 0))
    throw new RangeError(`${refused} is ${keep}, which is not a number of objects`);
  // The type of the specific kind is erased: the engine passes only resources of its own kind to a rule.
  return {
    kind,
    lifetime,
    publish,
    keep: (typeof keep === "number" ? newest(keep) : keep) as ChildRule["keep"],
  };
}

function newest(count: number): KeepRule {
  return (_, left) => left.slice(Math.max(0, left.length - count));
}
