// Bundled by a test like the image's program: watches the API server in its argument, and prints the events.
import { WatchConnection } from "../../operator/cluster/watch-connection.ts";
import { systemClock } from "../../operator/runtime/clock.ts";

const access = {
  server: new URL(process.argv[2] ?? ""),
  namespace: "default",
  verifiesServer: true,
  tls: async () => ({}),
  authorization: async () => undefined,
  forget: () => undefined,
};
const connection = new WatchConnection(access, { clock: systemClock(), userAgent: "test" });
const { body } = await connection.open("/api/v1/pods?watch=true", { signal: new AbortController().signal });
for await (const chunk of body) process.stdout.write(chunk);
await connection.close();
