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

const newMetrics = (): Metrics => new Metrics({ version: "1.2.3", hasRepository: true });

const worstDelay = 'fairlead_event_loop_delay_seconds{quantile="1"}';

describe("Metrics", () => {
  test("start every series of a controller at 0", async () => {
    const metrics = newMetrics();
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
    metrics.queues.observer("echo");
    const queue = await read(metrics);
    expect(queue['workqueue_queue_duration_seconds_count{name="echo",controller="echo"}']).toBe(0);
    expect(queue['workqueue_work_duration_seconds_count{name="echo",controller="echo"}']).toBe(0);
  });

  test("count reconciles by result and time", async () => {
    const metrics = newMetrics();
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

  test("read the queue when metrics are scraped", async () => {
    const metrics = newMetrics();
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

  test("have separate series for at most 25 priorities", async () => {
    const metrics = newMetrics();
    const queue = new WorkQueue({ clock: new FakeClock() });
    metrics.queues.watch("echo", queue);
    for (let priority = 1; priority <= 40; priority++) queue.add(`key-${priority}`, { priority });
    const values = await read(metrics);
    const depths = Object.entries(values).filter(([name]) => name.startsWith("workqueue_depth"));
    expect(depths.length).toBeLessThanOrEqual(27);
    expect(depths.reduce((sum, [, depth]) => sum + depth, 0)).toBe(40);
  });

  test("count requests, results of changes, synths and leadership", async () => {
    const metrics = newMetrics();
    const host = "127.0.0.1:6443";
    metrics.requests.requested({ method: "PATCH", host, code: "201", tookMs: 3 });
    metrics.requests.requested({ method: "PATCH", host, code: "429", tookMs: 300 });
    metrics.requests.requested({ method: "GET", host, code: "<error>", tookMs: 10_000 });
    metrics.requests.retried({ method: "PATCH", host, code: "429" });
    const objects = metrics.objects.observer("echo");
    objects.count("kept", 3);
    objects.count("restored", 1);
    objects.synthesized(4);
    metrics.events.watch(() => ({ written: 5, dropped: 1 }));
    const leader: LeaderObserver = metrics.leader("fairlead");
    expect((await read(metrics))['leader_election_master_status{name="fairlead"}']).toBe(0);
    leader.leading(true);
    leader.renewedSlowly();
    expect(await read(metrics)).toMatchObject({
      [`rest_client_requests_total{code="201",method="PATCH",host="${host}"}`]: 1,
      [`rest_client_requests_total{code="<error>",method="GET",host="${host}"}`]: 1,
      [`rest_client_request_duration_seconds_bucket{le="0.005",verb="PATCH",host="${host}"}`]: 1,
      [`rest_client_request_duration_seconds_bucket{le="0.5",verb="PATCH",host="${host}"}`]: 2,
      [`rest_client_request_duration_seconds_sum{verb="GET",host="${host}"}`]: 10,
      [`rest_client_request_retries_total{code="429",verb="PATCH",host="${host}"}`]: 1,
      'fairlead_objects_kept_total{controller="echo"}': 3,
      'fairlead_objects_pruned_total{controller="echo"}': 0,
      'fairlead_applies_total{controller="echo",result="restored"}': 1,
      'fairlead_applies_total{controller="echo",result="created"}': 0,
      'fairlead_applies_total{controller="echo",result="error"}': 0,
      'fairlead_synth_seconds_bucket{le="0.005",controller="echo"}': 1,
      fairlead_events_written_total: 5,
      fairlead_events_dropped_total: 1,
      'leader_election_master_status{name="fairlead"}': 1,
      'leader_election_slowpath_total{name="fairlead"}': 1,
    });
  });

  test("show the state of publishing, with every reason of a failure", async () => {
    const metrics = newMetrics();
    metrics.publish.watch(() => ({
      pushed: 1,
      pushes: 2,
      refused: 1,
      retried: 0,
      lsRemotes: 4,
      fetches: 3,
      rebuilds: 0,
      pending: 2,
      oldestPendingMs: 1_500,
      failing: "PushRefused",
      heldFolders: 7,
    }));
    expect(await read(metrics)).toMatchObject({
      fairlead_publish_commits_total: 1,
      fairlead_publish_pushes_total: 2,
      fairlead_publish_refused_total: 1,
      fairlead_publish_retried_total: 0,
      fairlead_publish_looks_total: 4,
      fairlead_publish_fetches_total: 3,
      fairlead_publish_rebuilds_total: 0,
      fairlead_publish_pending: 2,
      fairlead_publish_oldest_pending_seconds: 1.5,
      fairlead_publish_sweep_held_folders: 7,
      'fairlead_publish_failing{reason="PushRefused"}': 1,
      'fairlead_publish_failing{reason="RepositoryUnreachable"}': 0,
      'fairlead_publish_failing{reason="RepositoryOwned"}': 0,
    });
  });

  test("show processor, memory and the delay of the event loop", async () => {
    const metrics = newMetrics();
    for (let round = 0; round < 4; round++) {
      const endMs = performance.now() + 300;
      while (performance.now() < endMs);
      await setImmediate();
    }
    const values = await read(metrics);
    expect(values["process_resident_memory_bytes"]).toBeGreaterThan(1e7);
    expect(values["process_cpu_seconds_total"]).toBeGreaterThan(0);
    expect(values["process_start_time_seconds"]).toBeCloseTo(
      Date.now() / 1_000 - performance.now() / 1_000,
      0,
    );
    expect(values["nodejs_heap_size_used_bytes"]).toBeGreaterThan(1e6);
    expect(values["process_open_fds"]).toBeGreaterThan(0);
    expect(values["process_max_fds"]).toBeGreaterThan(Number(values["process_open_fds"]));
    expect(values[`fairlead_build_info{version="1.2.3",node="${process.versions.node}"}`]).toBe(1);
    expect(values[worstDelay]).toBeGreaterThan(0.05);
  });

  test("have a content type", async () => {
    expect((await newMetrics().expose()).contentType).toContain("text/plain");
  });
});
