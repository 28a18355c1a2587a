import type { LiveObject, ObjectKind, ObjectMeta } from "../../crds/object.ts";
import { AlreadyThereError, ReplacedError } from "../../operator/errors.ts";
import type {
  ApplyGuard,
  AtVersion,
  Cluster,
  DeleteOptions,
  DryCluster,
  ObjectRef,
} from "../../operator/ports.ts";
import { toCanonicalJson } from "../../synth/digest.ts";
import { type Addition, idOf, type Manifest } from "../../synth/manifest.ts";
import { nameOfAddition, withFieldsOf } from "./added-fields.ts";

/** One received request, such as `apply ConfigMap/a`. */
export type Request = string;

const leavingSince = "2026-01-01T00:00:00Z";

/**
 * An API server in memory with the operations of a reconcile: it stores applied objects, assigns uids and versions, and
 * checks preconditions. An error that a test sets with `refuse` is thrown once for its request.
 */
export class FakeCluster implements Cluster {
  readonly requests: Request[] = [];
  readonly objects = new Map<string, LiveObject>();
  /** Objects that applies created, such as `ConfigMap/a`. */
  readonly created: string[] = [];
  /** Whether an object is removed only some time after its deletion, like a namespace. */
  lingers: (object: LiveObject) => boolean = () => false;
  /** Rewrites stored objects, as an admission webhook does. */
  rewrite: (object: LiveObject) => LiveObject = (object) => object;
  readonly #refusals = new Map<Request, Error>();
  #version = 100;

  /** The next versions are larger than this one, such as that of a watch event. */
  skipVersions(last: number): void {
    this.#version = Math.max(this.#version, last);
  }

  refuse(request: Request, error: Error): void {
    this.#refusals.set(request, error);
  }

  /** Cancels {@link refuse}, if the request was not sent. */
  accept(request: Request): void {
    this.#refusals.delete(request);
  }

  until(): FakeCluster {
    return this;
  }

  /** Returns itself: recorded requests do not contain their sender. */
  as(): FakeCluster {
    return this;
  }

  /** The same preconditions and errors, as `dry-run ConfigMap/a`; nothing is stored. */
  dryRun(): DryCluster {
    return {
      read: (ref) => this.read(ref),
      apply: async (_, manifest, guard) => {
        this.#note(`dry-run ${manifest.kind}/${manifest.metadata.name}`);
        const found = this.#guard(manifest, guard);
        const metadata = {
          ...manifest.metadata,
          uid: found?.metadata.uid ?? "uid-dry",
          resourceVersion: "0",
        };
        return { ...manifest, metadata, ours: true };
      },
    };
  }

  /** Stores an object as another client created or changed it. */
  put(object: LiveObject): LiveObject {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...object, metadata };
    this.objects.set(idOf(stored), stored);
    return stored;
  }

  async apply(_: ObjectKind, manifest: Manifest, guard: ApplyGuard): Promise<LiveObject> {
    this.#note(`apply ${manifest.kind}/${manifest.metadata.name}`);
    const found = this.#guard(manifest, guard);
    if (found === undefined) this.created.push(`${manifest.kind}/${manifest.metadata.name}`);
    const metadata = { ...manifest.metadata, uid: found?.metadata.uid ?? `uid-${++this.#version}` };
    return this.#store({ ...manifest, metadata, ours: true });
  }

  async add(addition: Addition, { uid }: { readonly uid: string }): Promise<LiveObject> {
    this.#note(nameOfAddition(addition));
    const { manifest } = addition;
    const found = this.objects.get(idOf(manifest));
    if (found?.metadata.uid !== uid) throw new ReplacedError(idOf(manifest));
    if (addition.fields !== undefined) return this.#store(withFieldsOf(found, addition));
    const { metadata: _, ...fields } = manifest;
    return this.#store({ ...found, ...fields });
  }

  async read({ kind, namespace, name }: ObjectRef): Promise<LiveObject | undefined> {
    this.#note(`read ${kind.kind}/${name}`);
    return this.objects.get(`${kind.group}/${kind.kind}/${namespace ?? ""}/${name}`);
  }

  async delete(
    { kind, namespace, name }: ObjectRef,
    { uid, resourceVersion }: Pick<DeleteOptions, "uid" | "resourceVersion">,
  ): Promise<LiveObject | undefined> {
    this.#note(`delete ${kind.kind}/${name}`);
    const id = `${kind.group}/${kind.kind}/${namespace ?? ""}/${name}`;
    const found = this.objects.get(id);
    if (found?.metadata.uid !== uid) return undefined;
    if (resourceVersion !== undefined && found.metadata.resourceVersion !== resourceVersion)
      throw new ReplacedError(id);
    if (this.lingers(found))
      return this.#store({ ...found, metadata: { ...found.metadata, deletionTimestamp: leavingSince } });
    this.objects.delete(id);
    return undefined;
  }

  async patchStatus(
    { kind, namespace, name }: ObjectRef,
    uid: string,
    status: object,
    { resourceVersion }: AtVersion = {},
  ): Promise<LiveObject | undefined> {
    this.#note(`status ${kind.kind}/${name}`);
    const found = this.objects.get(`${kind.group}/${kind.kind}/${namespace ?? ""}/${name}`);
    if (found?.metadata.uid !== uid) return undefined;
    if (resourceVersion !== undefined && found.metadata.resourceVersion !== resourceVersion)
      throw new ReplacedError(idOf(found));
    return this.#store({ ...found, status: merge(found["status"], status) });
  }

  async patchMetadata(
    { kind, namespace, name }: ObjectRef,
    metadata: Partial<ObjectMeta>,
  ): Promise<LiveObject | undefined> {
    this.#note(`metadata ${kind.kind}/${name}`);
    const found = this.objects.get(`${kind.group}/${kind.kind}/${namespace ?? ""}/${name}`);
    if (found === undefined) return undefined;
    const labels = { ...found.metadata.labels, ...metadata.labels };
    const annotations = { ...found.metadata.annotations, ...metadata.annotations };
    return this.#store({ ...found, metadata: { ...found.metadata, ...metadata, labels, annotations } });
  }

  async takeOverFields(_: ObjectKind, live: LiveObject): Promise<LiveObject> {
    this.#note(`take over ${live.kind}/${live.metadata.name}`);
    return this.#store({ ...live, ours: true });
  }

  #store(
    object: Omit<LiveObject, "metadata"> & { readonly metadata: ObjectMeta & { readonly uid: string } },
  ): LiveObject {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = this.rewrite({ ...object, metadata } as LiveObject);
    const before = this.objects.get(idOf(stored));
    // A write that changes nothing creates no version.
    if (before !== undefined && versionless(before) === versionless(stored)) return before;
    this.objects.set(idOf(stored), stored);
    return stored;
  }

  /** The current object with the name. */
  #guard(manifest: Manifest, guard: ApplyGuard): LiveObject | undefined {
    const id = idOf(manifest);
    const found = this.objects.get(id);
    if (guard.mode === "create" && found !== undefined) throw new AlreadyThereError(id);
    if (guard.mode === "update" && found?.metadata.uid !== guard.uid) throw new ReplacedError(id);
    return found;
  }

  #note(request: Request): void {
    this.requests.push(request);
    const error = this.#refusals.get(request);
    this.#refusals.delete(request);
    if (error !== undefined) throw error;
  }
}

/** A JSON merge patch: null removes a field. */
function merge(before: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const merged: Record<string, unknown> = isFields(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  }
  return merged;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function versionless({ metadata: { resourceVersion: _, ...metadata }, ...rest }: LiveObject): string {
  return toCanonicalJson({ ...rest, metadata });
}
