import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../operator");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);

/** A call of a logger, and the code up to the end of its first argument. */
const call = /\blog\??\.(?:debug|info|warn|error)\(\s*("(?:[^"\\]|\\.)*"|[^,)]*)/g;

/** One of a table of constants. */
const chosen = ["complaints[state.state]"];

test("every log message is constant: variable data is in fields", () => {
  const messages = sources.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(call)].map(([, message = ""]) => ({ file, message })),
  );
  expect(messages.length).toBeGreaterThan(20);
  const offences = messages.filter(
    ({ message }) => !message.startsWith('"') && !chosen.includes(message.trim()),
  );
  expect(offences).toEqual([]);
});
