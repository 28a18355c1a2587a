import { describe, expect, test } from "vitest";
import { parseRemoteUrl, RemoteUrlError } from "../../../operator/git/remote-url.ts";

describe("parseRemoteUrl()", () => {
  test.for([
    ["/srv/git/env.git", "file"],
    ["file:///srv/git/env.git", "file"],
    ["https://git.example.dev/team/env.git", "https"],
    ["https://git.example.dev:8443/env", "https"],
    ["ssh://git@git.example.dev:2222/team/env.git", "ssh"],
    ["git@git.example.dev:team/env.git", "ssh"],
    ["git.example.dev:env.git", "ssh"],
    ["git@[::1]:env.git", "ssh"],
  ])("accepts %s as %s", ([text = "", protocol]) => {
    expect(parseRemoteUrl(text)).toEqual({ protocol, url: text });
  });

  test.for([
    "",
    " /srv/x",
    "/srv/a b",
    "env.git",
    "./env.git",
    "../env.git",
    "http://git.example.dev/env.git",
    "git://git.example.dev/env.git",
    "ftp://git.example.dev/env.git",
    "ext::sh -c id",
    "ext::sh%20-c%20id",
    "fd::7",
    "--upload-pack=touch",
    "-oProxyCommand=id:x",
    "ssh://-oProxyCommand=id/x",
    "ssh://-oProxyCommand=id@host/x",
    "git@-oProxyCommand=id:x",
    "host:-x",
    "https:///x",
    "ssh://git%40127.0.0.1/x",
    "ssh://127.0.0.1%2F@git.example.dev/x",
    "ssh://%2DoProxyCommand=id/x",
    "https://git.example.dev\\@other/x",
    "https://a\nb/x",
  ])("rejects %j", (text) => {
    expect(() => parseRemoteUrl(text)).toThrow(RemoteUrlError);
  });

  test.for([
    "https://me:hunter2@git.example.dev/x",
    "https://hunter2@git.example.dev/x",
    "ssh://git:hunter2@h/x",
  ])("rejects credentials in %s and does not repeat them", (text) => {
    expect(() => parseRemoteUrl(text)).toThrow(/contains credentials; put them into files/);
    expect(() => parseRemoteUrl(text)).not.toThrow(/hunter2/);
  });
});
