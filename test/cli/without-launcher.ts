import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";

/**
 * Sets the environment of this test to that of a machine without any layer of isolation: without a PATH there is no Go, and
 * with an empty cache no launcher.
 */
export function removeLauncher({ ci = "", path = "" } = {}): void {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-no-launcher-"));
  vi.stubEnv("FAIRLEAD_CACHE", folder).stubEnv("PATH", path).stubEnv("CI", ci);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
}
