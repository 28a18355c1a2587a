import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { composePublishZone } from "../../../../operator/git/publish/compose-publish-zone.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { noKernelIsolation } from "../../../../operator/sandbox/kernel-isolation.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";

const main = resolve(import.meta.dirname, "../../../../cli/image/main.ts");

/** The main process of the zone, with the log that it writes. */
function aMain(words: readonly string[]) {
  const zone = spawn(process.execPath, [main, "zone", "publish", ...words], {
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

/** The operator's side of a zone that runs elsewhere. */
function anOperator(folder: string) {
  const zone = composePublishZone({
    zoneSockets: folder,
    worker: {
      ...{ cache: "", repository: "", credentials: undefined, logLevel: "info", logFormat: undefined },
      ...{ isolation: noKernelIsolation(""), requireIsolation: false },
    },
    environment: {},
    clock: systemClock(),
    random: () => 0,
    log: new RecordingLogger(),
  });
  onTestFinished(() => zone.close());
  return zone;
}

/** On a busy machine, the start of the zone takes longer than an operator waits for it. */
async function untilServing(folder: string): Promise<void> {
  await vi.waitFor(() => expect(existsSync(join(folder, "publish/publish.sock"))).toBe(true), {
    timeout: 60_000,
  });
}

function aSocketFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-publish-main-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "publish"));
  return folder;
}

test("the image's program serves an operator as the publish zone until SIGTERM", async () => {
  using remote = new FakeGitRemote();
  const folder = aSocketFolder();
  const { zone, ended } = aMain([
    `--sockets=${join(folder, "publish")}`,
    `--cache=${join(remote.folder, "cache")}`,
    `--repository=${remote.path}`,
  ]);
  await untilServing(folder);
  const operator = anOperator(folder);
  await operator.check();
  const clone = operator.clone({ branch: "main", root: "" });
  await clone.open();
  const files = new Map([["a.txt", "1"]]);
  const commit = await clone.writeCommit({
    ...{ parent: undefined, message: "m\n", committedAt: new Date(0), folders: [], files },
  });
  expect(await clone.push({ commit, parent: undefined })).toBe("pushed");
  expect(remote.head()).toBe(commit);
  await clone.close();
  zone.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("a zone without the files of its credentials reports to the operator which are missing", async () => {
  const folder = aSocketFolder();
  aMain([
    `--sockets=${join(folder, "publish")}`,
    `--cache=${folder}`,
    ...["--repository=git@git.example.dev:r.git", `--credentials=${folder}`],
  ]);
  await untilServing(folder);
  await expect(anOperator(folder).check()).rejects.toThrow(
    `Cannot use the credentials: an ssh remote needs the file "identity" in "${folder}"`,
  );
});

test("the main process names its missing options", async () => {
  const { ended, lines } = aMain(["--sockets=/nowhere"]);
  const [line] = await once(lines, "line");
  expect(JSON.parse(String(line))).toMatchObject({
    level: "error",
    reason: expect.stringContaining("--repository"),
  });
  expect(await ended).toEqual([1, null]);
});

test("the main process refuses a repository with an unsupported protocol", async () => {
  const { ended, lines } = aMain(["--sockets=/nowhere", "--cache=/nowhere", "--repository=ext::sh"]);
  const [line] = await once(lines, "line");
  expect(JSON.parse(String(line))).toMatchObject({
    level: "error",
    reason: expect.stringContaining('"ext" is not one of file, https and ssh'),
  });
  expect(await ended).toEqual([1, null]);
});
