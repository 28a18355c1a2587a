import { DeliveryWorld } from "./delivery-world.ts";

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** One Release for each stage, with the same name, and a soak of 10 minutes in staging. */
export function threeStages({
  dev = {},
  staging = {},
  prod = {},
}: {
  readonly dev?: object;
  readonly staging?: object;
  readonly prod?: object;
} = {}): readonly object[] {
  return [
    { name: "dev", releases: [{ name: "dev" }], ...dev },
    { name: "staging", releases: [{ name: "staging" }], pass: { soak: "10m" }, ...staging },
    { name: "prod", releases: [{ name: "prod" }], ...prod },
  ];
}

/** The same content for every stage. */
export const everywhere = (text: string) => ({ dev: text, staging: text, prod: text });

/** A world with three stages, using the charts, a minute after its start. */
export function aShop(stages: Parameters<typeof threeStages>[0] = {}, spec: object = {}): DeliveryWorld {
  const world = new DeliveryWorld({ stages: threeStages(stages), spec, throughCharts: true });
  world.run(minute);
  return world;
}

/** The commits that a stage received, in order. */
export const promoted = (world: DeliveryWorld, stage: string): readonly string[] =>
  world.promotions(stage).map(({ spec }) => spec.revision);

/** The gates at which a stage waits. */
export const gatesOf = (world: DeliveryWorld, stage: string): readonly string[] =>
  (world.stage(stage).waiting ?? []).map(({ gate }) => gate);

/** The messages of a stage's closed gates, as one text. */
export const waitingOf = (world: DeliveryWorld, stage: string): string =>
  (world.stage(stage).waiting ?? []).map(({ message }) => message).join("; ");

export const job = (name = "e2e", more: object = {}) => ({
  name,
  template: {
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name, image: "busybox" }] } } },
  },
  ...more,
});

/** A Release that no operator reconciles any more; the result lets one do so again. */
export function silence(world: DeliveryWorld, silent: string): () => void {
  const schedule = world.scheduleRelease.bind(world);
  world.scheduleRelease = (name) => {
    if (name !== silent) schedule(name);
  };
  return () => {
    world.scheduleRelease = schedule;
    schedule(silent);
  };
}
