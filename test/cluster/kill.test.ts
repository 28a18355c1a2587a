import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { isLong } from "../long.ts";
import { eventually, kubectl } from "./fixture.ts";
import type { LogLine } from "./operator.ts";
import { aRecordedGit, type RecordedGit } from "./recorded-git.ts";
import { aStampHarness, manyNames, type StampHarness } from "./stamps.ts";

const kills = isLong ? 100 : 6;
const names = manyNames(30);

/** The desired Stamps: a text that grows with every edit, and a number of copies. */
type Wanted = Map<string, { readonly text: string; readonly copies: number }>;

test(`an operator that is killed at ${kills} random moments loses and repeats no work`, {
  timeout: 600_000 + 15_000 * kills,
}, async ({ signal }) => {
  const seed = Number(process.env["FAIRLEAD_TEST_SEED"] ?? Date.now() % 2 ** 31);
  onTestFailed(() => void process.stderr.write(`seed: FAIRLEAD_TEST_SEED=${seed}\n`));
  const random = mulberry32(seed);
  const harness = await aStampHarness();
  const wanted: Wanted = new Map();
  const log: LogLine[] = [];
  const git = await aRecordedGit();
  let changes = Promise.resolve();
  // If the test fails or times out, they end before the namespace is deleted and the cluster stops.
  onTestFinished(() => changes.catch(() => undefined));

  // Given that it is killed repeatedly, while resources are created, changed and deleted
  for (let kill = 0; kill < kills; kill++) {
    signal.throwIfAborted();
    const pushes = pushesOf(git);
    const operator = await harness.start([], { environment: git.environment });
    changes = changeSome(harness, wanted, { edit: kill, random, signal });
    changes.catch(() => undefined); // Otherwise a rejection before they are awaited would be unhandled.
    // Of four, one is killed at its start, one when its caches are complete, two during a push or right after it.
    const moment = ((kill % 4) + random()) / 4;
    if (moment >= 0.5) await untilPush(git, pushes);
    else if (moment >= 0.25) await operator.untilLogged("Watching");
    await sleep(random() * (moment >= 0.5 ? 150 : 700));
    await operator.stop("SIGKILL");
    await changes;
    log.push(...operator.log);
  }

  // When it is no longer killed
  const last = await harness.start();
  await harness.untilSettled(wanted.size);

  // Then every child exists, once, and nothing else
  const expected = [...wanted].flatMap(([name, { text, copies }]) =>
    Array.from({ length: copies }, (_, copy) => `${name}-${copy} ${text}`),
  );
  await eventually(async () => expect((await childrenOf(harness)).toSorted()).toEqual(expected.toSorted()), {
    what: "exactly the desired children exist",
  });

  // and in git as well: nothing is lost, nothing empty, and no older text after a newer one
  const { repository, namespace } = harness;
  const files = expected.map((line) => {
    const [child = "", text = ""] = line.split(" ");
    return `${namespace}/stamps.tests.fairlead.dev/${child.replace(/-\d+$/, "")}/configmap-${child}.yaml ${text}`;
  });
  await eventually(() => expect(filesOf(harness).toSorted()).toEqual(files.toSorted()), {
    what: "the branch has exactly their files",
  });
  expect(repository.remote.git(["rev-list", "--merges", "main"])).toBe("");
  expect(repository.log().filter(({ paths }) => paths.length === 0)).toEqual([]);
  expect(stepsBack(harness)).toEqual([]);
  expect(repository.remote.git(["rev-list", "--objects", "--quiet", "main"])).toBe("");
  // It was working when it was killed.
  expect(pushesOf(git)).toBeGreaterThan(kills / 4);

  // and its clone of the repository is still usable
  expect([...log, ...last.log].filter(({ message }) => message === "Recreating the clone")).toEqual([]);
  expect(readdirSync(`${repository.remote.folder}/cache`)).toHaveLength(1);
});

function pushesOf(git: RecordedGit): number {
  return git.commands().filter((command) => command === "push").length;
}

/** Waits until one more push has started; there may be none if nothing is to be published. */
async function untilPush(git: RecordedGit, before: number): Promise<void> {
  const started = performance.now();
  while (pushesOf(git) === before && performance.now() - started < 20_000) await sleep(10);
}

interface ChangeOptions {
  readonly edit: number;
  readonly random: () => number;
  /** No change begins after it is aborted. */
  readonly signal: AbortSignal;
}

/** Four edits, which also create, a deletion, and sometimes the deletion of a child by a user. */
async function changeSome(
  harness: StampHarness,
  wanted: Wanted,
  { edit, random, signal }: ChangeOptions,
): Promise<void> {
  const pick = (): string => names[Math.floor(random() * names.length)] ?? "";
  for (let change = 0; change < 4; change++) {
    signal.throwIfAborted();
    const name = pick();
    const spec = { text: `v${1_000 * (edit + 1) + change}`, copies: Math.floor(random() * 4) };
    wanted.set(name, spec);
    await harness.apply([name], spec);
    await sleep(random() * 200);
  }
  signal.throwIfAborted();
  if (random() < 0.3) {
    const gone = pick();
    wanted.delete(gone);
    await harness.remove([gone]);
  }
  if (random() < 0.1) {
    const child = `${pick()}-0`;
    await kubectl([
      "delete",
      "configmap",
      child,
      "-n",
      harness.namespace,
      "--ignore-not-found",
      "--wait=false",
    ]);
  }
}

/** `name text` of every object with the operator's label, whose owner exists and is its controller. */
async function childrenOf(harness: StampHarness): Promise<string[]> {
  const owners = new Set((await harness.list()).map(({ metadata }) => metadata.uid));
  return (await harness.children()).map((child) => {
    const owner = child.metadata.ownerReferences?.find(({ controller }) => controller);
    const isOwned = owner !== undefined && owners.has(owner.uid);
    const { text } = child["data"] as { readonly text: string };
    return `${child.metadata.name} ${isOwned ? text : "orphan"}`;
  });
}

function filesOf({ repository }: StampHarness): string[] {
  return repository
    .files()
    .filter((path) => path !== ".fairlead.yaml")
    .map((path) => `${path} ${/text: (\w+)/.exec(repository.read(path))?.[1]}`);
}

/** Commits of the history in which a file got an older text than before. */
function stepsBack({ repository }: StampHarness): string[] {
  const history = repository.remote.git(["log", "--reverse", "--format=", "-p", "-U0", "main"]);
  const newest = new Map<string, number>();
  const found: string[] = [];
  let path = "";
  for (const line of history.split("\n")) {
    if (line.startsWith("+++ ")) path = line.slice(4);
    const version = Number(/^\+.*text: v(\d+)/.exec(line)?.[1]);
    if (Number.isNaN(version)) continue;
    if (version <= (newest.get(path) ?? 0)) found.push(`${path}: ${version} after ${newest.get(path)}`);
    newest.set(path, version);
  }
  return found;
}

/** A small generator with a seed: Tommy Ettinger's mulberry32 (public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
