// The process of the publish zone: it commits and pushes rendered files. It has the credentials of the repository, and
// serves the operator over one Unix socket.
import { parseArgs } from "node:util";
import { readCredentials } from "../credentials.ts";
import { gitWorkerFlags, setUpGitWorker } from "../git-worker.ts";
import { parseRemoteUrl } from "../remote-url.ts";
import { LocalClone } from "./local-clone.ts";
import { COMMIT_PART_BYTES, PUBLISH_ZONE } from "./messages.ts";
import { describePublishError } from "./publish-failure.ts";
import { createPublishService } from "./publish-service.ts";

/** Largest frame from the operator: a part of a commit. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 2 * COMMIT_PART_BYTES };

const { values } = parseArgs({
  options: {
    ...gitWorkerFlags,
    repository: { type: "string", default: "" },
    credentials: { type: "string" },
  },
});
const { repository, credentials, cache } = values;
const worker = await setUpGitWorker({ zone: PUBLISH_ZONE, values, environment: process.env });
const { clock, log, confine, isolation, gap } = worker;
if (gap !== undefined) log.error("Nothing is published", { reason: gap });
const service = createPublishService({
  createClone: (place) =>
    new LocalClone({
      ...place,
      repository,
      credentialsDirectory: credentials,
      cacheDirectory: cache,
      clock,
      environment: process.env,
      confine,
    }),
  check: () => readCredentials(credentials, parseRemoteUrl(repository)),
  log,
  isolation,
  refusal: gap && `Cannot publish: ${gap}, and this operator requires isolation`,
});
await worker.serve({
  close: () => service.close(),
  limits,
  serve: service.serve,
  describeError: describePublishError,
});
