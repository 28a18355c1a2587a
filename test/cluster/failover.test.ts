import { expect, test } from "vitest";
import { type FencedPod, fence } from "./fenced.ts";
import { eventually } from "./fixture.ts";
import type { RunningOperator } from "./operator.ts";
import { isWork } from "./operator-user.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";
import { aStampHarness, manyNames, type StampHarness } from "./stamps.ts";

// A measurement, which is part of the suite only if a number of rounds is set, as in `npm run test:failover`.
const rounds = Number(process.env["FAIRLEAD_FAILOVER_ROUNDS"]);
const names = manyNames(5);

interface Instance {
  readonly pod: FencedPod;
  readonly operator: RunningOperator;
}

/** Seconds from the signal to the first write of the other one, which has work from then on. */
async function failOver(
  harness: StampHarness,
  { leader, standby }: { readonly leader: Instance; readonly standby: Instance },
  { signal, text }: { readonly signal: "SIGTERM" | "SIGKILL"; readonly text: string },
): Promise<number> {
  const since = new Date();
  await Promise.all([leader.operator.stop(signal), harness.apply(names, { text })]);
  const first = await eventually(
    async () => (await standby.pod.requests(since)).find((request) => isDone(request)),
    { what: "the standby writes", timeoutMs: 60_000 },
  );
  await harness.untilSettled(names.length, 180_000);
  return (Date.parse(first.requestReceivedTimestamp) - since.getTime()) / 1_000;
}

function isDone(request: Awaited<ReturnType<FencedPod["requests"]>>[number]): boolean {
  return isWork(request) && (request.responseStatus?.code ?? 500) < 300;
}

test.for([
  { times: "the default times", args: [], stopSeconds: 5, killSeconds: 24 },
  {
    times: "the shortest times",
    args: ["--lease-duration=3s", "--renew-deadline=2s", "--retry-period=250ms"],
    stopSeconds: 3,
    killSeconds: 8,
  },
] as const)(
  "with $times another one writes within $stopSeconds s of a stop and $killSeconds s of a kill",
  { timeout: 3_600_000 },
  async ({ times, args, stopSeconds, killSeconds }) => {
    const harness = await aStampHarness();
    await harness.apply(names, { text: "one" });
    const fenced = await fence(harness.namespace, { kinds: [stampIn(sharedGroup)], rights: "stamps" });
    let count = 0;
    const start = async (until: string): Promise<Instance> => {
      const pod = await fenced.aPod(`operator-${++count}`);
      const operator = await harness.start([...fenced.args, ...args], pod);
      await operator.untilLogged(until);
      return { pod, operator };
    };
    let leader = await start("Became leader");
    await harness.untilSettled(names.length);
    const took = { SIGTERM: [] as number[], SIGKILL: [] as number[] };
    for (let round = 1; round <= rounds; round++) {
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        const standby = await start("Another instance leads");
        took[signal].push(
          await failOver(harness, { leader, standby }, { signal, text: `${signal.toLowerCase()}-${round}` }),
        );
        leader = standby;
      }
    }
    for (const [signal, seconds] of Object.entries(took)) {
      const sorted = seconds.toSorted((a, b) => a - b).map((each) => each.toFixed(2));
      process.stderr.write(`${times}, ${signal}: ${sorted.join(" ")} s\n`);
    }
    expect(Math.max(...took.SIGTERM)).toBeLessThan(stopSeconds);
    expect(Math.max(...took.SIGKILL)).toBeLessThan(killSeconds);
  },
);
