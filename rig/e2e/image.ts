import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface ImageInput {
  /** Names in Docker's format, with or without a registry host, and with tags. */
  readonly names: readonly string[];
  /** Files of this machine, by their path in the image. The libraries of programs are added. */
  readonly files?: Readonly<Record<string, string>>;
  readonly texts?: Readonly<Record<string, string>>;
  /** The image's configuration: `Entrypoint`, `Cmd`, `User`, `Env`, … */
  readonly config: object;
  /** Additional folders in which a program's libraries are searched. */
  readonly libraryPath: string;
}

/**
 * Creates an image from files of this machine: a folder with the content of a docker-archive for `ctr images import`.
 */
export async function writeImage(directory: string, image: ImageInput): Promise<void> {
  const { names, files = {}, texts = {}, config, libraryPath } = image;
  const root = `${directory}.root`;
  await mkdir(directory, { recursive: true });
  const placed = new Map(Object.entries(files));
  for (const path of new Set(Object.values(files))) {
    for (const [place, library] of await librariesOf(path, libraryPath)) placed.set(place, library);
  }
  for (const [place, path] of placed) {
    const target = join(root, place);
    await mkdir(dirname(target), { recursive: true });
    await symlink(await realpath(path), target); // tar follows the link, so the file is copied only once.
  }
  for (const [place, text] of Object.entries(texts)) {
    await mkdir(dirname(join(root, place)), { recursive: true });
    await writeFile(join(root, place), text);
  }
  const layer = join(directory, "layer.tar");
  await run("tar", ["-c", "--dereference", "--owner=0", "--group=0", "-f", layer, "-C", root, "."]);
  await rm(root, { recursive: true });
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const rootfs = { type: "layers", diff_ids: [`sha256:${await digestOf(layer)}`] };
  await writeFile(
    join(directory, "config.json"),
    JSON.stringify({ architecture, os: "linux", config, rootfs }),
  );
  const manifest = [{ Config: "config.json", RepoTags: names, Layers: [basename(layer)] }];
  await writeFile(join(directory, "manifest.json"), JSON.stringify(manifest));
}

/** The shared libraries and the loader of a program, by the path at which it expects them. */
async function librariesOf(path: string, libraryPath: string): Promise<[place: string, path: string][]> {
  const env = { PATH: process.env["PATH"], LD_LIBRARY_PATH: libraryPath, LC_ALL: "C" };
  const { stdout } = await run("ldd", [path], { env }).catch(() => ({ stdout: "" })); // The file is static, or not a program.
  if (stdout.includes("not found")) throw new Error(`Cannot put "${path}" into an image:\n${stdout}`);
  return stdout.split("\n").flatMap((line): [string, string][] => {
    const [, soname, found] = /^\s*(?:(\S+) => )?(\/\S+) \(/.exec(line) ?? [];
    if (found === undefined) return [];
    // The loader has an absolute path. Put libraries into a folder that every loader searches.
    return [[soname === undefined ? found : join("/lib", soname), found]];
  });
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
