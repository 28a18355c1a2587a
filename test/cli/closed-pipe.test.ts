import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

const fairlead = resolve(import.meta.dirname, "../../cli/fairlead.js");

test("a command whose reader has ended exits as by SIGPIPE, without a message", async () => {
  const command = spawn(process.execPath, [fairlead, "crds"], { stdio: ["ignore", "pipe", "pipe"] });
  // As `head` does: the read end of the pipe is closed before anything is written.
  command.stdout.destroy();
  const [said, [code]] = await Promise.all([text(command.stderr), once(command, "exit")]);
  expect(said).toBe("");
  expect(code).toBe(141);
});

test.for([
  { env: { FORCE_COLOR: "1" }, shows: "\u001b[32m+a\u001b[39m\n" },
  { env: { FORCE_COLOR: "1" }, line: "\u001b[2J", shows: "\u001b[32m\\u001b[2J\u001b[39m\n" },
  { env: {}, shows: "+a\n" },
  { env: { NO_COLOR: "1" }, shows: "+a\n" },
])("a line with a style is shown as $shows with $env", async ({ env, line = "+a", shows }) => {
  const module = JSON.stringify(join(fairlead, "../terminal-text.ts"));
  const program = `const { printLine } = await import(${module}); printLine(${JSON.stringify(line)}, "green");`;
  const { FORCE_COLOR: _, NO_COLOR: __, ...rest } = process.env;
  const command = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...rest, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(await text(command.stdout)).toBe(shows);
});
