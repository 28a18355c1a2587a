import { App, Chart } from "cdk8s";
import type { Construct } from "constructs";
import type * as z from "zod";
import type { BoundKind, ChartProps, ChartResource, RelatedObjects } from "../crds/binding.ts";
import { isAddedTo } from "../crds/field-additions.ts";
import { InvalidFieldError } from "../crds/invalid-field-error.ts";
import type { KindClock } from "../crds/kind-context.ts";
import { type CustomResource, groupOf, keyOf, type ObjectKind } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";
import { digestOf, toCanonicalJson } from "./digest.ts";
import { type Addition, idOf, type Manifest, type ManifestSet } from "./manifest.ts";
import { type Needs, needsOf, renameNeeds } from "./needs.ts";
import { sortForApply } from "./order.ts";
import { pickFields } from "./pick-fields.ts";
import { type GivenContext, nextContextOf } from "./record.ts";
import { awaitsSource } from "./source.ts";
import { additionManagerOf, setOf, stampManifest } from "./stamp.ts";
import { SynthesisError } from "./synthesis-error.ts";

/** A kind with its chart, in the form that this folder uses. */
export type SynthesizableKind = BoundKind<Construct>;

const nothingPassed: KindClock = { reached: () => false };

/**
 * Computes the objects of one resource: in memory, and deterministic.
 *
 * @param context For kinds that have a record or a source or read a clock. Default: the record that follows from the
 * resource's, no instant has passed, and the source is pending.
 * @throws {SynthesisError} if the spec is not valid, its chart makes something that cannot be applied, or it needs a
 * source that is not known.
 */
export function synthesize(
  binding: SynthesizableKind,
  resource: CustomResource,
  observed: Observed,
  context: GivenContext | undefined = nextContextOf(binding, { resource, observed, clock: nothingPassed }),
): ManifestSet {
  const { definition } = binding;
  const title = `${definition.kind} ${keyOf(resource)}`;
  const spec = validateSpec(definition.spec, resource.spec, title);
  if (awaitsSource(binding, context?.source))
    throw new SynthesisError(title, "its chart needs the head of its source, which only the operator knows");
  const props = { resource: { ...asChartsSee(resource), spec }, observed };
  const made = runChart(binding, binding.hasContext ? { ...props, ...context } : props, title);
  const placed = made.objects.map((object) => place(object, binding, resource, title));
  refuseDuplicates(
    placed.map(({ manifest }) => manifest),
    title,
  );
  const fieldManager = additionManagerOf(definition, resource);
  const additions = placed.flatMap(({ manifest, addedTo, fields }): Addition[] => {
    if (addedTo === undefined || fields?.length === 0) return [];
    const { kind, selector, subresource } = addedTo;
    const where = { ...(subresource !== undefined && { subresource }), ...(fields && { fields }) };
    return [{ manifest, kind, selector, ...where, fieldManager }];
  });
  const own = placed.flatMap(({ manifest, addedTo }) => (addedTo === undefined ? [manifest] : []));
  const set = setOf(definition, resource);
  const parts: string[] = [];
  const manifests = sortForApply(own).map((manifest) => {
    const digest = digestOf(toCanonicalJson(manifest));
    parts.push(`${idOf(manifest)} ${digest}\n`);
    return stampManifest(manifest, digest, { definition, resource, set });
  });
  const needs = renameNeeds(made.needs, (id) => {
    const one = placed[made.objects.findIndex((object) => idOf(object) === id)];
    return one === undefined || one.addedTo !== undefined ? undefined : idOf(one.manifest);
  });
  return { manifests, additions, needs, set, digest: digestOf(parts.join("")) };
}

/** The input on which charts may depend: {@link createSynthesizer} compares exactly this. */
function asChartsSee({ apiVersion, kind, metadata, spec }: CustomResource): ChartResource<unknown> {
  const { name, namespace, uid, generation, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      uid,
      ...(namespace !== undefined && { namespace }),
      ...(generation !== undefined && { generation }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec,
  };
}

function validateSpec(schema: z.ZodObject, spec: unknown, title: string): unknown {
  if (spec === undefined)
    throw new SynthesisError(title, "expected an object, found nothing", { field: "spec" });
  const result = schema.safeParse(spec);
  if (result.success) return result.data;
  const [issue, ...others] = result.error.issues;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const field = fieldOf(issue?.path ?? []);
  throw new SynthesisError(title, `${issue?.message ?? "is not valid"}${more}`, {
    field,
    cause: result.error,
  });
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return /^[A-Za-z_]\w*$/.test(String(part)) ? `${text}.${String(part)}` : `${text}["${String(part)}"]`;
  }, "spec");
}

function runChart(
  { chart: ChartOfKind }: SynthesizableKind,
  props: ChartProps<CustomResource>,
  title: string,
): { readonly objects: readonly Manifest[]; readonly needs: Needs } {
  try {
    // A separate App per resource: a chart's toJson() validates every construct of its App.
    const chart = new ChartOfKind(new App(), "resource", props);
    if (!Chart.isChart(chart)) throw new TypeError("the kind's chart is not a cdk8s Chart");
    // First, because toJson() adds dependencies between charts.
    const needs = needsOf(chart);
    return { objects: chart.toJson() as readonly Manifest[], needs };
  } catch (error) {
    const field = error instanceof InvalidFieldError ? error.field : undefined;
    throw new SynthesisError(title, error instanceof Error ? error.message : String(error), {
      field,
      cause: error,
    });
  }
}

interface Placed {
  readonly manifest: Manifest;
  /** The kind of objects to one of which it adds; undefined: it is the resource's own object. */
  readonly addedTo: RelatedObjects | undefined;
  /** The object's own fields that it sets; undefined: it adds to a subresource, or is the resource's own object. */
  readonly fields: readonly string[] | undefined;
}

/** Sets the namespace of an object, and rejects kinds that the operator neither watches nor may write. */
function place(
  object: Manifest,
  { children, related }: SynthesizableKind,
  { metadata: owner }: CustomResource,
  title: string,
): Placed {
  const { apiVersion, kind } = object;
  const isOf = (candidate: ObjectKind) => candidate.kind === kind && candidate.group === groupOf(apiVersion);
  const addedTo = related.find((candidate) => isAddedTo(candidate) && isOf(candidate.kind));
  const child = addedTo?.kind ?? children.find(isOf);
  if (child === undefined) {
    throw new SynthesisError(
      title,
      `its chart makes a ${kind} (${apiVersion}), which is no child kind of its binding`,
    );
  }
  const picked = addedTo?.fields && pickFields(object, addedTo.fields, title);
  const { namespace: own, ...all } = object.metadata;
  // Labels that a chart adds to everything do not apply to objects of other owners.
  const metadata = addedTo === undefined ? all : { name: all.name };
  const namespace = child.namespaced ? (own ?? owner.namespace) : undefined;
  if (child.namespaced && namespace === undefined) {
    throw new SynthesisError(title, `its chart gives ${kind} "${metadata.name}" no namespace`);
  }
  const placed = namespace === undefined ? metadata : { ...metadata, namespace };
  return { manifest: { ...(picked?.manifest ?? object), metadata: placed }, addedTo, fields: picked?.fields };
}

function refuseDuplicates(manifests: readonly Manifest[], title: string): void {
  const seen = new Set<string>();
  for (const manifest of manifests) {
    const id = idOf(manifest);
    if (seen.has(id)) throw new SynthesisError(title, `its chart makes "${id}" twice`);
    seen.add(id);
  }
}
