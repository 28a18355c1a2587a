import type * as z from "zod";
import type { CustomResource, ObjectKind } from "./object.ts";

/** One version of a kind. Exactly one version is the storage version, which is what charts see. */
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

/** A kind: the one declaration that types, validator, CRD, watches and RBAC come from. */
export interface KindDefinition<
  Spec extends z.ZodObject = z.ZodObject,
  Status extends z.ZodObject = z.ZodObject,
> extends ObjectKind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly versions: readonly KindVersion[];
  readonly columns: readonly PrinterColumn[];
  /** Schemas of the storage version. */
  readonly spec: Spec;
  readonly status: Status;
}

export type SpecOf<Definition> =
  Definition extends KindDefinition<infer Spec, z.ZodObject> ? z.output<Spec> : never;
export type StatusOf<Definition> =
  Definition extends KindDefinition<z.ZodObject, infer Status> ? z.output<Status> : never;
export type ResourceOf<Definition> = CustomResource<SpecOf<Definition>, StatusOf<Definition>>;
