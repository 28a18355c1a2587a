import { groupOf, type LiveObject } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";
import { type Manifest, stamps } from "../../synth/manifest.ts";
import { type LabelSelector, matchesSelector } from "./label-selector.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a Job's spec that cannot be changed while the Job exists. */
const immutableJobFields = [
  "backoffLimitPerIndex",
  "completionMode",
  "completions",
  "managedBy",
  "manualSelector",
  "podFailurePolicy",
  "podReplacementPolicy",
  "selector",
  "successPolicy",
  "template",
] as const;

const workloads: ReadonlySet<string> = new Set([
  "apps/DaemonSet",
  "apps/Deployment",
  "apps/ReplicaSet",
  "apps/StatefulSet",
]);

/** The decision about a manifest whose object may not be edited freely. */
export type Fitted =
  | { readonly manifest: Manifest; readonly replaces?: never }
  /** The object must be deleted before it can be recreated. */
  | { readonly replaces: LiveObject; readonly manifest?: never };

/**
 * Adapts a manifest to the immutable fields of the live object. A Job is replaced only if the resource's spec was edited
 * since its creation (its generation differs) and an immutable field changes. Otherwise it keeps its immutable fields, so
 * that an upgrade never runs a finished Job again. Workloads keep a selector that still matches their pods. A change of
 * any other immutable field is sent, and the API server rejects it with the name of the field.
 */
export function fitToLive(desired: Manifest, live: LiveObject | undefined): Fitted {
  const kind = `${groupOf(desired.apiVersion)}/${desired.kind}`;
  if (kind === "batch/Job") return fitJob(desired, live);
  if (live !== undefined && workloads.has(kind)) return { manifest: keepSelector(desired, live) };
  return { manifest: desired };
}

function fitJob(desired: Manifest, live: LiveObject | undefined): Fitted {
  const template = digestOf(toCanonicalJson(pick(specOf(desired))));
  const stamped = annotate(desired, stamps.template, template);
  if (live === undefined) return { manifest: stamped };
  const made = live.metadata.annotations ?? {};
  const wasEdited =
    made[stamps.generation] !== undefined &&
    made[stamps.generation] !== desired.metadata.annotations?.[stamps.generation];
  if (wasEdited && made[stamps.template] !== template) return { replaces: live };
  // Send all values of the server, because an apply removes omitted fields.
  return { manifest: { ...stamped, spec: { ...without(specOf(desired)), ...pick(specOf(live)) } } };
}

function keepSelector(desired: Manifest, live: LiveObject): Manifest {
  const spec = specOf(desired);
  const selector = specOf(live)["selector"] as LabelSelector | undefined;
  const template = spec["template"] as { readonly metadata?: { readonly labels?: Record<string, string> } };
  if (selector === undefined || !matchesSelector(selector, template?.metadata?.labels ?? {})) return desired;
  return { ...desired, spec: { ...spec, selector } };
}

function specOf(object: Manifest | LiveObject): Fields {
  return (object["spec"] ?? {}) as Fields;
}

function pick(spec: Fields): Fields {
  return Object.fromEntries(immutableJobFields.flatMap((name) => (name in spec ? [[name, spec[name]]] : [])));
}

function without(spec: Fields): Fields {
  const names: readonly string[] = immutableJobFields;
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !names.includes(name)));
}

function annotate(manifest: Manifest, name: string, value: string): Manifest {
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } } };
}
