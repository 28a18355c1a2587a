import { describe, expect, test } from "vitest";
import { toRemoteFailure } from "../../../../operator/git/source/remote-failure.ts";

describe("toRemoteFailure()", () => {
  test.for([
    ["fatal: unable to access 'https://h/x/': Could not resolve host: h", "SourceUnreachable"],
    [
      "fatal: unable to access 'https://h/x/': Failed to connect to h port 443: Connection refused",
      "SourceUnreachable",
    ],
    [
      "ssh: connect to host h port 22: Connection timed out\nfatal: Could not read from remote repository.",
      "SourceUnreachable",
    ],
    ["fatal: unable to access 'https://h/x/': The requested URL returned error: 503", "SourceUnreachable"],
    [
      "fatal: unable to access 'https://h/x/': OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443",
      "SourceUnreachable",
    ],
    [
      "fatal: unable to access 'https://h/x/': OpenSSL SSL_read: Connection reset by peer, errno 104",
      "SourceUnreachable",
    ],
    [
      "fatal: unable to access 'https://h/x/': gnutls_handshake() failed: The TLS connection was non-properly terminated.",
      "SourceUnreachable",
    ],
    [
      "fatal: unable to access 'https://h/x/': SSL certificate problem: self-signed certificate",
      "SourceRefused",
    ],
    ["fatal: Authentication failed for 'https://h/x/'", "SourceRefused"],
    ["fatal: could not read Username for 'https://h': terminal prompts disabled", "SourceRefused"],
    ["git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.", "SourceRefused"],
    ["Host key verification failed.\nfatal: Could not read from remote repository.", "SourceRefused"],
    [
      'Load key "/c/identity": error in libcrypto\ngit@h: Permission denied (publickey).\nfatal: Could not read from remote repository.',
      "SourceInvalid",
    ],
    [
      'Load key "/c/q-xTLSz/identity": error in libcrypto\ngit@h: Permission denied (publickey).',
      "SourceInvalid",
    ],
    [
      "ssh: connect to host tls.example.dev port 22: Connection refused\nfatal: Could not read from remote repository.",
      "SourceUnreachable",
    ],
    ["fatal: unable to access 'https://h/x/': The requested URL returned error: 403", "SourceRefused"],
    [
      "fatal: unable to access 'https://h/x/': server certificate verification failed. CAfile: none",
      "SourceRefused",
    ],
    ["remote: Repository not found.\nfatal: repository 'https://h/x/' not found", "SourceNotFound"],
    ["fatal: '/srv/x.git' does not appear to be a git repository", "SourceNotFound"],
    ["fatal: unable to access 'https://h/x/': The requested URL returned error: 301", "SourceInvalid"],
    ["error: object 1234: hasDotgit: contains '.git'\nfatal: fsck error in packed object", "SourceInvalid"],
    ["", "SourceUnreachable"],
  ] as const)("maps %j to %s", ([stderr, reason]) => {
    expect(toRemoteFailure(stderr, []).reason).toBe(reason);
  });

  // Patterns with quadratic time take minutes for these texts, and the test runner aborts after 90 seconds.
  test.for([
    "repository ",
    "host key ",
    "no ",
    "Load key ",
    "SSL_connect: ",
    "a.",
    ": 1",
    "remote: ",
    "Total 1 ",
  ])("reads a megabyte of %j in linear time", (words) => {
    const text = words.repeat(1_000_000 / words.length);
    for (const stderr of [text, `${text}\n`, text.replaceAll(" ", "\n")])
      expect(toRemoteFailure(stderr, ["t0ken"]).message.length).toBeLessThan(600);
  });
  test.for([
    "remote: PRIVATE\nfatal: unable to access 'https://h/x/': The requested URL returned error: 403",
    "remote: PRIVATE\nfatal: unable to access 'https://h/x/': The requested URL returned error: 500",
    "fatal: remote error: PRIVATE",
    "fatal: invalid server response; got 'PRIVATE'",
    "fatal: protocol error: bad line length character: PRIVATE",
    "PRIVATE\ngit@h: Permission denied (publickey).",
    "remote: x\rfatal: PRIVATE\nfatal: the remote end hung up unexpectedly",
    "returned error: 403PRIVATE",
    "PRIVATE",
  ])("repeats no text of the host: %j", (stderr) => {
    const { message } = toRemoteFailure(stderr, []);
    expect(message).not.toContain("PRIVATE");
    expect(message).toMatch(/^Cannot (reach|read) the repository: \w/);
  });

  test.for([
    ["ssh: Could not resolve hostname h: Name or service not known", "cannot resolve its host name"],
    ["fatal: unable to access 'https://h/x/': The requested URL returned error: 503", "HTTP status 503"],
    ["ssh: connect to host h port 22: Connection refused", "connection refused"],
    [
      "fatal: unable to access 'https://h/x/': Failed to connect to h port 443 after 0 ms: Couldn't connect to server",
      "cannot connect to its host",
    ],
    [
      "fatal: unable to access 'https://h/x/': Failed to connect to h port 443 after 130000 ms: Connection timed out",
      "connection timed out",
    ],
    ["fatal: https://h/info/refs not valid: is this a git repository?", "not a git server"],
    ["git@h: Permission denied (publickey,password).", "Permission denied (publickey)"],
    [
      `WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nSHA256:${"a".repeat(43)}.\nHost key verification failed.`,
      `SHA256:${"a".repeat(43)}`,
    ],
  ] as const)("describes %j as %s", ([stderr, says]) => {
    expect(toRemoteFailure(stderr, []).message).toContain(says);
  });

  test("contains no secret and no control characters, and has a limited length", () => {
    const stderr = `fatal: https://me:hunter2@h said \u001b[31mt0ken\n${"x".repeat(5_000)}`;
    const { message } = toRemoteFailure(stderr, ["t0ken"]);
    expect(message).not.toMatch(/hunter2|t0ken/);
    expect(message).not.toContain("\u001b");
    expect(message.length).toBeLessThan(600);
  });
});
