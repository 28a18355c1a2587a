import { afterAll, beforeAll, describe, inject } from "vitest";
import { PLAIN_IMAGE } from "./images.ts";
import { createSecrets, installOperator } from "./operator.ts";
import { type Stack, startStack } from "./stack.ts";
import { escapedProgramTests } from "./tests/escaped-programs.ts";
import { limitTests } from "./tests/limits.ts";
import { lingeringProgramTests } from "./tests/lingering-programs.ts";

const prepared = inject("endToEnd");
/** The Releases have no account. Their Secret has the certificate and a password of the run's git host. */
const releases = { requireServiceAccount: false, readSecrets: true };

describe.skipIf(prepared.missing !== undefined)("on real containers, hostile Releases", () => {
  let running: Stack | undefined;
  const stack = () => {
    if (running === undefined) throw new Error("The node did not start");
    return running;
  };

  beforeAll(async () => {
    if (prepared.missing !== undefined) return;
    running = await startStack(prepared, { plain: true });
    await createSecrets(running);
    await installOperator(running, { repository: "https", releases });
  });
  afterAll(() => running?.stop());

  limitTests(stack);
  describe("whose program is a plain Node", () => {
    beforeAll(() => installOperator(stack(), { repository: "https", image: PLAIN_IMAGE, releases }));
    escapedProgramTests(stack);
    lingeringProgramTests(stack);
  });
});
