import type { Clock } from "../../operator/ports.ts";
import type { StoppedLeading } from "../../operator/runtime/election.ts";
import { LeaderElector } from "../../operator/runtime/leader.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeLeaseServer, type Line } from "./fake-lease-server.ts";
import { RecordingLogger } from "./recording-logger.ts";

const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

/** One candidate and its recorded state. */
export interface Instance {
  readonly elector: LeaderElector;
  readonly line: Line;
  readonly stopped: StoppedLeading[];
  readonly status: boolean[];
}

export function aLeaseServer(): { server: FakeLeaseServer; clock: FakeClock } {
  const clock = new FakeClock();
  return { server: new FakeLeaseServer(clock), clock };
}

export function anInstance(
  identity: string,
  server: FakeLeaseServer,
  clock: Clock,
  random = 0.5,
  address?: string,
): Instance {
  const { client, line } = server.client(identity);
  const stopped: StoppedLeading[] = [];
  const status: boolean[] = [];
  const elector = new LeaderElector({
    client,
    identity,
    address,
    times,
    clock,
    random: () => random,
    log: new RecordingLogger(),
    observer: { leading: (isLeading) => status.push(isLeading), renewedSlowly() {} },
    onStoppedLeading: (why) => stopped.push(why),
  });
  return { elector, line, stopped, status };
}
