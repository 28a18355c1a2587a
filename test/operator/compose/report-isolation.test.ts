import { expect, test } from "vitest";
import { createIsolationReport, reportOwnIsolation } from "../../../operator/compose/report-isolation.ts";
import { readOperatorConfig } from "../../../operator/config.ts";
import { noKernelIsolation, readReport } from "../../../operator/sandbox/kernel-isolation.ts";
import { Metrics } from "../../../operator/telemetry/metrics.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

const none = noKernelIsolation("the launcher is not installed");
const layers = ["no-new-privileges", "files", "tcp", "seccomp"];
const isolation = {
  launcher: "/app/fairlead-launch",
  node: none.node,
  ...readReport(JSON.stringify({ landlockAbi: 5, layers })),
};

test.for([
  {
    what: "in force",
    found: isolation,
    releases: "true",
    required: "false",
    level: "info",
    says: ["The kernel isolates programs of Releases"],
  },
  {
    what: "missing",
    found: none,
    releases: "true",
    required: "false",
    level: "warn",
    says: ["The kernel does not isolate programs of Releases"],
  },
  {
    what: "missing and required",
    found: none,
    releases: "true",
    required: "true",
    level: "warn",
    says: ["Programs of Releases are refused"],
  },
  {
    what: "missing without Releases",
    found: none,
    releases: "false",
    required: "false",
    level: "warn",
    says: [],
  },
] as const)(
  "an operator logs one line about isolation that is $what",
  ({ found, releases, required, level, says }) => {
    const log = new RecordingLogger();
    const config = readOperatorConfig({ releases, releaseRequireSandbox: required }, {});
    const reportIsolation = createIsolationReport({ config, log, metrics: undefined });
    reportOwnIsolation({ isolation: found, config, reportIsolation });
    // The zone reports the same after its start.
    const { launcher: _, node: __, ...reported } = found;
    if (releases === "true") reportIsolation({ zone: "sandbox", process: "program" }, reported);
    expect(log.messages(level)).toEqual(says);
  },
);

test("an operator whose zones run in other containers does not log their isolation itself", () => {
  const log = new RecordingLogger();
  const config = readOperatorConfig({ releases: "true", zoneSockets: "/run/fairlead/zones" }, {});
  const reportIsolation = createIsolationReport({ config, log, metrics: undefined });
  reportOwnIsolation({ isolation: none, config, reportIsolation });
  expect(log.entries).toEqual([]);
  const { launcher: _, node: __, ...reported } = isolation;
  reportIsolation({ zone: "sandbox", process: "program" }, reported);
  expect(log.messages("info")).toEqual(["The kernel isolates programs of Releases"]);
});

test("an operator has a metric per process of a zone and layer", async () => {
  const metrics = new Metrics({ version: "1", hasRepository: false });
  const config = readOperatorConfig({ releases: "true" }, {});
  const reportIsolation = createIsolationReport({ config, log: new RecordingLogger(), metrics });
  reportOwnIsolation({ isolation, config, reportIsolation });
  const { launcher: _, node: __, ...nothing } = none;
  reportIsolation({ zone: "source", process: "git" }, nothing);
  const { body } = await metrics.expose();
  const program = 'zone="sandbox",process="program"';
  const git = 'zone="source",process="git"';
  expect(body.split("\n").filter((line) => line.startsWith("fairlead_sandbox"))).toEqual([
    `fairlead_sandbox_layer_in_force{${program},layer="no-new-privileges"} 1`,
    `fairlead_sandbox_layer_in_force{${program},layer="files"} 1`,
    `fairlead_sandbox_layer_in_force{${program},layer="tcp"} 1`,
    `fairlead_sandbox_layer_in_force{${program},layer="seccomp"} 1`,
    `fairlead_sandbox_layer_in_force{${program},layer="scopes"} 0`,
    ...["no-new-privileges", "files", "tcp", "scopes", "seccomp"].map(
      (layer) => `fairlead_sandbox_layer_in_force{${git},layer="${layer}"} 0`,
    ),
  ]);
});
