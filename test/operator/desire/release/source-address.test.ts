import { describe, expect, test } from "vitest";
import {
  isBelow,
  isLocalAddress,
  readSourceAddress,
} from "../../../../operator/desire/release/source-address.ts";

const allows = (prefix: string, url: string): boolean => {
  const [address, above] = [readSourceAddress(url), readSourceAddress(prefix)];
  return address !== undefined && above !== undefined && isBelow(address, above);
};

describe("readSourceAddress() and isBelow()", () => {
  test.for([
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/shop.git"],
    ["https://git.example.dev/team-a", "https://git.example.dev/team-a/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a"],
    ["https://git.example.dev", "https://git.example.dev/team-b/shop"],
    ["https://git.example.dev/", "HTTPS://GIT.Example.DEV/team-b/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev:443/team-a/shop"],
    ["https://git.example.dev:8443/team-a/", "https://git.example.dev:8443/team-a/shop"],
    ["https://git.example.dev/team-a/shop", "https://git.example.dev/team-a/shop.git"],
    ["https://git.example.dev/team-a/shop.git", "https://git.example.dev/team-a/shop"],
    ["https://git.example.dev/team-a/shop.git", "https://git.example.dev/team-a/shop.git/"],
    ["https://git.example.dev/My%20Team/", "https://git.example.dev/My%20Team/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/%74eam-a/shop"],
    ["ssh://git.example.dev/team-a/", "ssh://git@git.example.dev/team-a/shop.git"],
    ["ssh://git.example.dev/team-a/", "git@git.example.dev:team-a/shop.git"],
    ["ssh://git.example.dev/team-a/", "git@git.example.dev:/team-a/shop.git"],
    ["ssh://git@git.example.dev/team-a/", "ssh://git@git.example.dev:22/team-a/shop.git"],
    ["file:///srv/git/", "/srv/git/shop.git"],
    ["file:///srv/git", "file:///srv/git/shop.git"],
  ] as const)("%s allows %s", ([prefix, url]) => {
    expect(allows(prefix, url)).toBe(true);
  });

  test.for([
    // Another host, port, protocol, user
    ["https://git.example.dev/team-a/", "https://git.example.dev.evil.dev/team-a/shop"],
    ["https://git.example.dev", "https://git.example.dev.evil.dev/"],
    ["https://git.example.dev/", "https://evil.dev/git.example.dev/"],
    ["https://git.example.dev/", "https://git.example.dev@evil.dev/"],
    ["https://git.example.dev/", "https://git.example.dev:443@evil.dev/"],
    ["https://git.example.dev/", "https://evil.dev\\@git.example.dev/"],
    ["https://git.example.dev/", "https://evil.dev#@git.example.dev/"],
    ["https://git.example.dev/", "https://evil.dev?@git.example.dev/"],
    ["https://git.example.dev/", "https://git.example.dev:8443/team-a"],
    ["https://git.example.dev/", "ssh://git.example.dev/team-a"],
    ["https://git.example.dev/", "git.example.dev:team-a/shop"],
    ["ssh://git.example.dev/", "ssh://git@git.example.dev:2222/team-a"],
    ["ssh://git@git.example.dev/", "ssh://root@git.example.dev/team-a"],
    ["ssh://git.example.dev/", "ssh://git@git.example.dev@evil.dev/team-a"],
    ["ssh://git.example.dev/", "ssh://git%40git.example.dev%2f@evil.dev/team-a"],
    ["ssh://git.example.dev/", "ssh://git%2eexample.dev/team-a"],
    ["ssh://git.example.dev/", "evil.dev:git.example.dev/team-a"],
    ["https://git.example.dev/", "https://ｇit.example.dev/team-a"],
    ["https://git.example.dev/", "https:///git.example.dev/team-a"],
    ["https://127.0.0.1/", "https://0x7f.1/team-a"],
    // Another path
    ["https://git.example.dev/team-a", "https://git.example.dev/team-ab/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/Team-A/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/"],
    ["https://git.example.dev/team-a/shop.git", "https://git.example.dev/team-a/shop2"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/../team-b/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/%2e%2e/team-b/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/.%2E/team-b/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a%2f..%2fteam-b/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/%252e%252e/team-b/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/x%5c..%5c..%5cteam-b"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/%zz"],
    ["https://git.example.dev/team-b/", "https://git.example.dev/team-a/../team-b/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev?/team-a/shop"],
    ["https://git.example.dev/team-a/", "https://git.example.dev/team-a/shop?x=y"],
    ["ssh://git.example.dev/team-a/", "git@git.example.dev:team-a/../team-b/shop"],
    ["file:///srv/git/", "/srv/git/../other"],
    ["file:///srv/git/", "file://host/srv/git/x"],
    ["ext::sh", "ext::sh -c id"],
  ] as const)("%s does not allow %s", ([prefix, url]) => {
    expect(allows(prefix, url)).toBe(false);
  });
});

describe("isLocalAddress()", () => {
  test.for([
    "https://127.0.0.1/x",
    "https://127.8.9.1:8443/x",
    "https://127.1/x",
    "https://2130706433/x",
    "https://0x7f000001/x",
    "https://0177.0.0.1/x",
    "https://0.0.0.0/x",
    "https://169.254.169.254/latest/meta-data",
    "https://0xa9fea9fe/latest",
    "https://[::1]/x",
    "https://[::]/x",
    "https://[fe80::1]/x",
    "https://[febf::1]:8443/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[::ffff:169.254.169.254]/x",
    "https://[fd00:ec2::254]/latest",
    "https://localhost/x",
    "https://LOCALHOST./x",
    "https://a.localhost:8443/x",
    "ssh://git@127.0.0.1:2222/x",
    "ssh://0x7f.1/x",
    "git@127.0.0.1:x",
    "git@localhost:x",
    "[::1]:x",
    "[2130706433:22]:x",
    "[2130706433]:x",
    "ssh://a%40127.0.0.1/x",
    "ssh://127.0.0.1%2Fx/y",
    "ssh://127.0.0.1%2F@git.example.dev/x",
    "ssh://git.example.dev%5C/x",
  ])("is true for %s", (url) => {
    expect(isLocalAddress(url)).toBe(true);
  });

  test.for([
    "https://git.example.dev/x",
    "https://127.example.dev/x",
    "https://10.0.0.1/x",
    "https://[2001:db8::1]/x",
    "https://localhost.example.dev/x",
    "git@git.example.dev:127.0.0.1/x",
    "https://git.example.dev/127.0.0.1",
    "file:///srv/git/x",
    "/srv/git/x",
  ])("is false for %s", (url) => {
    expect(isLocalAddress(url)).toBe(false);
  });
});
