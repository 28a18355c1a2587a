import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Command } from "commander";

/** `npm run bench -- takeover`: the tests that need the Go operator, which `npm test` does not compile. */
export function takeoverCommand(): Command {
  return new Command("takeover")
    .description("Test that what the Go operator made is taken over: no pod restarts, and edits work")
    .action(async () => {
      const { env } = process;
      const args = ["run", "--config", "test/vitest.config.ts", "--project", "rival"];
      const tests = spawn("vitest", args, {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: { ...env, FAIRLEAD_RIVAL: "1" },
        stdio: "inherit",
      });
      const [code] = (await once(tests, "exit")) as [number | null];
      process.exitCode = code ?? 1;
    });
}
