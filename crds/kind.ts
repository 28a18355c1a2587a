import * as z from "zod";
import { refuseLostFields } from "./lost-fields.ts";
import type { CustomResource, ObjectKind } from "./object.ts";
import { refuseUnknownPaths } from "./schema-paths.ts";
import { engineStatus } from "./status.ts";

/** One version of a kind. Exactly one version is the storage version, which charts use. */
export interface KindVersion<
  Spec extends z.ZodObject = z.ZodObject,
  Status extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly spec: Spec;
  readonly status: Status;
}

/** A column of `kubectl get`, as a CRD declares it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: number;
}

/** Paths for `kubectl scale` and autoscalers, as JSON paths in the resource. */
export interface Scale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A kind: the single declaration from which types, validator, CRD, watches and RBAC are derived. */
export interface KindDefinition<
  Spec extends z.ZodObject = z.ZodObject,
  Status extends z.ZodObject = z.ZodObject,
> extends ObjectKind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly versions: readonly KindVersion[];
  readonly columns: readonly PrinterColumn[];
  readonly scale?: Scale;
  /** Schemas of the storage version. */
  readonly spec: Spec;
  readonly status: Status;
}

export type SpecOf<Definition> =
  Definition extends KindDefinition<infer Spec, z.ZodObject> ? z.output<Spec> : never;
export type StatusOf<Definition> =
  Definition extends KindDefinition<z.ZodObject, infer Status> ? z.output<Status> : never;
export type ResourceOf<Definition> = CustomResource<SpecOf<Definition>, StatusOf<Definition>>;

/** A version in its author's form: the status contains only the kind's own fields. */
export interface KindVersionInput {
  readonly name: string;
  /** Whether the API server offers this version. Default: true. */
  readonly served?: boolean;
  /** Whether objects are stored in this version. Default: true where there is only one version. */
  readonly storage?: boolean;
  readonly spec: z.ZodObject;
  readonly status?: z.ZodObject;
  /** Reserved: a pure function from this version's spec to the storage version's. */
  readonly convert?: never;
}

export interface DefineKindInput<Versions extends readonly KindVersionInput[]> {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly description: string;
  readonly scope?: "Namespaced" | "Cluster";
  /** Whether a controller reports on the objects: adds the engine's status and its columns. Default: true. */
  readonly hasStatus?: boolean;
  readonly versions: Versions;
  /** Columns of the kind's own, before READY, STATUS and AGE. */
  readonly columns?: readonly PrinterColumn[];
  /** Columns after AGE, for long texts, so that they do not shift other columns. */
  readonly lastColumns?: readonly PrinterColumn[];
  readonly scale?: Scale;
}

type StorageVersion<Versions extends readonly KindVersionInput[]> = Versions extends readonly [infer Only]
  ? Only
  : Extract<Versions[number], { readonly storage: true }>;

type SpecSchema<Version> = Version extends { readonly spec: infer Spec extends z.ZodObject } ? Spec : never;

type OwnStatusShape<Version> = Version extends {
  readonly status: z.ZodObject<infer Shape extends z.core.$ZodShape>;
}
  ? Shape
  : Record<never, never>;

type StatusSchema<Version> = z.ZodObject<
  OwnStatusShape<Version> & Omit<typeof engineStatus.shape, keyof OwnStatusShape<Version>>
>;

/** The kind of a declaration: spec and status have the types of its storage version. */
export type DefinedKind<Versions extends readonly KindVersionInput[]> = KindDefinition<
  SpecSchema<StorageVersion<Versions>>,
  StatusSchema<StorageVersion<Versions>>
>;

const engineColumns: readonly PrinterColumn[] = [
  {
    name: "Ready",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: "Whether everything was applied and is healthy.",
  },
  {
    name: "Status",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: "Why the resource is ready or not.",
  },
  {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: "Age of the resource.",
  },
];

/**
 * Declares a kind. The engine's status fields are added to every version's status; a kind may declare `conditions` of
 * its own shape, and neither `observedGeneration` nor `published`.
 *
 * @throws {RangeError} if not exactly one version is the storage version, if that one is not served, if a version's name
 * or a field of the engine is used twice, if a field would be lost between two versions, or if a column or the scale
 * reads a field that does not exist.
 */
export function defineKind<const Versions extends readonly [KindVersionInput, ...KindVersionInput[]]>(
  input: DefineKindInput<Versions>,
): DefinedKind<Versions> {
  const title = `${input.kind}.${input.group}`;
  const isOnly = input.versions.length === 1;
  const versions = input.versions.map((version): KindVersion => {
    const { name, served = true, storage = isOnly, spec } = version;
    const reported = input.hasStatus === false ? z.object({}) : withEngineFields(version, title);
    return { name, served, storage, spec, status: reported };
  });
  const { name: version, spec, status } = storageVersionOf(versions, title);
  refuseLostFields(versions, title);
  const { columns = [], lastColumns = [], scale } = input;
  const schemas = { spec, status: input.hasStatus === false ? undefined : status };
  refuseUnknownPaths({ columns: [...columns, ...lastColumns], scale }, schemas, title);
  const definition: KindDefinition = {
    group: input.group,
    version,
    kind: input.kind,
    plural: input.plural,
    namespaced: (input.scope ?? "Namespaced") === "Namespaced",
    singular: input.singular ?? input.kind.toLowerCase(),
    shortNames: input.shortNames ?? [],
    description: input.description,
    versions,
    columns: [
      ...columns,
      ...engineColumns.filter(({ jsonPath }) => input.hasStatus !== false || !jsonPath.startsWith(".status")),
      ...lastColumns,
    ],
    ...(scale === undefined ? {} : { scale }),
    spec,
    status,
  };
  // The types determine which of the versions is stored; storageVersionOf() found that one.
  return definition as DefinedKind<Versions>;
}

function withEngineFields({ name, status }: KindVersionInput, title: string): z.ZodObject {
  const own = status?.shape ?? {};
  for (const field of ["observedGeneration", "published"]) {
    if (!(field in own)) continue;
    throw new RangeError(
      `Cannot define "${title}": status field "${field}" of version "${name}" is reserved for the engine`,
    );
  }
  return engineStatus.extend(own).describe(status?.description ?? "Observed state.");
}

function storageVersionOf(versions: readonly KindVersion[], title: string): KindVersion {
  const names = new Set(versions.map(({ name }) => name));
  if (names.size < versions.length)
    throw new RangeError(`Cannot define "${title}": two versions have one name`);
  const [stored, ...others] = versions.filter(({ storage }) => storage);
  if (stored === undefined || others.length > 0) {
    const found = stored === undefined ? "none" : [stored, ...others].map(({ name }) => name).join(", ");
    throw new RangeError(
      `Cannot define "${title}": exactly one version must be the storage version, found ${found}`,
    );
  }
  if (!stored.served) {
    throw new RangeError(`Cannot define "${title}": storage version "${stored.name}" must be served`);
  }
  return stored;
}
