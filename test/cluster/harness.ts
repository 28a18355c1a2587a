import type { Condition } from "../../crds/conditions.ts";
import { apiVersionOf, groupKindOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { readAuditLog } from "./audit-log.ts";
import { aNamespace, applyObjects, auditEvents, eventually, kubectlJson, readObject } from "./fixture.ts";
import { type RunningOperator, startOperator } from "./operator.ts";
import { aRepository, type TestRepository } from "./repository.ts";

/** A custom resource as used by a test. */
export interface SeenResource extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: EngineStatus & Readonly<Record<string, unknown>>;
}

/** An operator that watches one namespace and publishes to one repository, all for one test. */
export interface Harness {
  readonly namespace: string;
  readonly repository: TestRepository;
  /** Starts or restarts the operator. */
  start(args?: readonly string[]): Promise<RunningOperator>;
}

/** A namespace, a repository, and a function that starts an operator for both. */
export async function aHarness(): Promise<Harness> {
  const namespace = await aNamespace();
  const repository = aRepository();
  const start = (args: readonly string[] = []) =>
    startOperator({ args: [`--namespace=${namespace}`, ...repository.args, ...args] });
  return { namespace, repository, start };
}

/** Applies a custom resource as its user, and returns it as stored by the server. */
export async function applyResource(
  kind: ObjectKind,
  namespace: string,
  { name = "web", ...spec }: Readonly<Record<string, unknown>> & { readonly name?: string },
): Promise<SeenResource> {
  const metadata = { name, namespace };
  const [stored] = await applyObjects({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec });
  return stored as SeenResource;
}

/** Reads an existing custom resource. */
export async function seen(kind: ObjectKind, namespace: string, name = "web"): Promise<SeenResource> {
  const found = await readObject<SeenResource>(groupKindOf(kind), name, namespace);
  if (found === undefined) throw new Error(`there is no ${kind.kind} ${namespace}/${name}`);
  return found;
}

/** Waits until the operator has reported for the newest generation that a condition has this status (and reason). */
export function untilCondition(
  kind: ObjectKind,
  namespace: string,
  wanted: {
    readonly type: string;
    readonly status?: string;
    readonly reason?: string;
    readonly name?: string;
  },
): Promise<SeenResource> {
  const { type, status = "True", reason, name = "web" } = wanted;
  return eventually(
    async () => {
      const resource = await seen(kind, namespace, name);
      const condition = conditionOf(resource, type);
      const isThere =
        condition?.status === status &&
        (reason === undefined || condition.reason === reason) &&
        condition.observedGeneration === resource.metadata.generation;
      if (!isThere) throw new Error(JSON.stringify(resource.status ?? "no status"));
      return resource;
    },
    { what: `${kind.kind} ${name} is ${type}=${status} ${reason ?? ""}` },
  );
}

/** Waits until a resource is Ready in its current generation. */
export function untilReady(kind: ObjectKind, namespace: string, name = "web"): Promise<SeenResource> {
  return untilCondition(kind, namespace, { type: "Ready", name });
}

/** One condition of a resource. */
export function conditionOf({ status }: Pick<SeenResource, "status">, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Waits until an object is deleted. */
export async function untilGone(type: string, name: string, namespace: string): Promise<void> {
  await eventually(async () => (await readObject(type, name, namespace)) === undefined, {
    what: `${type} ${name} is deleted`,
  });
}

/** One event about an object, as in `kubectl describe`. */
export interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string };
}

/** The events that the operator has recorded about one object of a namespace. */
export async function eventsOf(namespace: string, kind: string, name = "web"): Promise<SeenEvent[]> {
  const list = await kubectlJson<{
    readonly items: readonly (SeenEvent & { reportingController?: string })[];
  }>(["get", "events.events.k8s.io", "-n", namespace]);
  return list.items.filter(
    ({ regarding, reportingController }) =>
      regarding.kind === kind && regarding.name === name && /fairlead/.test(reportingController ?? ""),
  );
}

/** Waits for at least one such event. */
export function untilEvents(namespace: string, kind: string, name = "web"): Promise<SeenEvent[]> {
  return eventually(
    async () => {
      const events = await eventsOf(namespace, kind, name);
      return events.length > 0 && events;
    },
    { what: `an event about ${kind} ${name}` },
  );
}

/** A write of the operator, from the audit log: `patch services/status web 200`. */
export async function operatorWrites(
  namespace: string,
  since?: Date,
  auditLogPath?: string,
): Promise<string[]> {
  const query = { user: "operator", namespace, ...(since && { since }) };
  const events = await (auditLogPath === undefined ? auditEvents(query) : readAuditLog(auditLogPath, query));
  return events
    .filter(({ verb }) => !reads.has(verb))
    .map(({ verb, objectRef = {}, responseStatus }) => {
      const { resource = "", subresource, name = "" } = objectRef;
      return `${verb} ${resource}${subresource ? `/${subresource}` : ""} ${name} ${responseStatus?.code}`;
    });
}

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);
