import { eventually } from "../cluster/eventually.ts";
import type { TestCluster } from "../cluster/global-setup.ts";
import { type Chance, chanceFrom } from "../faults/random.ts";
import { AuditFeed, findViolations } from "./judge.ts";
import { makeMove } from "./moves.ts";
import { isReadyAt, readAll, snapshotOf } from "./release-state.ts";
import { createTenantStage, type TenantStage } from "./stage.ts";
import type { Tenant } from "./tenant.ts";

export interface PlayOptions {
  readonly seed: number;
  readonly moves: number;
  /** Told what happens, for people. */
  readonly onRound: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface PlayedMoves {
  readonly seed: number;
  readonly moves: number;
  /** Answers of the API server to them, by status code; 0 are commits. */
  readonly answers: ReadonlyMap<number, number>;
  readonly violations: readonly string[];
  /** Where moves and the operator's log go, to find the reason. */
  readonly story: readonly string[];
}

/** Moves between two judgements. */
const roundLength = 20;

/** The Release that shows that the operator has seen a tenant's newest commit; no move touches it. */
const probe = "probe";

/**
 * One tenant makes random moves, the other does nothing in half of the rounds and edits its own Release in the others. After
 * each round the audit log, the other's objects and what was published for it are judged.
 */
export async function playMoves(cluster: TestCluster, options: PlayOptions): Promise<PlayedMoves> {
  const { seed, moves, onRound, signal } = options;
  const chance = chanceFrom(seed);
  const stage = await createTenantStage(cluster, seed);
  const answers = new Map<number, number>();
  const story: string[] = [];
  const violations: string[] = [];
  let made = 0;
  try {
    const victim = new Victim(stage);
    await victim.edit(chance);
    await startProbe(stage);
    const feed = await AuditFeed.begin(stage.auditLogPath);
    while (made < moves && violations.length === 0 && !signal?.aborted) {
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
      const marks = [`"namespace":"${stage.parties.victim}"`, `"username":"${stage.parties.operator}"`];
      violations.push(...findViolations(await feed.take(marks), stage.parties, { quietSince }));
      violations.push(...(await victim.compare(before)));
      onRound(`${made} moves${isQuiet ? "" : ", the other edits"}`);
    }
  } catch (error) {
    violations.push(`cannot go on: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    story.push(...stage.log.slice(-200));
    await stage.close();
  }
  return { seed, moves: made, answers, violations, story };
}

/** Commits to the tenant's own folder, and waits until it is deployed: what was committed before it has been seen by then. */
async function untilSeen(stage: TenantStage, chance: Chance): Promise<void> {
  const { attacker } = stage;
  const commit = attacker.commit({ [`${probe}/probe.json`]: aConfigMap("probe", String(chance.next())) });
  await untilReadyAt(stage, attacker, { name: probe, commit });
}

async function startProbe(stage: TenantStage): Promise<void> {
  stage.attacker.commit({ [`${probe}/probe.json`]: aConfigMap("probe", "first") });
  await deployFrom(stage.attacker, probe);
}

async function deployFrom(tenant: Tenant, name: string): Promise<void> {
  const target = { serviceAccountName: "deployer" };
  const spec = { source: tenant.sourceOf(name), interval: "1s", render: { manifests: {} }, target };
  const status = await tenant.release(name, spec);
  if (status >= 300) throw new Error(`Cannot apply Release ${name}: ${status}`);
}

async function untilReadyAt(
  stage: TenantStage,
  tenant: Tenant,
  { name, commit }: { readonly name: string; readonly commit: string },
): Promise<void> {
  await eventually(
    async () => {
      const release = (await readAll(stage, tenant)).find(
        ({ kind, metadata }) => kind === "Release" && metadata.name === name,
      );
      if (release !== undefined && isReadyAt(release, commit)) return true;
      throw new Error(JSON.stringify(release?.status ?? "no status"));
    },
    { what: `Release ${tenant.namespace}/${name} is Ready at ${commit}` },
  );
}

function aConfigMap(name: string, value: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });
}

/** The tenant that is left alone: one Release, whose objects come and go with its own edits. */
class Victim {
  readonly #stage: TenantStage;
  #wanted = new Map<string, string>();
  #edits = 0;

  constructor(stage: TenantStage) {
    this.#stage = stage;
  }

  /** Commits other objects, and waits until exactly they are deployed. */
  async edit(chance: Chance): Promise<void> {
    const { victim } = this.#stage;
    const names = ["web", "two", "three"].filter((name) => name === "web" || chance.isHit(0.6));
    const value = String(++this.#edits);
    const wanted = new Map(names.map((name) => [name, value]));
    const gone = [...this.#wanted.keys()].filter((name) => !wanted.has(name));
    this.#wanted = wanted;
    const commit = victim.commit({
      ...Object.fromEntries(gone.map((name) => [`shop/${name}.json`, undefined])),
      ...Object.fromEntries(names.map((name) => [`shop/${name}.json`, aConfigMap(name, value)])),
    });
    if (this.#edits === 1) await deployFrom(victim, "shop");
    await untilReadyAt(this.#stage, victim, { name: "shop", commit });
    await eventually(() => this.#published().includes(value), { what: "the other's edit is published" });
  }

  /** Everything that it has, and what is published for it. */
  async snapshot(): Promise<readonly string[]> {
    const { victim } = this.#stage;
    return [...snapshotOf(await readAll(this.#stage, victim)), this.#published()];
  }

  /** What is not as it should be; `before`: as it was, because it did nothing. */
  async compare(before: readonly string[] | undefined): Promise<readonly string[]> {
    const { victim } = this.#stage;
    const objects = await readAll(this.#stage, victim);
    const own = objects.filter(
      ({ kind, metadata }) => kind === "ConfigMap" && metadata.name !== "kube-root-ca.crt",
    );
    const has = own.map(
      ({ metadata, ...rest }) => `${metadata.name} ${(rest as { data?: { value?: string } }).data?.value}`,
    );
    const wants = [...this.#wanted].map(([name, value]) => `${name} ${value}`);
    const now = [...snapshotOf(objects), this.#published()];
    return [
      ...(has.toSorted().join() === wants.toSorted().join()
        ? []
        : [`the other has ${has}, and wants ${wants}`]),
      ...now
        .filter((one) => before !== undefined && !before.includes(one))
        .map((one) => `changed without its doing: ${one}`),
      ...(before ?? [])
        .filter((one) => !now.includes(one))
        .map((one) => `changed without its doing; was: ${one}`),
    ];
  }

  /** The files that are published for it, as one text. */
  #published(): string {
    const { published, victim } = this.#stage;
    if (published.head() === undefined) return "";
    const folder = `${victim.namespace}/`;
    const files = published.paths().filter((path) => path.startsWith(folder));
    return files.map((path) => `${path}\n${published.read(path)}`).join("\n");
  }
}

/** For reports: what happened in a run. */
export function describeAnswers({ answers }: PlayedMoves): string {
  const sorted = [...answers].toSorted(([a], [b]) => a - b);
  return sorted.map(([code, times]) => `${code === 0 ? "commits" : code}: ${times}`).join(", ");
}
