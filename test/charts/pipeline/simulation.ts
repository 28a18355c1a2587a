import { DeliveryWorld } from "./delivery-world.ts";
import { Oracle } from "./oracle.ts";
import { Killed } from "./simulated-operator.ts";
import { hour, job, minute, second, threeStages } from "./stages.ts";

/** The events of a simulated day in addition to a commit a minute: probabilities for each minute. */
export interface Weather {
  /** Commits that revert, that change one stage alone, or that change nothing. */
  readonly oddCommits?: number;
  readonly failingJobs?: number;
  readonly illness?: number;
  readonly freezes?: number;
  readonly rollbacks?: number;
  readonly hotfixes?: number;
  readonly handPins?: number;
  readonly upgrades?: number;
  /** Changes of the inputs of one Release, so that it renders every commit differently. */
  readonly inputs?: number;
  /** Probability for each write. */
  readonly kills?: number;
  readonly restarts?: number;
  readonly approvals?: boolean;
}

export const fair: Weather = {};
export const foul: Weather = {
  oddCommits: 0.08,
  failingJobs: 0.2,
  illness: 0.03,
  freezes: 0.01,
  rollbacks: 0.01,
  hotfixes: 0.01,
  handPins: 0.005,
  upgrades: 0.002,
  kills: 0.01,
  restarts: 0.01,
};

/** Old commits render differently most of the time, and users ask for them. */
export const changing: Weather = { ...foul, upgrades: 0.02, inputs: 0.03, rollbacks: 0.05, hotfixes: 0.05 };

/** Gates for which a request would wait longer than a Promotion is given time. */
const everyGate = ["Order", "Approvals", "Freeze"];

export interface SimulationReport {
  readonly violations: readonly string[];
  /** Candidates that passed staging. */
  readonly passed: number;
  /** The longest time from a commit until prod no longer ran it. */
  readonly oldestInProdMs: number;
  readonly mostPromotions: number;
  readonly mostCandidates: number;
  /** Stages that run the last commit after all events have ended. */
  readonly arrived: readonly string[];
}

