import { expect, test } from "vitest";
import { ApiTransport } from "../../../operator/cluster/transport.ts";
import { reportFences } from "../../../operator/compose/report-fences.ts";
import { readOperatorConfig } from "../../../operator/config.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { Metrics } from "../../../operator/telemetry/metrics.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { ScriptedApiServer } from "../../fakes/scripted-api-server.ts";

test("an operator reports for each of its fences whether it is in force, in the log and as a metric", async () => {
  await using server = await ScriptedApiServer.start({ protocol: "http" });
  server.script = ({ query }, answer) => {
    const name = query.get("fieldSelector")?.replace("metadata.name=", "");
    if (name === "forbidden") return answer.refuse(403, "Forbidden", "no");
    const spec = { policyName: name, validationActions: ["Deny"] };
    return answer.json(200, { items: name === "there" ? [{ spec }] : [] });
  };
  const transport = new ApiTransport(server.access, { clock: systemClock(), userAgent: "fairlead/test" });
  const log = new RecordingLogger();
  const metrics = new Metrics({ version: "1", hasRepository: false });
  const config = readOperatorConfig({ fences: ["there", "gone", "forbidden"] }, {});

  await reportFences({ config, transport, log, metrics });
  await transport.close();
  expect(log.messages("info")).toEqual(["Writes are fenced by the API server"]);
  expect(log.messages("warn").toSorted()).toEqual([
    "Cannot determine whether writes are fenced by the API server",
    "Writes are not fenced by the API server",
  ]);
  const { body } = await metrics.expose();
  expect(body.split("\n").filter((line) => line.startsWith("fairlead_fence"))).toEqual([
    'fairlead_fence_in_force{fence="there"} 1',
    'fairlead_fence_in_force{fence="gone"} 0',
  ]);
});
