import { Secret } from "../../../crds/core-kinds.ts";
import { SourceError } from "../../../operator/errors.ts";
import type { ConfineGit } from "../../../operator/git/git-command.ts";
import { createSources } from "../../../operator/git/source/create-sources.ts";
import type { SourceRequest, SourceRevision, Sources } from "../../../operator/git/source/ports.ts";
import type { Clock, Logger } from "../../../operator/ports.ts";
import type { ApiClient } from "../api-client.ts";
import { labelOfRelease, type ReleaseObject } from "../release-object.ts";

export interface ResolveSourceOptions {
  readonly client: ApiClient;
  /** Full id of the wanted commit; undefined: the source's ref. */
  readonly revision: string | undefined;
  /** Folder for a clone; the caller removes it. */
  readonly cacheDirectory: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeoutMs: number;
  /** Isolation of git processes; undefined: none. */
  readonly confine: ConfineGit | undefined;
}

/** A source that is polled once: it must stay open while its files are read. */
export interface ResolvedSource extends AsyncDisposable {
  readonly revision: SourceRevision;
}

/** Longer than any command runs: there is no second poll. */
const intervalMs = 24 * 3_600_000;

/**
 * Polls the remote of a Release, with its credentials: the user must have permission to read these Secrets.
 *
 * @throws SourceError, or the error of the API server for a Secret.
 */
export async function resolveSource(
  release: ReleaseObject,
  { client, revision, cacheDirectory, clock, log, timeoutMs, confine }: ResolveSourceOptions,
): Promise<ResolvedSource> {
  const { source } = release.spec;
  const request: SourceRequest = {
    key: labelOfRelease(release),
    source,
    revision,
    intervalMs,
    credentials: await readSecret(source.secretRef?.name, release, client),
    signers: await readSecret(source.verify?.secretRef.name, release, client),
    requestedAt: undefined,
  };
  let wake: () => void = () => {};
  const sources = createSources({
    cacheDirectory,
    clock,
    random: Math.random,
    log,
    environment: process.env,
    allowFile: true,
    confine,
    onChange: () => wake(),
  });
  try {
    const revisionOfNow = await untilKnown(sources, request, {
      clock,
      timeoutMs,
      untilWoken: () => new Promise((resolve) => (wake = resolve)),
    });
    return { revision: revisionOfNow, [Symbol.asyncDispose]: () => sources.close() };
  } catch (error) {
    await sources.close();
    throw error;
  }
}

async function untilKnown(
  sources: Sources,
  request: SourceRequest,
  {
    clock,
    timeoutMs,
    untilWoken,
  }: { readonly clock: Clock; readonly timeoutMs: number; readonly untilWoken: () => Promise<void> },
): Promise<SourceRevision> {
  const deadlineMs = clock.now() + timeoutMs;
  for (;;) {
    const woken = untilWoken();
    const answer = sources.resolve(request);
    if (answer.state === "ready") return answer.revision;
    if (answer.state === "failed") throw new SourceError(answer.failure.reason, answer.failure.message);
    const leftMs = deadlineMs - clock.now();
    if (leftMs <= 0) {
      const why = `Cannot poll "${request.source.url}": no response before the timeout; set a longer --timeout`;
      throw new SourceError("SourceUnreachable", why);
    }
    // Clock timers do not prevent the process from exiting; this timer does.
    const ended = Promise.withResolvers<void>();
    const timer = setTimeout(ended.resolve, leftMs);
    await Promise.race([woken, ended.promise]);
    clearTimeout(timer);
  }
}

/** The data of a Secret in the Release's namespace, decoded; undefined: none is referenced. */
async function readSecret(
  name: string | undefined,
  { metadata: { namespace } }: ReleaseObject,
  client: ApiClient,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (name === undefined) return undefined;
  const secret = await client.read(Secret, { namespace, name });
  if (secret === undefined)
    throw new SourceError(
      "SourceInvalid",
      `Secret "${namespace}/${name}" does not exist; create it or name another one`,
    );
  const data = (secret["data"] ?? {}) as Readonly<Record<string, string>>;
  return new Map(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );
}