/** A seeded random number generator (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Runs a Pipeline of three stages for some hours, with a commit a minute. */
export function simulate({
  seed,
  hours,
  weather,
}: {
  readonly seed: number;
  readonly hours: number;
  readonly weather: Weather;
}): SimulationReport {
  const random = randomOf(seed);
  const isHit = (chance = 0): boolean => random() < chance;
  const prod = { onFailure: "RollBack", ...(weather.approvals === true && { enter: { approvals: {} } }) };
  const world = new DeliveryWorld({
    stages: threeStages({ staging: { pass: { soak: "10m", verify: [job()] } }, prod }),
  });
  const oracle = new Oracle(world);
  const passed = new Set<string>();
  let [oldestInProdMs, mostPromotions, mostCandidates, number] = [0, 0, 0, 0];
  let isClearing = false;
  const pushedMs = new Map<string, number>();
  world.jobOutcome = (spec) => {
    const outcome = !isClearing && isHit(weather.failingJobs) ? "Failed" : "Complete";
    oracle.noteJob(spec, outcome);
    return outcome;
  };
  world.onWrite = () => {
    if (!isClearing && isHit(weather.kills)) throw new Killed();
  };
  const stageOf = (): string => ["dev", "staging", "prod"][Math.floor(random() * 3)] ?? "dev";
  const push = (): void => {
    const everywhere = `${number}`;
    const [isRevert, isOfOne, isEmpty] = [0, 1, 2].map(() => isHit(weather.oddCommits));
    const text = isRevert === true ? `${Math.max(0, number - 3)}` : everywhere;
    const all = { dev: text, staging: text, prod: text };
    const contents = isEmpty === true ? {} : isOfOne === true ? { [stageOf()]: text } : all;
    pushedMs.set(world.push(contents), world.nowMs);
  };
  const later = (atMostMs: number, run: () => void): void =>
    world.at(minute + random() * atMostMs, () => (isClearing ? undefined : run()));
  const happen = (): void => {
    const name = `e${number++}`;
    if (isHit(weather.illness)) {
      const stage = stageOf();
      world.setHealth(stage, isHit(0.3) ? "Failed" : "Progressing");
      later(5 * minute, () => world.setHealth(stage, "Healthy"));
    }
    if (isHit(weather.freezes)) {
      world.freeze(name);
      later(hour, () => world.remove("Freeze", name));
    }
    const candidates = world.pipeline.status?.candidates ?? [];
    const any = candidates[Math.floor(random() * candidates.length)]?.revision;
    const before = world.promotions("prod").at(-3)?.spec.revision;
    if (isHit(weather.rollbacks) && before !== undefined) {
      const bypass = isHit(weather.inputs === undefined ? 0 : 0.5) ? { bypass: everyGate } : {};
      world.request(name, {
        ...{ stage: "prod", revision: before, hold: true, by: "ann", reason: "errors" },
        ...bypass,
      });
      later(hour, () => world.remove("Promotion", name));
    } else if (isHit(weather.hotfixes) && any !== undefined)
      world.request(name, {
        stage: "prod",
        revision: any,
        by: "ann",
        reason: "outage",
        bypass: weather.inputs === undefined ? ["Order", "Approvals"] : everyGate,
      });
    if (isHit(weather.handPins)) {
      const stage = stageOf();
      world.pinByHand(stage, world.commits.at(0)?.id ?? "");
      later(hour, () => world.pinByHand(stage, undefined));
    }
    if (isHit(weather.upgrades)) world.upgrade(name);
    if (isHit(weather.inputs)) world.changeInputs(stageOf(), name);
    for (const stage of ["dev", "staging", "prod"]) oracle.versions.add(world.versionFor(stage));
    if (isHit(weather.restarts)) world.restart();
    const asked = world.stage("prod").next?.digest;
    if (weather.approvals === true && asked !== undefined && isHit(0.2))
      world.approve(name, { stage: "prod", digest: asked });
  };
  const note = (): void => {
    for (const { spec, status } of world.promotions("staging"))
      if (status?.passedAt !== undefined) passed.add(spec.revision);
    mostPromotions = Math.max(mostPromotions, world.objects.list("Promotion").length);
    mostCandidates = Math.max(mostCandidates, world.pipeline.status?.candidates?.length ?? 0);
    oracle.noteRequests();
    const runs = world.release("prod").status?.deployed?.revision;
    if (runs !== undefined)
      oldestInProdMs = Math.max(oldestInProdMs, world.nowMs - (pushedMs.get(runs) ?? 0));
  };
  for (let elapsedMs = 0; elapsedMs < hours * hour; elapsedMs += minute) {
    push();
    happen();
    for (let step = 0; step < 6; step++) {
      world.run(10 * second);
      note();
    }
  }
  isClearing = true;
  clearUp(world);
  const last = world.push({ dev: "last", staging: "last", prod: "last" });
  world.run(2 * hour);
  const asked = world.stage("prod").next?.digest;
  if (asked !== undefined) world.approve("last", { stage: "prod", digest: asked });
  world.run(hour);
  const arrived = ["dev", "staging", "prod"].filter(
    (name) => world.release(name).status?.deployed?.revision === last && world.stage(name).phase === "Passed",
  );
  return {
    violations: oracle.violations,
    passed: passed.size,
    oldestInProdMs,
    mostPromotions,
    mostCandidates,
    arrived,
  };
}

/** Ends all events, so that no stage is blocked. */
function clearUp(world: DeliveryWorld): void {
  for (const name of ["dev", "staging", "prod"]) {
    world.setHealth(name, "Healthy");
    if (!world.release(name).addedFields) world.pinByHand(name, undefined);
    world.pinByHand(name, undefined);
  }
  for (const { metadata } of world.objects.list("Freeze")) world.remove("Freeze", metadata.name);
  for (const { metadata, ours } of world.objects.list("Promotion"))
    if (!ours) world.remove("Promotion", metadata.name);
}
