import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { localPlaces } from "../../../../operator/git/source/local-places.ts";

test("localPlaces() returns the visible content of the user's home, and neither the home itself nor a parent folder", () => {
  const home = mkdtempSync(join(tmpdir(), "fairlead-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const name of [".kube", ".ssh", "work"]) mkdirSync(join(home, name));
  const places = localPlaces(home);
  expect(places.filter((path) => path.startsWith(home))).toEqual([join(home, "work")]);
  for (let path = tmpdir(); path !== "/"; path = join(path, "..")) expect(places).not.toContain(path);
});

test("localPlaces() returns no folder of processes, sockets, settings or mounted secrets", () => {
  const places = localPlaces(homedir());
  for (const path of ["/", "/proc", "/run", "/etc", "/var", "/var/run", "/var/lib", "/dev", "/home", "/root"])
    expect(places).not.toContain(path);
});
