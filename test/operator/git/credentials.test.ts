import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCredentials } from "../../../operator/git/credentials.ts";
import { gitEnvironment } from "../../../operator/git/git-environment.ts";
import { parseRemoteUrl } from "../../../operator/git/remote-url.ts";

const https = parseRemoteUrl("https://git.example.dev/team/env.git");
const ssh = parseRemoteUrl("git@git.example.dev:team/env.git");

function aSecret(files: Readonly<Record<string, string>>, name = "secret"): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const directory = join(folder, name);
  mkdirSync(directory);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text);
  return directory;
}

describe("readCredentials()", () => {
  test("username and password become a header for this host only", async () => {
    const directory = aSecret({ username: "me\n", password: "hunter2\n" });
    const { settings, secrets } = await readCredentials(directory, https);
    const basic = Buffer.from("me:hunter2").toString("base64");
    expect(settings).toEqual([
      ["http.https://git.example.dev/.extraHeader", `Authorization: Basic ${basic}`],
    ]);
    expect(secrets).toEqual(expect.arrayContaining(["hunter2", basic]));
  });

  test("a bearer token has precedence over a password", async () => {
    const directory = aSecret({ username: "me", password: "hunter2", bearerToken: "t0ken" });
    const { settings } = await readCredentials(directory, https);
    expect(settings.map(([, value]) => value)).toEqual(["Authorization: Bearer t0ken"]);
  });

  test("a certificate authority is named by its path", async () => {
    const directory = aSecret({ bearerToken: "t0ken", "ca.crt": "PEM" });
    const { settings } = await readCredentials(directory, https);
    expect(settings[0]).toEqual(["http.sslCAInfo", join(directory, "ca.crt")]);
  });

  test("they are read each time, so that a rotated Secret takes effect at once", async () => {
    const directory = aSecret({ bearerToken: "old" });
    await readCredentials(directory, https);
    writeFileSync(join(directory, "bearerToken"), "new");
    expect((await readCredentials(directory, https)).secrets).toEqual(["new"]);
  });

  test.for(["plain", 'it\'s a 100% "odd" $(touch pwned) `name`;'.replaceAll('"', ""), "with $HOME & blanks"])(
    "the ssh command is quoted correctly for the shell and for ssh with the folder %j",
    async (name) => {
      const directory = aSecret({ identity: "KEY", known_hosts: "HOSTS" }, name);
      const { sshCommand = "" } = await readCredentials(directory, ssh);
      // The arguments that the shell passes, with ssh replaced by a program that prints them.
      const words = execFileSync("sh", ["-c", `printf '%s\\n' ${sshCommand}`], { encoding: "utf8" }).split(
        "\n",
      );
      const escaped = directory.replaceAll("%", "%%");
      expect(words[words.indexOf("-i") + 1]).toBe(`${escaped}/identity`);
      expect(words).toContain(`UserKnownHostsFile="${escaped}/known_hosts"`);
      expect(words).toEqual(
        expect.arrayContaining([
          "StrictHostKeyChecking=yes",
          "GlobalKnownHostsFile=/dev/null",
          "IdentitiesOnly=yes",
          "BatchMode=yes",
        ]),
      );
    },
  );

  test.for([
    { remote: https, files: { username: "me" }, says: '"username" and "password"' },
    { remote: https, files: {}, says: "bearerToken" },
    { remote: ssh, files: { identity: "KEY" }, says: '"known_hosts"' },
    { remote: ssh, files: { known_hosts: "x" }, says: '"identity"' },
  ])("names what is missing: $says", async ({ remote, files, says }) => {
    const reading = readCredentials(aSecret(files as Record<string, string>), remote);
    await expect(reading).rejects.toMatchObject({ reason: "Credentials" });
    await expect(reading).rejects.toThrow(says);
  });

  test("a file remote needs none, and none are read", async () => {
    expect(await readCredentials("/nowhere", parseRemoteUrl("/srv/x"))).toEqual({
      settings: [],
      sshCommand: undefined,
      secrets: [],
    });
  });
});

describe("gitEnvironment()", () => {
  const input = { home: "/cache", protocol: "https" as const };

  test("passes on only PATH and the network settings", () => {
    const environment = gitEnvironment({
      ...input,
      environment: {
        PATH: "/opt/bin",
        HTTPS_PROXY: "p",
        AWS_SECRET: "s",
        GIT_DIR: "/x",
        EDITOR: "vi",
        HOME: "/root",
      },
    });
    expect(environment).toMatchObject({
      PATH: "/opt/bin",
      HTTPS_PROXY: "p",
      HOME: "/cache",
      GIT_TERMINAL_PROMPT: "0",
    });
    for (const name of ["AWS_SECRET", "GIT_DIR", "EDITOR"]) expect(environment).not.toHaveProperty(name);
  });

  test("git uses the settings, and no other protocol than the remote's", () => {
    const environment = gitEnvironment({
      ...input,
      environment: { PATH: process.env["PATH"] },
      credentials: { settings: [["http.x.extraHeader", "A: b c"]], sshCommand: undefined, secrets: [] },
    });
    const read = (key: string) =>
      execFileSync("git", ["config", key], { env: environment, encoding: "utf8" }).trim();
    expect(read("core.hooksPath")).toBe("/dev/null");
    expect(read("http.x.extraHeader")).toBe("A: b c");
    expect(() =>
      execFileSync("git", ["ls-remote", "/srv/nowhere"], {
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    ).toThrow(/transport 'file' not allowed/);
  });
});
