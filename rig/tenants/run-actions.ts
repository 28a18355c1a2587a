import { eventually } from "../../test/cluster/eventually.ts";
import type { TestCluster } from "../../test/cluster/global-setup.ts";
import { type Chance, chanceFrom } from "../faults/random.ts";
import { makeAction } from "./actions.ts";
import { beginAttacker, probe, roundLength } from "./begin-attacker.ts";
import { AuditFeed, findViolations } from "./find-violations.ts";
import { makeAllowance } from "./policies.ts";
import { countElsewhere, findPublishViolations, PublishedFeed } from "./published.ts";
import { readAll, reasonsOf } from "./release-state.ts";
import { aConfigMap, untilReadyAt } from "./releases.ts";
import { createTenantsFixture, type TenantsFixture } from "./tenants-fixture.ts";
import { Victim } from "./victim.ts";

export interface RunActionsOptions {
  readonly seed: number;
  readonly actions: number;
  /** Called with the result of each round, for users. */
  readonly onRound: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface ActionsResult {
  readonly seed: number;
  readonly actions: number;
  /** Number of responses of the API server by status code. 0: commits. */
  readonly answers: ReadonlyMap<number, number>;
  /** Condition reasons of the attacker's Releases at the ends of rounds, and the locations of their publications. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
  /** The actions and the operator's log, to find the cause of a violation. */
  readonly log: readonly string[];
}

/**
 * The attacker takes random actions. The victim does nothing in half of the rounds, and edits its own Release in the others. After
 * each round, the audit log, the victim's objects and the commits of the operator are checked. Between rounds, the platform
 * changes the policy of the attacker.
 */
export async function runActions(cluster: TestCluster, options: RunActionsOptions): Promise<ActionsResult> {
  const { seed, actions, onRound, signal } = options;
  const chance = chanceFrom(seed);
  const fixture = await createTenantsFixture(cluster, seed);
  const { parties } = fixture;
  const answers = new Map<number, number>();
  const reasons = new Map<string, number>();
  const log: string[] = [];
  const violations: string[] = [];
  let made = 0;
  try {
    const victim = new Victim(fixture, chance);
    await victim.edit(chance);
    await beginAttacker(fixture.attacker);
    const feed = await AuditFeed.begin(fixture.cluster.auditLogPath);
    const published = new PublishedFeed(fixture.published);
    let wasAllowed = false;
    while (made < actions && violations.length === 0 && !signal?.aborted) {
      const allowance = makeAllowance(chance);
      await fixture.allow(allowance);
      log.push(`allowed ${JSON.stringify(allowance)}`);
      const isQuiet = chance.isHit(0.5);
      const before = isQuiet ? await victim.snapshot() : undefined;
      const quietSince = isQuiet ? new Date() : undefined;
      const edited = isQuiet ? undefined : victim.edit(chance);
      for (let count = Math.min(roundLength, actions - made); count > 0; count--) {
        const action = makeAction(chance);
        const answer = await fixture.attacker.make(action, fixture.victim);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        log.push(`${answer} ${JSON.stringify(action)}`);
        made++;
      }
      await edited;
      await untilSeen(fixture, chance);
      const marks = [`"namespace":"${parties.victim}"`, `"username":"${parties.operator}"`];
      violations.push(...findViolations(await feed.take(marks), parties, { quietSince }));
      const mayPublish = allowance?.publishes === true;
      const isAllowed = mayPublish || wasAllowed;
      const news = published.take();
      violations.push(...findPublishViolations(news, { parties, isQuiet, isAllowed }));
      violations.push(...(await victim.compare(before)));
      wasAllowed = mayPublish;
      const elsewhere = countElsewhere(news, parties.attacker);
      const shown = reasonsOf(await readAll(fixture, fixture.attacker));
      for (const reason of [...shown, ...Array<string>(elsewhere).fill("commits at an allowed location")])
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      onRound(`${made} actions${isQuiet ? "" : ", the victim edits"}`);
    }
  } catch (error) {
    violations.push(`cannot continue: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    log.push(...fixture.log.slice(-200));
    await fixture.close();
  }
  return { seed, actions: made, answers, reasons, violations, log };
}

/**
 * Commits to the tenant's own folder, and waits until it is deployed and published. Then the operator has observed all earlier
 * commits.
 */
async function untilSeen(fixture: TenantsFixture, chance: Chance): Promise<void> {
  const { attacker, published } = fixture;
  const value = String(chance.next());
  const commit = attacker.commit({ [`${probe}/probe.json`]: aConfigMap("probe", value) });
  await untilReadyAt(fixture, attacker, { name: probe, commit });
  const folder = `${attacker.namespace}/releases.fairlead.dev/${probe}/`;
  const texts = (): readonly string[] =>
    published
      .paths()
      .filter((path) => path.startsWith(folder))
      .map((path) => published.read(path));
  await eventually(() => texts().some((text) => text.includes(value)), { what: "the probe is published" });
}

/** Describes the results of a run for reports. */
export function describeAnswers({ answers, reasons }: ActionsResult): string {
  const sorted = [...answers].toSorted(([a], [b]) => a - b);
  const codes = sorted.map(([code, times]) => `${code === 0 ? "commits" : code}: ${times}`);
  const seen = [...reasons].toSorted().map(([reason, times]) => `${reason}: ${times}`);
  return `${codes.join(", ")}; Releases: ${seen.join(", ")}`;
}
