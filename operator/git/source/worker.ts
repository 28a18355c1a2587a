// The process of the source zone: it polls and fetches git repositories, reads their trees, checks signatures, and
// serves hooks. It has the credentials of resources while they are followed, and serves the operator over one Unix
// socket.
import { parseArgs } from "node:util";
import { gitWorkerFlags, setUpGitWorker } from "../git-worker.ts";
import { createSources } from "./create-sources.ts";
import { SOURCE_ZONE } from "./messages.ts";
import { createSourceService, describeSourceError } from "./source-service.ts";
import { countHooks, serveZoneHooks } from "./zone-hooks.ts";

/** Largest frame from the operator: requests with Secrets. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 16 * 2 ** 20 };

const { values } = parseArgs({
  options: {
    ...gitWorkerFlags,
    "cache-bytes": { type: "string", default: "" },
    "file-remotes": { type: "boolean", default: false },
    "hook-bind-address": { type: "string", default: "0" },
    "hook-secrets": { type: "string", default: "" },
  },
});
const worker = await setUpGitWorker({ zone: SOURCE_ZONE, values, environment: process.env });
const { clock, log, confine, isolation, gap } = worker;
if (gap !== undefined) log.error("No repository is polled", { reason: gap });
const hooks = countHooks();
const service = createSourceService({
  clock,
  log,
  hookCounts: () => hooks.counts,
  isolation,
  createSources: (onChange) =>
    createSources({
      cacheDirectory: values.cache,
      cacheBytes: Number(values["cache-bytes"]),
      clock,
      random: Math.random,
      log,
      environment: process.env,
      allowFile: values["file-remotes"],
      confine,
      refusal: gap && `Cannot poll the repository: ${gap}, and this operator requires isolation`,
      onChange,
    }),
});
await worker.serve({
  close: () => service.sources.close(),
  limits,
  serve: service.serve,
  describeError: describeSourceError,
});
if (values["hook-bind-address"] !== "0") {
  const address = values["hook-bind-address"];
  await serveZoneHooks({ address, secrets: values["hook-secrets"], service, ...hooks, clock, log });
}
