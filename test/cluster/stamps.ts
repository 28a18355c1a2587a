import { join } from "node:path";
import { ConfigMap } from "../../crds/core-kinds.ts";
import { apiVersionOf, type KubernetesObject, type ObjectKind } from "../../crds/object.ts";
import { collectionPath, objectPath } from "../../operator/cluster/resource-path.ts";
import type { ApiRequest } from "../../operator/cluster/transport.ts";
import { eventually, testCluster } from "./fixture.ts";
import { aHarness, type Harness, hasCondition, type SeenResource } from "./harness.ts";
import { install } from "./install.ts";
import { kubeAdapter } from "./kube-adapter.ts";
import { STAMP_RIGHTS } from "./shared-kinds.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** A harness for an operator of Stamps. */
export interface StampHarness extends Harness {
  /** Creates or changes Stamps with these names, with many concurrent requests. */
  apply(names: readonly string[], spec: object): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
  list(): Promise<SeenResource[]>;
  children(): Promise<KubernetesObject[]>;
  /**
   * Waits until this number of Stamps exists, and the operator has reported for each of them that it is Ready, and
   * published.
   */
  untilSettled(count: number, timeoutMs?: number): Promise<SeenResource[]>;
  /** Waits for this condition on all Stamps. */
  until(
    what: string,
    check: (stamps: SeenResource[]) => boolean,
    timeoutMs?: number,
  ): Promise<SeenResource[]>;
}

export const stampProgram = join(import.meta.dirname, "stamp-program.ts");
/** An operator without a fence of its own, which continues after it has lost its lease. */
export const unfencedProgram = join(import.meta.dirname, "unfenced-program.ts");

/** Names `prefix-0` and so on. */
export function manyNames(count: number, prefix = "stamp"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

export interface StampHarnessOptions {
  /** An additional group for Stamps that only this test uses, so that it may change their CRD. */
  readonly ownGroup?: string | undefined;
}

/** A harness with a separate user, for an operator of Stamps. */
export async function aStampHarness({
  ownGroup = undefined,
}: StampHarnessOptions = {}): Promise<StampHarness> {
  const { definition } = stampIn(sharedGroup);
  const groups = [sharedGroup, ...(ownGroup === undefined ? [] : [ownGroup])];
  const rights = ownGroup?.replaceAll(".", "-") ?? STAMP_RIGHTS;
  if (ownGroup !== undefined) await install(testCluster(), { kinds: groups.map(stampIn), name: rights });
  const environment = { STAMP_GROUPS: groups.join(",") };
  const harness = await aHarness({ rights, program: stampProgram, environment });
  const { namespace } = harness;
  const { transport } = await kubeAdapter();
  const send = async (request: ApiRequest): Promise<string> => {
    const { status, body } = await transport.send(request);
    if (status >= 400 && !(request.method === "DELETE" && status === 404)) throw new Error(body);
    return body;
  };
  const listOf = async <T>(kind: ObjectKind): Promise<T[]> =>
    JSON.parse(await send({ method: "GET", path: collectionPath(kind, namespace) })).items;
  const list = (): Promise<SeenResource[]> => listOf(definition);
  const until: StampHarness["until"] = (what, check, timeoutMs) =>
    eventually(
      async () => {
        const stamps = await list();
        if (check(stamps)) return stamps;
        throw new Error(describe(stamps));
      },
      { what, ...(timeoutMs !== undefined && { timeoutMs }), intervalMs: 200 },
    );
  return {
    ...harness,
    async apply(names, spec) {
      await Promise.all(
        names.map((name) =>
          send({
            method: "PATCH",
            path: `${objectPath(definition, { namespace, name })}?fieldManager=test&force=true`,
            contentType: "application/apply-patch+yaml",
            body: JSON.stringify({
              apiVersion: apiVersionOf(definition),
              kind: definition.kind,
              metadata: { name },
              spec,
            }),
          }),
        ),
      );
    },
    async remove(names) {
      await Promise.all(
        names.map((name) => send({ method: "DELETE", path: objectPath(definition, { namespace, name }) })),
      );
    },
    list,
    children: async () =>
      (await listOf<KubernetesObject>(ConfigMap)).filter(
        ({ metadata }) => metadata.labels?.["fairlead.dev/set"],
      ),
    untilSettled: (count, timeoutMs) =>
      until(
        `${count} Stamps are Ready and published`,
        (stamps) => stamps.length === count && stamps.every(isSettled),
        timeoutMs,
      ),
    until,
  };
}

/** Whether the operator has reported that the newest generation is healthy. */
export function isSettled(resource: SeenResource): boolean {
  return ["Ready", "Published"].every((type) => hasCondition(resource, { type }));
}

function describe(stamps: readonly SeenResource[]): string {
  const open = stamps.filter((one) => !isSettled(one));
  const [first] = open;
  return `${stamps.length} Stamps, ${open.length} not settled, such as ${first?.metadata.name}: ${JSON.stringify(first?.status)}`;
}
