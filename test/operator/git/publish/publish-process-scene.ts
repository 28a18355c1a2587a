import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { composePublishZone } from "../../../../operator/git/publish/compose-publish-zone.ts";
import { createGitPublisher } from "../../../../operator/git/publish/git-publisher.ts";
import type { PublishOffer } from "../../../../operator/ports.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import type { ReportedIsolation } from "../../../../operator/sandbox/isolation-report.ts";
import type { KernelIsolation } from "../../../../operator/sandbox/kernel-isolation.ts";
import type { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { kernelIsolation } from "../../../fakes/launcher.ts";
import { childrenOf } from "../../../fakes/processes.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { leaseOfOurs, owner } from "./publisher-harness.ts";

interface SceneOptions {
  readonly repository?: string;
  readonly credentials?: string;
  readonly isolation?: KernelIsolation;
  readonly requireIsolation?: boolean;
  /** Called before each push is sent. */
  readonly beforePush?: () => void;
}

/** An operator's publisher on the real clock, with a publish zone in a process of its own. */
export function aScene(remote: FakeGitRemote, options: SceneOptions = {}) {
  const { repository = remote.path, credentials, beforePush = () => undefined } = options;
  const { isolation = kernelIsolation, requireIsolation = false } = options;
  const reported = new Map<string, ReportedIsolation>();
  const [clock, log] = [systemClock(), new RecordingLogger()];
  const before = new Set(childrenOf(process.pid));
  const zone = composePublishZone({
    zoneSockets: undefined,
    worker: {
      cache: join(remote.folder, "cache"),
      ...{ isolation, requireIsolation },
      ...{ repository, credentials, logLevel: "warn", logFormat: "json" },
    },
    environment: process.env,
    onIsolation: (process, found) => void reported.set(process, found),
    ...{ clock, random: () => 0, log },
  });
  let checks = 0;
  const publisher = createGitPublisher({
    clone: zone.clone({ branch: "main", root: "" }),
    root: "",
    version: "0.1.0",
    ...{ owner, clock, random: Math.random, log },
    // It is checked at the start of a commit, and directly before its push.
    fence: { check: () => void (++checks % 2 === 0 && beforePush()) },
    term: () => leaseOfOurs,
    confirmLeadership: async () => true,
    claimOf: () => "unknown",
    onChange: () => undefined,
  });
  onTestFinished(async () => {
    await publisher.close({ flushMs: 0 });
    await zone.close();
  });
  const pid = (): number | undefined =>
    childrenOf(process.pid).find(
      (child) =>
        !before.has(child) && readFileSync(`/proc/${child}/cmdline`, "latin1").includes("/publish/worker.ts"),
    );
  const untilPublished = async (offer: PublishOffer): Promise<void> => {
    await vi.waitUntil(() => publisher.publish(offer).state === "published", { timeout: 60_000 });
  };
  return { zone, publisher, log, pid, untilPublished, reported };
}
