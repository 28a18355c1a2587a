import { expect, test } from "vitest";
import { isFile, readFileArgument } from "../../../cli/release/file-argument.ts";

test("an argument is a file if it looks like one", () => {
  for (const file of ["-", "./web", "../web", "/web", "web.yaml", "web.yml", "web.json"])
    expect(isFile(file)).toBe(true);
  for (const name of ["web", "shop/web", "web-yaml"]) expect(isFile(name)).toBe(false);
});

test("a file that cannot be read is named", async () => {
  await expect(readFileArgument("nope.yaml")).rejects.toThrow(
    'Cannot read "nope.yaml": there is no such file',
  );
  await expect(readFileArgument("/")).rejects.toThrow('Cannot read "/": it is a folder');
});
