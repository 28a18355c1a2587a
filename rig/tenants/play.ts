import { eventually } from "../../test/cluster/eventually.ts";
import type { TestCluster } from "../../test/cluster/global-setup.ts";
import { type Chance, chanceFrom } from "../faults/random.ts";
import { AuditFeed, findViolations } from "./judge.ts";
import { folders, makeMove, releaseNames } from "./moves.ts";
import { makeAllowance } from "./policies.ts";
import { attackerPrograms } from "./programs.ts";
import { countElsewhere, findPublishViolations, PublishedFeed } from "./published.ts";
import { readAll, reasonsOf } from "./release-state.ts";
import { aConfigMap, deployFrom, untilReadyAt } from "./releases.ts";
import { createTenantStage, type TenantStage } from "./stage.ts";
import { Victim } from "./victim.ts";

export interface PlayOptions {
  readonly seed: number;
  readonly moves: number;
  /** Called with the result of each round, for users. */
  readonly onRound: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface PlayedMoves {
  readonly seed: number;
  readonly moves: number;
  /** Number of responses of the API server by status code. 0: commits. */
  readonly answers: ReadonlyMap<number, number>;
  /** Condition reasons of the attacker's Releases at the ends of rounds, and the locations of their publications. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
  /** The moves and the operator's log, to find the cause of a violation. */
  readonly story: readonly string[];
}

/** Number of moves between two checks. */
const roundLength = 20;

/** The Release that shows whether the operator has observed a tenant's newest commit. No move changes it. */
const probe = "probe";

/**
 * One tenant makes random moves. The other one does nothing in half of the rounds, and edits its own Release in the others. After
 * each round, the audit log, the other tenant's objects and the commits of the operator are checked. Between rounds, the platform
 * changes the policy of the tenant that makes moves.
 */
export async function playMoves(cluster: TestCluster, options: PlayOptions): Promise<PlayedMoves> {
  const { seed, moves, onRound, signal } = options;
  const chance = chanceFrom(seed);
  const stage = await createTenantStage(cluster, seed);
  const { parties } = stage;
  const answers = new Map<number, number>();
  const reasons = new Map<string, number>();
  const story: string[] = [];
  const violations: string[] = [];
  let made = 0;
  try {
    const victim = new Victim(stage, chance);
    await victim.edit(chance);
    await beginAttacker(stage);
    const feed = await AuditFeed.begin(stage.auditLogPath);
    const published = new PublishedFeed(stage.published);
    let wasAllowed = false;
    while (made < moves && violations.length === 0 && !signal?.aborted) {
      const allowance = makeAllowance(chance);
      await stage.allow(allowance);
      story.push(`allowed ${JSON.stringify(allowance)}`);
      const isQuiet = chance.isHit(0.5);
      const before = isQuiet ? await victim.snapshot() : undefined;
      const quietSince = isQuiet ? new Date() : undefined;
      const edited = isQuiet ? undefined : victim.edit(chance);
      for (let count = Math.min(roundLength, moves - made); count > 0; count--) {
        const move = makeMove(chance);
        const answer = await stage.attacker.make(move, stage.victim);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        story.push(`${answer} ${JSON.stringify(move)}`);
        made++;
      }
      await edited;
      await untilSeen(stage, chance);
      const marks = [`"namespace":"${parties.victim}"`, `"username":"${parties.operator}"`];
      violations.push(...findViolations(await feed.take(marks), parties, { quietSince }));
      const mayPublish = allowance?.publishes === true;
      const isAllowed = mayPublish || wasAllowed;
      const news = published.take();
      violations.push(...findPublishViolations(news, { parties, isQuiet, isAllowed }));
      violations.push(...(await victim.compare(before)));
      wasAllowed = mayPublish;
      const elsewhere = countElsewhere(news, parties.attacker);
      const shown = reasonsOf(await readAll(stage, stage.attacker));
      for (const reason of [...shown, ...Array<string>(elsewhere).fill("commits at a given place")])
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      onRound(`${made} moves${isQuiet ? "" : ", the other edits"}`);
    }
  } catch (error) {
    violations.push(`cannot go on: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    story.push(...stage.log.slice(-200));
    await stage.close();
  }
  return { seed, moves: made, answers, reasons, violations, story };
}

/**
 * Commits to the tenant's own folder, and waits until it is deployed and published. Then the operator has observed all earlier
 * commits.
 */
async function untilSeen(stage: TenantStage, chance: Chance): Promise<void> {
  const { attacker, published } = stage;
  const value = String(chance.next());
  const commit = attacker.commit({ [`${probe}/probe.json`]: aConfigMap("probe", value) });
  await untilReadyAt(stage, attacker, { name: probe, commit });
  const folder = `${attacker.namespace}/releases.fairlead.dev/${probe}/`;
  const texts = (): readonly string[] =>
    published
      .paths()
      .filter((path) => path.startsWith(folder))
      .map((path) => published.read(path));
  await eventually(() => texts().some((text) => text.includes(value)), { what: "the probe is published" });
}

/** Creates valid Releases of the tenant that makes moves. */
async function beginAttacker({ attacker }: TenantStage): Promise<void> {
  const first = [probe, ...folders].map((folder) => [`${folder}/${probe}.json`, aConfigMap(folder, "first")]);
  attacker.commit({ ...attackerPrograms, ...Object.fromEntries(first) });
  for (const name of [probe, ...releaseNames]) await deployFrom(attacker, name);
}

/** Describes the results of a run for reports. */
export function describeAnswers({ answers, reasons }: PlayedMoves): string {
  const sorted = [...answers].toSorted(([a], [b]) => a - b);
  const codes = sorted.map(([code, times]) => `${code === 0 ? "commits" : code}: ${times}`);
  const seen = [...reasons].toSorted().map(([reason, times]) => `${reason}: ${times}`);
  return `${codes.join(", ")}; Releases: ${seen.join(", ")}`;
}
