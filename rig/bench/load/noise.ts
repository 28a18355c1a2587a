import { setTimeout as sleep } from "node:timers/promises";
import { aBenchSet, type BenchApi, unwatchedGroup } from "./bench-api.ts";

/** The namespace of noise. No other measurement watches it. */
export const noisyNamespace = "noisy";
const configMapsPath = `/api/v1/namespaces/${noisyNamespace}/configmaps`;
const benchSetsPath = `/apis/bench.fairlead.dev/v1alpha1/namespaces/${noisyNamespace}/benchsets`;
const unwatchedPath = `/apis/${unwatchedGroup}/v1alpha1/namespaces/${noisyNamespace}/benchsets`;

/** A neighbour that generates load from `begin` until `signal`. */
export interface Neighbour {
  readonly name: string;
  readonly title: string;
  begin(api: BenchApi, signal: AbortSignal): Promise<void>;
  /** Sends the same requests for objects that no operator watches, to measure the machine and the API server alone. */
  beginControl(api: BenchApi, signal: AbortSignal): Promise<void>;
  end(api: BenchApi): Promise<void>;
}

/** Repeats an action at this rate per second, with at most four at once, until `signal`. */
async function repeat(
  perSecond: number,
  signal: AbortSignal,
  act: (count: number) => Promise<unknown>,
): Promise<void> {
  const startMs = performance.now();
  const running = new Set<Promise<unknown>>();
  for (let count = 0; !signal.aborted; count++) {
    const dueMs = startMs + (count * 1_000) / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    if (running.size >= 4) await Promise.race(running);
    const run = act(count).catch(() => undefined);
    running.add(run);
    void run.then(() => running.delete(run));
  }
  await Promise.all(running);
}

const remove = (name: string) => async (api: BenchApi) => {
  await api.send("DELETE", `${benchSetsPath}/${name}`, undefined, [404]);
  await api.send("DELETE", `${configMapsPath}?labelSelector=noise`);
};

/** A ConfigMap without an owner. */
const aConfigMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { noise: "" } },
  data: { index: "0" },
});

/** Changes ConfigMaps without an owner at this rate per second. */
async function changeConfigMaps(api: BenchApi, signal: AbortSignal, perSecond: number): Promise<void> {
  await api.apply(`${configMapsPath}/unowned`, aConfigMap("unowned"));
  void repeat(perSecond, signal, (count) =>
    api.send("PATCH", `${configMapsPath}/unowned`, { data: { index: `${count}` } }, [404]),
  );
}

/** Creates ConfigMaps without an owner, eight at a time. */
async function createConfigMaps(api: BenchApi, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `unowned-${index}`).values();
  const lane = async (): Promise<void> => {
    for (const name of names) await api.apply(`${configMapsPath}/${name}`, aConfigMap(name));
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

/** A name with which the children's names are one character too long. */
const failing = "f".repeat(252);

export const neighbours: readonly Neighbour[] = [
  {
    name: "failing",
    title: "one that fails for ever",
    begin: (api) => api.apply(`${benchSetsPath}/${failing}`, aBenchSet(failing, 3)),
    beginControl: () => Promise.resolve(),
    end: remove(failing),
  },
  {
    name: "busy",
    title: "one that changes 100 times a second",
    async begin(api, signal) {
      await api.apply(`${benchSetsPath}/busy`, aBenchSet("busy", 3));
      void repeat(100, signal, (count) =>
        api.send("PATCH", `${benchSetsPath}/busy`, { spec: { size: 3 + (count % 3) } }),
      );
    },
    async beginControl(api, signal) {
      await api.apply(`${unwatchedPath}/busy`, aBenchSet("busy", 3, unwatchedGroup));
      void repeat(100, signal, (count) =>
        api.send("PATCH", `${unwatchedPath}/busy`, { spec: { size: 3 + (count % 3) } }),
      );
    },
    end: remove("busy"),
  },
  {
    name: "large",
    title: "one with 500 children, which all go again and again",
    async begin(api, signal) {
      await api.apply(`${benchSetsPath}/large`, aBenchSet("large", 500));
      void repeat(0.2, signal, async (count) => {
        if (count > 0) await api.send("DELETE", `${configMapsPath}?labelSelector=podSet_cr%3Dlarge`);
      });
    },
    async beginControl(api, signal) {
      void repeat(0.2, signal, async (count) => {
        if (count > 0) await api.send("DELETE", `${configMapsPath}?labelSelector=noise`);
        await createConfigMaps(api, 500);
      });
    },
    end: remove("large"),
  },
  {
    name: "flapping",
    title: "one whose children are changed 50 times a second",
    async begin(api, signal) {
      await api.apply(`${benchSetsPath}/flapping`, aBenchSet("flapping", 3));
      void repeat(50, signal, (count) =>
        api.send(
          "PATCH",
          `${configMapsPath}/flapping-${count % 3}`,
          { data: { index: `wrong ${count}` } },
          [404],
        ),
      );
    },
    beginControl: (api, signal) => changeConfigMaps(api, signal, 50),
    end: remove("flapping"),
  },
];
