import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { ImageConfig } from "./bundle.ts";
import type { ImageInput } from "./image.ts";

export const OPERATOR_IMAGE = "localhost/fairlead:e2e";
/** The operator's image in which programs of Releases run in a plain Node. */
export const PLAIN_IMAGE = "localhost/fairlead:plain";

export interface ImagesInput {
  readonly debianRoot: string;
  readonly libraryPath: string;
  readonly operator: {
    /** Folder of the image's files. */
    readonly program: string;
    /** The same files without the restrictions inside of programs' processes; undefined: no such image. */
    readonly plainProgram?: string | undefined;
    readonly config: ImageConfig;
  };
}

/** The images of the run, with the names in the charts. */
export function imagesOf(input: ImagesInput): Readonly<Record<string, ImageInput>> {
  const { debianRoot, libraryPath, operator } = input;
  const busybox = join(debianRoot, "bin/busybox");
  const PATH = "PATH=/usr/local/bin:/usr/bin:/bin";
  return {
    pause: {
      names: ["localhost/pause:e2e"],
      files: { "/busybox": busybox },
      config: { Entrypoint: ["/busybox", "sleep", "2147483647"] },
      libraryPath,
    },
    busybox: {
      names: ["busybox:1.33.1", "busybox:latest"],
      files: Object.fromEntries(busyboxApplets.map((applet) => [`/bin/${applet}`, busybox])),
      texts: { "/etc/passwd": rootUser, "/tmp/.keep": "" },
      config: { Cmd: ["sh"], Env: [PATH] },
      libraryPath,
    },
    memcached: {
      names: ["memcached:1.6.6"],
      files: { "/usr/bin/memcached": join(debianRoot, "usr/bin/memcached") },
      config: { Entrypoint: ["memcached"], User: "11211:11211", Env: [PATH] },
      libraryPath,
    },
    nginx: {
      names: ["nginx:1.7.9"],
      files: { "/usr/sbin/nginx": join(debianRoot, "usr/sbin/nginx") },
      texts: {
        "/etc/passwd": rootUser,
        "/etc/group": "root:x:0:\n",
        "/etc/nginx/nginx.conf": nginxConfig,
        "/usr/share/nginx/html/index.html": "<h1>Welcome to nginx!</h1>\n",
        "/var/log/nginx/.keep": "",
        "/var/lib/nginx/.keep": "",
        "/run/.keep": "",
      },
      config: { Entrypoint: ["/usr/sbin/nginx", "-g", "daemon off;"] },
      libraryPath,
    },
    operator: operatorImage(input, { name: OPERATOR_IMAGE, program: operator.program }),
    ...(operator.plainProgram !== undefined && {
      plain: plainImage(operatorImage(input, { name: PLAIN_IMAGE, program: operator.plainProgram })),
    }),
  };
}

const rootUser = "root:x:0:0:root:/:/bin/sh\n";
const busyboxApplets = ["sh", "echo", "sleep", "nc", "hostname"];

const nginxConfig = `user root;
error_log /dev/stderr;
events {}
http {
  access_log off;
  default_type text/html;
  server { listen 80; root /usr/share/nginx/html; }
}
`;

/** The image of the Containerfile: Node, git and ssh with the required files of a base image, a user, and the bundle. */
function operatorImage(
  { debianRoot, libraryPath, operator: { config } }: ImagesInput,
  { name, program }: { readonly name: string; readonly program: string },
): ImageInput {
  const gitFolder = execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim();
  const [uid = "", gid = ""] = config.User.split(":");
  return {
    names: [name],
    files: {
      ...Object.fromEntries(filesOf(program).map((file) => [`/app/${file}`, join(program, file)])),
      "/usr/local/bin/node": process.execPath,
      "/bin/sh": "/bin/sh",
      "/usr/bin/git": "/usr/bin/git",
      [`${gitFolder}/git`]: join(gitFolder, "git"),
      [`${gitFolder}/git-remote-https`]: join(gitFolder, "git-remote-https"),
      "/usr/bin/ssh": join(debianRoot, "usr/bin/ssh"),
    },
    texts: {
      "/etc/passwd": `${rootUser}fairlead:x:${uid}:${gid}::/tmp:/usr/sbin/nologin\nfairlead-source:x:65531:${gid}::/tmp:/usr/sbin/nologin\nfairlead-publish:x:65529:${gid}::/tmp:/usr/sbin/nologin\n`,
      "/tmp/.keep": "",
    },
    config,
    libraryPath,
  };
}

/** Adds Perl, which can make system calls that Node cannot. */
function plainImage(image: ImageInput): ImageInput {
  return { ...image, files: { ...image.files, "/usr/bin/perl": "/usr/bin/perl" } };
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
