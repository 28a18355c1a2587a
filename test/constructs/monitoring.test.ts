import { describe, expect, test } from "vitest";
import { alertRules } from "../../constructs/alerts.ts";
import { dashboardOf } from "../../constructs/dashboard.ts";
import type { Reason } from "../../crds/conditions.ts";
import { install, the } from "../charts/operator-install.ts";

const enabled = { enabled: true };
const repository = { url: "https://git.test/r" };
const props = { job: "lead-metrics", namespace: "ops", publishes: true, electsLeader: true };

describe("alerts and dashboard", () => {
  test("query only their own installation", () => {
    for (const { alert, expr } of alertRules(props)) {
      const asked = expr.match(/\{[^}]*\}/g) ?? [];
      expect(asked.length, alert).toBeGreaterThan(0);
      for (const labels of asked) expect(labels, alert).toContain('job="lead-metrics",namespace="ops"');
    }
    expect(JSON.stringify(dashboardOf({ ...props, name: "lead" }))).not.toContain("$of");
  });

  test("report Releases that are not ready because of their source, once for all instances", () => {
    const rule = alertRules(props).find(({ alert }) => alert === "FairleadSourceLost");
    expect(rule?.expr).toContain('ready="False",reason=~"Source.+"');
    expect(rule?.expr).toMatch(/^max by \(reason\)/);
  });

  test("report Releases that need a change, but none that makes progress or waits for its Pipeline", () => {
    const rule = alertRules(props).find(({ alert }) => alert === "FairleadReleaseNotReady");
    expect(rule?.expr).toMatch(/^max by \(reason\) .*controller="releases\.fairlead\.dev",ready="False"/);
    const [, ignored = ""] = /reason!~"([^"]*)"/.exec(rule?.expr ?? "") ?? [];
    const alerts = (reason: Reason) => !new RegExp(`^(?:${ignored})$`).test(reason);
    const broken: Reason[] = [
      "Failed",
      "SpecInvalid",
      "ApplyRejected",
      "ApplyFailed",
      "ImmutableField",
      "NotOwned",
      "DependencyCycle",
      "KindUnknown",
      "KindNotWatched",
      "PruneHeld",
      "PolicyRefused",
      "RenderFailed",
      "RenderLimit",
      "RenderNotReproducible",
    ];
    const waiting: Reason[] = [
      "Progressing",
      "Suspended",
      "Deleting",
      "DependencyNotReady",
      "PinPending",
      "DigestMismatch",
      "RenderQuota",
      "SourceUnreachable",
      "SourceNotFound",
    ];
    expect(broken.filter((reason) => !alerts(reason))).toEqual([]);
    expect(waiting.filter(alerts)).toEqual([]);
  });

  test("report a stage that remains failed and a gate that cannot open, but no candidate that waits", () => {
    const rules = alertRules(props);
    const ofStages = rules.filter(({ expr }) => expr.includes("exported_namespace, pipeline, stage"));
    expect(ofStages.map(({ alert, for: after }) => `${alert} ${after}`)).toEqual([
      "FairleadStageFailed 1h",
      "FairleadGateBlocked 15m",
    ]);
    expect(JSON.stringify(rules)).not.toContain("fairlead_candidates_waiting");
  });

  test("the dashboard has the four delivery metrics of each stage, and the waiting candidates", () => {
    const board = JSON.stringify(dashboardOf({ ...props, name: "lead" }));
    for (const metric of [
      "fairlead_promotion_lead_time_seconds_bucket",
      "fairlead_promotions_total",
      "fairlead_stage_restore_seconds_bucket",
      "fairlead_candidates_waiting",
    ])
      expect(board).toContain(`${metric}{job=`);
  });

  test("include the repository and leaders only if there are any", () => {
    const names = (more: Partial<typeof props>) =>
      alertRules({ ...props, ...more }).map(({ alert }) => alert);
    expect(names({})).toContain("FairleadCannotPublish");
    expect(names({ publishes: false })).not.toContain("FairleadCannotPublish");
    expect(names({ electsLeader: false })).not.toContain("FairleadWithoutLeader");
    expect(new Set(names({})).size).toBe(names({}).length);
  });
});

describe("Monitoring", () => {
  test("creates only a Service by default", () => {
    expect(JSON.stringify(install())).not.toMatch(/ServiceMonitor|PrometheusRule|dashboard/);
  });

  test("creates the objects that find the Service, and that Prometheus and Grafana find", () => {
    const objects = install({
      repository,
      monitoring: {
        serviceMonitor: { ...enabled, interval: "15s", labels: { release: "prom" } },
        prometheusRule: { ...enabled, labels: { release: "prom" } },
        dashboard: enabled,
      },
    });
    const monitor = the("ServiceMonitor", objects);
    expect(monitor.metadata.labels).toMatchObject({ release: "prom" });
    const { selector, endpoints } = monitor["spec"] as {
      selector: { matchLabels: object };
      endpoints: readonly object[];
    };
    expect(endpoints).toEqual([{ port: "metrics", interval: "15s" }]);
    const service = the("Service", objects);
    expect(service.metadata.labels).toMatchObject(selector.matchLabels);
    expect(service["spec"]).toMatchObject({ ports: [{ name: "metrics", targetPort: "metrics" }] });
    // Prometheus uses the Service's name for the job.
    expect(JSON.stringify(the("PrometheusRule", objects))).toContain(`job=\\"${service.metadata.name}\\"`);
    const board = the("ConfigMap", objects);
    expect(board.metadata.labels).toMatchObject({ grafana_dashboard: "1" });
    expect(JSON.parse((board["data"] as Record<string, string>)["fairlead.json"] ?? "")).toMatchObject({
      title: "Fairlead (fairlead-system/fairlead)",
    });
  });
});
