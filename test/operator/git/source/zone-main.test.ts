import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { composeSourceZone } from "../../../../operator/git/source/compose-source-zone.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { noKernelIsolation } from "../../../../operator/sandbox/kernel-isolation.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { SourcesOfZone } from "../../../fakes/source-zone.ts";
import { readAll } from "./sources-harness.ts";

const main = resolve(import.meta.dirname, "../../../../cli/image/main.ts");

/** The main process of the zone, with its log. */
function aMain(words: readonly string[]) {
  const zone = spawn(process.execPath, [main, "zone", "source", ...words], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(zone, "exit");
  onTestFinished(async () => {
    zone.kill("SIGKILL");
    await ended;
  });
  return { zone, ended, lines: createInterface(zone.stderr) };
}

test("the image's program serves an operator as the source zone, with hooks, until SIGTERM", async () => {
  using remote = new FakeGitRemote();
  const folder = mkdtempSync(join(tmpdir(), "fairlead-source-main-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["source", "hooks"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "hooks", "shop"), "a secret of some length");
  remote.commitByOthers({ x: "1" });
  const { zone, ended, lines } = aMain([
    ...[`--sockets=${join(folder, "source")}`, `--cache=${join(remote.folder, "cache")}`, "--file-remotes"],
    ...["--hook-bind-address=127.0.0.1:0", `--hook-secrets=${join(folder, "hooks")}`],
  ]);
  const listening = new Promise<Record<string, unknown>>((found) => {
    lines.on("line", (line) => {
      const entry = JSON.parse(line) as Record<string, unknown>;
      if (entry["message"] === "Listening") found(entry);
    });
  });
  const { sources, close } = composeSourceZone({
    zoneSockets: folder,
    worker: {
      cache: "",
      cacheBytes: 0,
      isolation: noKernelIsolation("the zone has a container of its own"),
      requireIsolation: false,
      allowFile: true,
      hooks: undefined,
      logLevel: "info",
      logFormat: undefined,
    },
    environment: {},
    clock: systemClock(),
    random: () => 0,
    log: new RecordingLogger(),
  });
  onTestFinished(close);
  const it = new SourcesOfZone(sources);
  const source = { url: `file://${remote.path}`, ref: { branch: "main" }, path: "." };
  expect(await readAll(await it.ready("ns/a", { source }))).toEqual({ x: "1" });
  expect(await listening).toMatchObject({ zone: "source", serves: "hooks" });
  zone.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("the main process names its missing options", async () => {
  const { ended, lines } = aMain(["--sockets=/nowhere"]);
  const [line] = await once(lines, "line");
  expect(JSON.parse(String(line))).toMatchObject({
    level: "error",
    reason: expect.stringContaining("--cache"),
  });
  expect(await ended).toEqual([1, null]);
});
