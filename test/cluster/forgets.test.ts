import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "./fixture.ts";
import { aFolder } from "./operator.ts";
import { aStampHarness, manyNames } from "./stamps.ts";

const names = manyNames(60, "leakprobe");

/** The strings in the memory of a program: a heap snapshot of V8 contains them as a list. */
type Texts = readonly string[];

function textsWith(word: string, texts: Texts): Texts {
  return texts.filter((text) => text.includes(word));
}

test("an operator frees the memory of deleted resources: it contains none of their names", async () => {
  const harness = await aStampHarness();
  const folder = await aFolder();
  const operator = await harness.start([], {
    environment: { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` },
  });
  const snapshot = async (): Promise<Texts> => {
    const before = readdirSync(folder).length;
    process.kill(operator.pid, "SIGUSR2");
    const name = await eventually(
      () => {
        const files = readdirSync(folder).filter((file) => file.endsWith(".heapsnapshot"));
        return files.length > before && files.toSorted().at(-1);
      },
      { what: "a heap snapshot" },
    );
    // It is written while the program is paused: the file is whole when it can be read as JSON.
    return await eventually(
      () => {
        const { strings } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
          readonly strings: Texts;
        };
        return strings;
      },
      { what: "the whole snapshot" },
    );
  };

  // Given some resources that stay, and many that are deleted
  await harness.apply(manyNames(5, "stays"), { text: "one" });
  await harness.apply(names, { text: "one" });
  await harness.untilSettled(names.length + 5);
  await harness.apply(names.slice(0, 30), { text: "two" });
  await harness.untilSettled(names.length + 5);
  const known = textsWith("leakprobe", await snapshot());
  expect(known.length).toBeGreaterThan(names.length);

  // When they are deleted
  await harness.remove(names);
  await harness.until("they are gone", (stamps) => stamps.length === 5);
  await eventually(() => harness.repository.files(`${harness.namespace}/`).length === 15, {
    what: "their folders are deleted",
  });
  await eventually(async () => (await harness.children()).length === 15, {
    what: "their children are deleted",
  });

  // Then, as others continue, none of them is left in its memory
  let edit = 0;
  await eventually(
    async () => {
      await harness.apply(manyNames(5, "stays"), { text: `again-${++edit}` });
      await harness.untilSettled(5);
      expect(textsWith("leakprobe", await snapshot())).toEqual([]);
      return true;
    },
    { what: "none of them is in memory", intervalMs: 2_000 },
  );
}, 900_000);
