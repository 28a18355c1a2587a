import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { requireFreePorts, requireGit, requireWritable } from "../../../cli/local-cluster/preconditions.ts";

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-preconditions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("requireGit() reports that git is missing", async () => {
  await expect(requireGit({ PATH: aFolder() })).rejects.toThrow(/^Cannot find git: it is not on the PATH/);
  await expect(requireGit(process.env)).resolves.toBeUndefined();
});

describe("requireWritable()", () => {
  const variable = "FAIRLEAD_CACHE";

  test("creates the folder, and leaves nothing in it", async () => {
    const folder = join(aFolder(), "a/b");
    await requireWritable(folder, { variable });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("names the folder, the reason and the variable that helps", async () => {
    const file = join(aFolder(), "file");
    writeFileSync(file, "");
    await expect(requireWritable(join(file, "cache"), { variable })).rejects.toThrow(
      `Cannot write to "${file}/cache": a parent of the path is a file; set FAIRLEAD_CACHE to a folder that can be written to`,
    );
    await expect(requireWritable("/sys/fairlead", { variable })).rejects.toThrow(
      /"\/sys\/fairlead": (permission denied|the file system is read-only); set/,
    );
  });
});

test("requireFreePorts() names the ports that are in use, and the programs that need them", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const needed = [{ port, program: "kube-apiserver" }];
  const remedy = "End that program";
  await expect(requireFreePorts(needed, { remedy })).rejects.toThrow(
    `Another program listens on 127.0.0.1:${port}, which kube-apiserver needs. End that program`,
  );
  server.close();
  await once(server, "close");
  await expect(requireFreePorts(needed, { remedy })).resolves.toBeUndefined();
});
