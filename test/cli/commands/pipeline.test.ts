import { expect, test } from "vitest";
import { showPipeline } from "../../../cli/commands/pipeline.ts";
import { ApiClient } from "../../../cli/release/api-client.ts";
import { ConnectionError } from "../../../operator/cluster/connection-error.ts";
import type { ApiRequest, ApiResponse } from "../../../operator/cluster/transport.ts";
import { aPipeline } from "../pipeline/a-pipeline.ts";
import { FakeApi } from "../release/fake-api.ts";

const path = "/apis/fairlead.dev/v1alpha1/namespaces/shop/pipelines/shop";

/** An API server that fails for some requests, by number. */
class FailingApi extends FakeApi {
  readonly #failures: ReadonlyMap<number, Error | number>;
  #sent = 0;

  constructor(failures: Readonly<Record<number, Error | number>>) {
    super({ [path]: aPipeline() });
    this.#failures = new Map(Object.entries(failures).map(([at, failure]) => [Number(at), failure]));
  }

  override async send(request: ApiRequest): Promise<ApiResponse> {
    const failure = this.#failures.get(this.#sent++);
    if (failure === undefined) return await super.send(request);
    if (failure instanceof Error) throw failure;
    const body = JSON.stringify({ kind: "Status", code: failure, message: "not now" });
    return { status: failure, body, retryAfterMs: undefined };
  }
}

/** What is printed in some rounds of watching. */
async function watched(failures: Readonly<Record<number, Error | number>>, rounds: number) {
  const [lines, complaints]: [string[], string[]] = [[], []];
  let left = rounds;
  const client = new ApiClient(new FailingApi(failures));
  const done = showPipeline(
    "shop",
    { watch: true },
    { client, namespace: "shop" },
    {
      print: (line) => void lines.push(line),
      complain: (line) => void complaints.push(line),
      nextRound: async () => --left > 0,
    },
  );
  const error = await done.then(
    () => undefined,
    (reason: Error) => reason.message,
  );
  return { lines, complaints, error };
}

test("pipeline --watch prints a Pipeline once while it does not change", async () => {
  const { lines, error } = await watched({}, 3);
  expect(error).toBeUndefined();
  expect(lines.filter((line) => line.startsWith("Pipeline shop/shop"))).toHaveLength(1);
});

test("pipeline --watch goes on after an outage of the API server, and says once that there is one", async () => {
  const lost = new ConnectionError("the connection was lost");
  // Each round reads the Pipeline and its Promotions.
  const { lines, complaints, error } = await watched({ 2: lost, 3: 503, 6: 500 }, 6);
  expect(error).toBeUndefined();
  expect(complaints).toEqual([
    "the connection was lost; trying again",
    expect.stringMatching(/500.*; trying again$/),
  ]);
  expect(lines.filter((line) => line.startsWith("Pipeline shop/shop"))).toHaveLength(1);
});

test("pipeline --watch exits on a permanent error, and when nothing was shown yet", async () => {
  expect((await watched({ 2: 403 }, 3)).error).toMatch(/^Cannot read/);
  expect((await watched({ 0: 503 }, 3)).error).toMatch(/^Cannot read/);
});
