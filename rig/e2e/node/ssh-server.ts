import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { libraryPath, network, type Plan, pathOf } from "./layout.ts";

/** The usual user of git hosts. Its home is the folder of the repositories. */
export const SSH_USER = "git";

/**
 * Writes the files of sshd: keys, and users that exist only in our mount namespace. Returns the command that runs it. Call it
 * after the mounts are set up.
 */
export function writeSshServer(plan: Plan): { readonly program: string; readonly args: string[] } {
  const { runDirectory, debianRoot } = plan;
  const folder = pathOf(runDirectory, "ssh");
  mkdirSync(folder, { mode: 0o700 });
  const file = (name: string) => join(folder, name);
  for (const key of ["host", "identity"]) {
    const args = ["-q", "-t", "ed25519", "-N", "", "-C", key, "-f", file(key)];
    execFileSync(join(debianRoot, "usr/bin/ssh-keygen"), args, {
      env: { LD_LIBRARY_PATH: libraryPath(plan), HOME: runDirectory },
    });
  }
  copyFileSync(file("identity.pub"), file("authorized_keys"));
  writeFileSync(file("known_hosts"), `${network.address} ${readFileSync(file("host.pub"), "utf8")}`);
  writeFileSync(
    file("passwd"),
    `${readFileSync("/etc/passwd", "utf8").trimEnd()}
sshd:x:65533:65533::/run/sshd:/usr/sbin/nologin
${SSH_USER}:x:0:0::${pathOf(runDirectory, "gitRoot")}:/bin/sh
`,
  );
  execFileSync("mount", ["--bind", file("passwd"), "/etc/passwd"]);
  mkdirSync("/run/sshd", { mode: 0o755 });
  writeFileSync(
    file("config"),
    `ListenAddress ${network.address}
HostKey ${file("host")}
AuthorizedKeysFile ${file("authorized_keys")}
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
`,
  );
  return { program: join(debianRoot, "usr/sbin/sshd"), args: ["-D", "-e", "-f", file("config")] };
}
