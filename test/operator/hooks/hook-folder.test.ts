import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readHookFolder } from "../../../operator/hooks/hook-folder.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

async function aHookFolder(files: Readonly<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), "fairlead-hooks-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const [clock, log] = [new FakeClock(), new RecordingLogger()];
  return { directory, clock, log, hooks: readHookFolder(directory, { clock, log }) };
}

const long = "0123456789abcdef";

test("each file is a hook, with one secret a line; .url binds it", async () => {
  const { hooks, log } = await aHookFolder({
    shop: `${long}\n`,
    both: `${long}\r\nsecond-${long}`,
    bound: long,
    "bound.url": "git@git.example.com:shop/web.git\n",
  });
  expect(await hooks.find("shop")).toEqual({ name: "shop", secrets: [long], url: undefined });
  expect((await hooks.find("both"))?.secrets).toEqual([long, `second-${long}`]);
  expect((await hooks.find("bound"))?.url).toBe("git@git.example.com:shop/web.git");
  for (const name of ["bound.url", "none", "..data", "", "__proto__"])
    expect(await hooks.find(name)).toBeUndefined();
  expect(log.entries).toEqual([]);
});

test("a file that is not a hook is reported once, and ignored", async () => {
  const { hooks, log, directory, clock } = await aHookFolder({
    empty: "\n\n",
    short: "s3cret",
    lost: long,
    "lost.url": "nowhere",
    unread: long,
    "unread.url": `https://git.example.com/shop/web.git${" ".repeat(10_000)}`,
    large: "x".repeat(10_000),
    "a b": long,
  });
  await symlink(directory, join(directory, "folder"));
  await symlink(directory, join(directory, "..data"));
  for (const name of ["empty", "lost", "unread", "large", "a b", "folder"])
    expect(await hooks.find(name)).toBeUndefined();
  expect((await hooks.find("short"))?.secrets).toEqual(["s3cret"]);
  const told = log.entries.length;
  expect(told).toBe(7);
  expect(JSON.stringify(log.entries)).not.toContain("s3cret");
  await clock.advance(10_000);
  await hooks.find("short");
  expect(log.entries).toHaveLength(told);
});

test("a changed secret takes effect two seconds later", async () => {
  const { hooks, directory, clock } = await aHookFolder({ shop: long });
  await hooks.find("shop");
  await writeFile(join(directory, "shop"), `new-${long}`);
  await clock.advance(1_999);
  expect((await hooks.find("shop"))?.secrets).toEqual([long]);
  await clock.advance(1);
  expect((await hooks.find("shop"))?.secrets).toEqual([`new-${long}`]);
});

test("a missing folder has no hooks, and a warning is logged once", async () => {
  const { directory, clock, log } = await aHookFolder({});
  const hooks = readHookFolder(join(directory, "none"), { clock, log });
  expect(await hooks.find("shop")).toBeUndefined();
  await clock.advance(10_000);
  expect(await hooks.find("shop")).toBeUndefined();
  expect(log.messages("warn")).toEqual(["The hook folder is invalid"]);
});
