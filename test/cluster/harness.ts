import type { Condition } from "../../crds/conditions.ts";
import { apiVersionOf, groupKindOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import type { AuditEvent } from "./audit-log.ts";
import { aNamespace, applyObjects, eventually, kubectlJson, readObject } from "./fixture.ts";
import { type RunningOperator, type StartOperatorOptions, startOperator } from "./operator.ts";
import { anOperatorUser, isWork, lineOf, type OperatorUser, sharedOperatorUser } from "./operator-user.ts";
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

/** An operator that watches one namespace, a git repository, and the user of the operator, all for one test. */
export interface Harness {
  readonly namespace: string;
  readonly repository: TestRepository;
  readonly user: OperatorUser;
  /** Starts or restarts the operator; default options: those of the harness. */
  start(args?: readonly string[], options?: Omit<StartOperatorOptions, "args">): Promise<RunningOperator>;
  /** Writes of the operator since a time (default: all), such as `patch services/status web 200`; default: {@link isWork}. */
  writes(since?: Date, counts?: (request: AuditEvent) => boolean): Promise<readonly string[]>;
}

export interface HarnessOptions extends Pick<StartOperatorOptions, "program" | "environment"> {
  /** Name of the roles of a separate user. Default: the user `operator`, which tests share. */
  readonly rights?: string;
  /** Whether the operator publishes to the repository. Default: yes. */
  readonly publishes?: boolean;
}

/** A namespace, a repository, and a function that starts an operator for both. */
export async function aHarness(options: HarnessOptions = {}): Promise<Harness> {
  const { rights, publishes = true, environment, ...defaults } = options;
  const namespace = await aNamespace();
  const repository = aRepository();
  const user =
    rights === undefined ? sharedOperatorUser(namespace) : await anOperatorUser(namespace, { rights });
  return {
    namespace,
    repository,
    user,
    start: (args = [], more = {}) =>
      startOperator({
        kubeconfigPath: user.kubeconfigPath,
        ...defaults,
        ...more,
        environment: { ...environment, ...more.environment },
        args: [
          `--namespace=${namespace}`,
          `--leader-elect-namespace=${namespace}`,
          ...(publishes ? repository.args : []),
          ...args,
        ],
      }),
    writes: async (since, counts = isWork) => (await user.requests(since)).filter(counts).map(lineOf),
  };
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

/** A state of a resource, for {@link untilSeen}. */
export interface WantedState {
  /** Name of the resource. Default: `web`. */
  readonly name?: string;
  /** The state, for the error: `Echo web is Ready`. */
  readonly what: string;
  readonly holds: (found: SeenResource) => boolean;
}

/** Waits until an existing custom resource has a state. The error contains its last status. */
export function untilSeen(
  kind: ObjectKind,
  namespace: string,
  { name = "web", what, holds }: WantedState,
): Promise<SeenResource> {
  return eventually(
    async () => {
      const found = await seen(kind, namespace, name);
      if (!holds(found)) throw new Error(JSON.stringify(found.status ?? "no status"));
      return found;
    },
    { what },
  );
}

/** A condition of a resource. */
export interface Wanted {
  /** Default: `Ready`. */
  readonly type?: string;
  /** Default: `True`. */
  readonly status?: string;
  /** Default: any. */
  readonly reason?: string;
  /** Default: any. */
  readonly message?: RegExp;
}

/** Waits until the operator has reported a condition for the newest generation of a resource. */
export function untilCondition(
  kind: ObjectKind,
  namespace: string,
  { name = "web", ...wanted }: Wanted & { readonly name?: string },
): Promise<SeenResource> {
  const { type = "Ready", status = "True", reason = "", message = "" } = wanted;
  const what = `${kind.kind} ${name} is ${type}=${status} ${reason} ${message}`.trimEnd();
  return untilSeen(kind, namespace, { name, what, holds: (found) => hasCondition(found, wanted) });
}

/** Whether the operator has reported a condition for the newest generation of a resource. */
export function hasCondition(
  resource: SeenResource,
  { type = "Ready", status = "True", reason, message = /(?:)/ }: Wanted = {},
): boolean {
  const condition = conditionOf(resource, type);
  return (
    condition?.status === status &&
    (reason === undefined || condition.reason === reason) &&
    message.test(condition.message) &&
    condition.observedGeneration === resource.metadata.generation
  );
}

/** Waits until a resource is Ready in its current generation. */
export function untilReady(kind: ObjectKind, namespace: string, name = "web"): Promise<SeenResource> {
  return untilCondition(kind, namespace, { name });
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
