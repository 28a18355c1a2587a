import { once } from "node:events";
import { createSecrets, installOperator } from "./operator.ts";
import { prepare } from "./prepare.ts";
import { startStack } from "./stack.ts";

/**
 * `node rig/e2e/up.ts`: control plane, node and git host, with the operator in it, until Ctrl-C; `--bare`: without the
 * operator and without images.
 */
const say = (line: string) => void process.stdout.write(`${line}\n`);
const prepared = await prepare(say);
if (prepared.missing !== undefined) throw new Error(`This machine lacks ${prepared.missing}`);
const bare = process.argv.includes("--bare");
const stack = await startStack(prepared, { images: !bare });
say(`Run directory: ${stack.runDirectory}`);
if (!bare) {
  await createSecrets(stack);
  say(await installOperator(stack, { repository: "https" }));
}
say(`kubectl: ${stack.kubectlCommand.join(" ")}`);
say("Ctrl-C ends it and removes everything");
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await stack.stop();
