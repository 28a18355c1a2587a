import type { Manifest } from "./manifest.ts";
import { SynthesisError } from "./synthesis-error.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of a manifest that identify its object, in addition to the fields that it sets. Labels may be those of the
 * chart.
 */
const identity: ReadonlySet<string> = new Set(["name", "namespace", "labels"]);

/** The part of a manifest that sets chosen fields of an object that has another owner. */
export interface PickedFields {
  /** The manifest with these fields and its identity, and without empty structs. */
  readonly manifest: Manifest;
  /** Paths of the fields that it sets, in the order of the kind's list. */
  readonly fields: readonly string[];
}

/**
 * Checks that a manifest sets only fields that its kind may set, and returns those. Pure.
 *
 * @param allowed Paths, such as `spec.paused`.
 * @throws SynthesisError that names the first other field.
 */
export function pickFields(object: Manifest, allowed: readonly string[], title: string): PickedFields {
  const { apiVersion, kind, metadata, ...content } = object;
  const found = new Set<string>();
  const pick = (fields: Fields, parent: string): Fields => {
    const picked: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields)) {
      const path = `${parent}${name}`;
      if (allowed.includes(path) && value !== null) {
        found.add(path);
        picked[name] = value;
      } else if (isFields(value) && allowed.some((one) => one.startsWith(`${path}.`))) {
        const inner = pick(value, `${path}.`);
        if (Object.keys(inner).length > 0) picked[name] = inner;
      } else refuse(path);
    }
    return picked;
  };
  const refuse = (path: string): never => {
    const what = `its chart sets ${path} of ${kind} "${metadata.name}", which it does not own`;
    throw new SynthesisError(title, `${what}; it may set only ${allowed.join(" and ")}`);
  };
  const other = Object.keys(metadata).find((name) => !identity.has(name));
  if (other !== undefined) refuse(`metadata.${other}`);
  const manifest = { apiVersion, kind, metadata, ...pick(content, "") };
  return { manifest, fields: allowed.filter((path) => found.has(path)) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
