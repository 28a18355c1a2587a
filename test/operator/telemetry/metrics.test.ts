import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { LeaderObserver } from "../../../operator/runtime/leader.ts";
import { type QueueObserver, WorkQueue } from "../../../operator/runtime/queue.ts";
import type { ReconcileObserver } from "../../../operator/runtime/worker.ts";
import { Metrics } from "../../../operator/telemetry/metrics.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

/** Values by series, as `name{label="value"}`. */
async function read(metrics: Metrics): Promise<Record<string, number>> {
  const { body } = await metrics.expose();
  const lines = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

const worstDelay = 'fairlead_event_loop_delay_seconds{quantile="1"}';

describe("Metrics", () => {
  test("start every series of a controller at 0", async () => {
    const metrics = new Metrics();
    const observer: ReconcileObserver = metrics.reconciles.observer("echo", 16);
    expect(observer).toBeDefined();
    const values = await read(metrics);
    for (const result of ["success", "error", "requeue", "requeue_after"]) {
      expect(values[`controller_runtime_reconcile_total{controller="echo",result="${result}"}`]).toBe(0);
    }
    for (const name of [
      "reconcile_errors",
      "terminal_reconcile_errors",
      "reconcile_panics",
      "reconcile_timeouts",
    ]) {
      expect(values[`controller_runtime_${name}_total{controller="echo"}`]).toBe(0);
    }
    expect(values['controller_runtime_max_concurrent_reconciles{controller="echo"}']).toBe(16);
    expect(values['controller_runtime_active_workers{controller="echo"}']).toBe(0);
    expect(values['controller_runtime_reconcile_time_seconds_count{controller="echo"}']).toBe(0);
  });

  test("count reconciles by result and time", async () => {
    const metrics = new Metrics();
    const observer = metrics.reconciles.observer("echo", 1);
    observer.started();
    observer.ended("success", 30);
    observer.started();
    observer.ended("error", 70_000);
    observer.failedForGood();
    observer.panicked();
    observer.timedOut();
    observer.started();
    const values = await read(metrics);
    expect(values).toMatchObject({
      'controller_runtime_reconcile_total{controller="echo",result="success"}': 1,
      'controller_runtime_reconcile_total{controller="echo",result="error"}': 1,
      'controller_runtime_reconcile_errors_total{controller="echo"}': 1,
      'controller_runtime_terminal_reconcile_errors_total{controller="echo"}': 1,
      'controller_runtime_reconcile_panics_total{controller="echo"}': 1,
      'controller_runtime_reconcile_timeouts_total{controller="echo"}': 1,
      'controller_runtime_active_workers{controller="echo"}': 1,
      'controller_runtime_reconcile_time_seconds_bucket{le="0.025",controller="echo"}': 0,
      'controller_runtime_reconcile_time_seconds_bucket{le="0.05",controller="echo"}': 1,
      'controller_runtime_reconcile_time_seconds_bucket{le="60",controller="echo"}': 1,
      'controller_runtime_reconcile_time_seconds_bucket{le="+Inf",controller="echo"}': 2,
    });
    const buckets = Object.keys(values).filter((name) =>
      name.startsWith("controller_runtime_reconcile_time_seconds_bucket"),
    );
    expect(buckets).toHaveLength(41);
  });

  test("read the queue when somebody asks", async () => {
    const metrics = new Metrics();
    const clock = new FakeClock();
    const observer: QueueObserver = metrics.queues.observer("echo");
    const queue = new WorkQueue({ clock, observer });
    metrics.queues.watch("echo", queue);
    queue.add("a");
    queue.add("b", { priority: -100 });
    queue.retry("c");
    await queue.take();
    await clock.advance(4);
    const labels = 'name="echo",controller="echo"';
    expect(await read(metrics)).toMatchObject({
      [`workqueue_depth{${labels},priority="0"}`]: 0,
      [`workqueue_depth{${labels},priority="-100"}`]: 1,
      [`workqueue_adds_total{${labels}}`]: 2,
      [`workqueue_retries_total{${labels}}`]: 1,
      [`workqueue_queue_duration_seconds_count{${labels}}`]: 1,
      [`workqueue_unfinished_work_seconds{${labels}}`]: 0.004,
      [`workqueue_longest_running_processor_seconds{${labels}}`]: 0.004,
    });

    queue.done("a");
    await queue.take();
    const values = await read(metrics);
    expect(values[`workqueue_depth{${labels},priority="-100"}`]).toBeUndefined();
    expect(values[`workqueue_work_duration_seconds_bucket{le="0.01",${labels}}`]).toBe(1);
    expect(values[`workqueue_work_duration_seconds_bucket{le="0.001",${labels}}`]).toBe(0);
    expect(values[`workqueue_adds_total{${labels}}`]).toBe(2);
  });

  test("give at most 25 priorities a series of their own", async () => {
    const metrics = new Metrics();
    const queue = new WorkQueue({ clock: new FakeClock() });
    metrics.queues.watch("echo", queue);
    for (let priority = 1; priority <= 40; priority++) queue.add(`key-${priority}`, { priority });
    const values = await read(metrics);
    const depths = Object.entries(values).filter(([name]) => name.startsWith("workqueue_depth"));
    expect(depths.length).toBeLessThanOrEqual(27);
    expect(depths.reduce((sum, [, depth]) => sum + depth, 0)).toBe(40);
  });

  test("count requests, objects, synths, pushes and leadership", async () => {
    const metrics = new Metrics();
    metrics.requested("PATCH", "127.0.0.1:6443", 201);
    metrics.requested("GET", "127.0.0.1:6443", undefined);
    metrics.objects("echo")("kept", 3);
    metrics.synthesized("echo", 4);
    const counts = { commits: 1, pushes: 2, refused: 1, retried: 0, lsRemotes: 4, fetches: 3, pending: 2 };
    metrics.publish.watch(() => counts);
    const leader: LeaderObserver = metrics.leader("fairlead");
    expect((await read(metrics))['leader_election_master_status{name="fairlead"}']).toBe(0);
    leader.leading(true);
    leader.renewedSlowly();
    expect(await read(metrics)).toMatchObject({
      'rest_client_requests_total{code="201",method="PATCH",host="127.0.0.1:6443"}': 1,
      'rest_client_requests_total{code="<error>",method="GET",host="127.0.0.1:6443"}': 1,
      'fairlead_objects_kept_total{controller="echo"}': 3,
      'fairlead_objects_applied_total{controller="echo"}': 0,
      'fairlead_objects_pruned_total{controller="echo"}': 0,
      'fairlead_synth_seconds_bucket{le="0.005",controller="echo"}': 1,
      fairlead_publish_commits_total: 1,
      fairlead_publish_pushes_total: 2,
      fairlead_publish_refused_total: 1,
      fairlead_publish_retried_total: 0,
      fairlead_publish_pending: 2,
      'leader_election_master_status{name="fairlead"}': 1,
      'leader_election_slowpath_total{name="fairlead"}': 1,
    });
  });

  test("show processor, memory and the delay of the event loop", async () => {
    const metrics = new Metrics();
    for (let round = 0; round < 4; round++) {
      const endMs = performance.now() + 300;
      while (performance.now() < endMs);
      await setImmediate();
    }
    const values = await read(metrics);
    expect(values["process_resident_memory_bytes"]).toBeGreaterThan(1e7);
    expect(values["process_cpu_seconds_total"]).toBeGreaterThan(0);
    expect(values[worstDelay]).toBeGreaterThan(0.05);
  });

  test("say what format they are in", async () => {
    expect((await new Metrics().expose()).contentType).toContain("text/plain");
  });
});
