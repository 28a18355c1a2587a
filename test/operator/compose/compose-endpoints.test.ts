import { expect, test } from "vitest";
import { metricsRoute } from "../../../operator/compose/compose-endpoints.ts";
import { serveHttp } from "../../../operator/runtime/http-server.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

test("metricsRoute() serves the text of a collector at /metrics only", async () => {
  const route = metricsRoute(async () => ({ contentType: "text/plain; version=0.0.4", body: "a 1\n" }));
  const server = await serveHttp("127.0.0.1:0", route, { log: new RecordingLogger() });
  try {
    const response = await fetch(`http://${server?.address}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4");
    expect(await response.text()).toBe("a 1\n");
    expect((await fetch(`http://${server?.address}/`)).status).toBe(404);
  } finally {
    await server?.close();
  }
});
