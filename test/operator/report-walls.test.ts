import { expect, test } from "vitest";
import { readOperatorConfig } from "../../operator/config.ts";
import { reportWalls } from "../../operator/report-walls.ts";
import { noKernelWalls, readReport } from "../../operator/sandbox/kernel-walls.ts";
import { Metrics } from "../../operator/telemetry/metrics.ts";
import { RecordingLogger } from "../fakes/recording-logger.ts";

const none = noKernelWalls("the launcher is not installed");
const layers = ["no-new-privileges", "files", "tcp", "seccomp"];
const walls = {
  launcher: "/app/fairlead-launch",
  node: none.node,
  ...readReport(JSON.stringify({ landlockAbi: 5, layers })),
};

test.for([
  {
    what: "in force",
    found: walls,
    releases: "true",
    required: "false",
    level: "info",
    says: ["The kernel keeps programs of Releases apart"],
  },
  {
    what: "missing",
    found: none,
    releases: "true",
    required: "false",
    level: "warn",
    says: ["The kernel does not keep programs of Releases apart"],
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
  "an operator writes one line about walls that are $what",
  ({ found, releases, required, level, says }) => {
    const log = new RecordingLogger();
    const config = readOperatorConfig({ releases, releaseRequireSandbox: required }, {});
    reportWalls({ walls: found, config, log, metrics: undefined });
    expect(log.messages(level)).toEqual(says);
  },
);

test("an operator has a metric per layer", async () => {
  const metrics = new Metrics({ version: "1", hasRepository: false });
  const config = readOperatorConfig({ releases: "true" }, {});
  reportWalls({ walls, config, log: new RecordingLogger(), metrics });
  const { body } = await metrics.expose();
  expect(body.split("\n").filter((line) => line.startsWith("fairlead_sandbox"))).toEqual([
    'fairlead_sandbox_layer_in_force{layer="no-new-privileges"} 1',
    'fairlead_sandbox_layer_in_force{layer="files"} 1',
    'fairlead_sandbox_layer_in_force{layer="tcp"} 1',
    'fairlead_sandbox_layer_in_force{layer="seccomp"} 1',
    'fairlead_sandbox_layer_in_force{layer="scopes"} 0',
  ]);
});
