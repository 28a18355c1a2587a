/** Tokens of each format: valid ones, nearly valid ones, and long ones. */
// biome-ignore format: one line each
const common = ["a", "1", " ", "\n", "\t", "\r\n", "\u001b[", "\u0000", "é", "\ud83d\ude00", "\u202e", "\u2028", "-", ".", "/", "\\", '"', "'"];

const object = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';

// biome-ignore format: one line each
export const json = [...common, "{", "}", "[", "]", ",", ":", '\\"', "\\u0041", '"a"', '"a":', '"b":1,', "{},", "[],", "1e9", "-0.5", "true", "null", "__proto__", object, '{"kind":"List","apiVersion":"v1","items":[', '"repository":{"clone_url":"https://h/x"}'];

// biome-ignore format: one line each
export const yaml = [...common, "a: ", "a: 1\n", "- ", "- a\n", "  ", "    ", "---\n", "...\n", "|\n", ">-\n", "|#", "&a ", "*a ", "<<: ", "{", "}", "[", "]", ",", ": ", "# ", "? ", "!!str ", "!", "%YAML 1.1\n", "0x1", "1_000", ".inf", "~", "on", "2001-01-01", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n", "items:\n", '"\na: [\n1\n]\n', "''", '\\"', "\\\n", object];

// biome-ignore format: one line each
export const ignore = [...common, "*", "**", "**/", "!", "#", "[a-z]", "[", "]", "?", "\\ ", "a*", "*a*", "(", ")", "+", "{1}", "|", "^", "$"];

// biome-ignore format: one line each
export const stderr = [...common, "remote: ", "fatal: ", "error: ", "repository ", "not found", "host key ", "has changed", "no ", "Load key ", "libcrypto", "returned error: 403", "Total 1 ", "warning: ", "hint: ", ": 1%", "https://a:b@", "://", "@", "authorization: basic ", "Bearer ", "?token", "&key=", "=", "!\trefs/heads/a:refs/heads/a\t[rejected] (", "[", "]", "(", ")", "@".repeat(20), "Offending ", "key in", "hunter2", "hunter"];

// biome-ignore format: one line each
export const refs = [...common, `${"a".repeat(40)}\t`, "refs/tags/", "refs/heads/", "v1.", "1.2.3", "-rc.1", "+b", "^{}", "v", "x-", "\n", `${"a".repeat(40)}\trefs/tags/v1.0.0\n`, `${"b".repeat(40)}\trefs/tags/v2.1.0-rc.1.x.y\n`];

// biome-ignore format: one line each
export const tree = [...common, "100644 ", "40000 ", "120000 ", "a\u0000", "\u0000".repeat(20), `100644 a\u0000${"x".repeat(20)}`, `40000 b\u0000${"y".repeat(20)}`];

// biome-ignore format: one line each
export const commit = [...common, "tree ", "parent ", "author ", "committer ", "gpgsig ", "\n\n", "<", ">", " 1700000000 +0100", "A <a@b>", `tree ${"a".repeat(40)}\n`, `parent ${"a".repeat(40)}\n`, "author A <a@b> 1700000000 +0100\n"];

// biome-ignore format: one line each
export const form = [...common, "payload=", "&", "=", "%7B", "%22", "%", "+", "{", "}", '"ref":', "%5B"];

// biome-ignore format: one line each
export const frames = ["\u0000", "\u0001", "\u0000\u0000\u0000\u0001", "\u0000\u0000\u0000\u0010", '\u0000\u0000\u0000\u000e{"kind":"ran"}', "{", "}", "a", "\u0000\u0001\u0000\u0000", "\u007f"];

// biome-ignore format: one line each
export const zoneFrames = [...frames, '\u0000\u0000\u0000\u0014{"is":"item","id":1}\u0000\u0000\u0000\u0000', '\u0000\u0000\u0000\u000f{"is":"request"', "\u0000\u0000\u0000\u0002{}\u0000\u0000\u0000\u0001\u0000\u0000\u0000\u0001a", '"body":', ',"id":7'];

// biome-ignore format: one line each
export const details = [...json, '{"warnings":[', '"readPaths":[', '"a/b.ts",', '"../",', "0,", "[[", "}}"];

const head = '{"state":"collected","origins":["a"],"edges":[]}';
// biome-ignore format: one line each
export const program = [...json, `${head}\n`, `{"state":"collected","origins":["a","b"],"edges":[[0,1]]}\n`, '{"state":"failed","error":{"name":"E","message":"', '{"state":"pending"}', `${object}\n`, `${head}\n{"a":[`, "[0,0],", '"a",'];

/** Items of a list. */
export const items = [
  ...json,
  ...json.filter((token) => token.endsWith(",")),
  '"a",',
  "0,",
  "{},",
  "[],",
  '{"a":1},',
  "[0,1],",
  "[1],",
  "null,",
];

// biome-ignore format: one line each
export const cel = [...common, "(", ")", "[", "]", "{", "}", "spec", ".list", "status.ready", " == ", " && ", " || ", "!", "true", "has(", "size(", ".all(x, ", ".exists(x, ", ".map(x, ", ".filter(x, ", "spec.text", ".contains('a')", ".split('')", " + ", "'a'", " in ", "? ", " : ", "1.0", "x", "string(", "duration('1h')", "timestamp('", ".lowerAscii()", "r'", "'''"];

// biome-ignore format: one line each
export const semver = [...common, ">=", "<", "~", "^", "||", " - ", "1.2.3", "x", "*", "-rc", "+", "=", "v"];

// biome-ignore format: one line each
export const url = [...common, "https://", "ssh://", "git@", "h", ":", "@", "?", "#", "%", "[::1]", "..", "file:///", "x.git", "//"];

// biome-ignore format: one line each
export const schema = [...json, '"properties":{', '"type":"object",', '"items":{', '"spec":{', '"versions":[{"name":"v1",', '"names":{"kind":"A","plural":"as"},', '"kind":"APIGroupDiscoveryList","items":[', '"resources":[{', '"source":{"url":"https://h/x"},', '"render":{"manifests":{}},', '"healthChecks":[{', '"selector":{"matchLabels":{'];

// biome-ignore format: one line each
export const conditions = [...json, "[", '{"type":"AbleToScale","status":"True"},', '{"type":"ScalingActive","status":"False",', '"reason":"FailedGetScale"', '"message":', '"lastTransitionTime":"2026-01-01T00:00:00Z"}', "]"];

// biome-ignore format: one line each
export const refusal = [...common, 'User "', '" cannot get resource "', "Invalid value: ", ": ", "failed to create typed patch object (", "): ", "is forbidden: ", "exceeded quota", ", got ", " got ", "the lease is held by ", "leaves alone what belongs to ", "immutable"];

export const branchList = [
  "\u0000",
  `${"0123456789".repeat(4)} shop/a.b/x\u0000`,
  `${"ab".repeat(32)} `,
  "shop/a.b/x\u0000",
  "../",
  "/",
  ".",
  " ",
  "\n",
  "\u00e9",
  "\ufffd",
];
export const branch = [
  ...json,
  '{"ownerFile":{"owner":{"cluster":"',
  '","lease":"',
  '"},"approveSweep":"',
  '{"lease":{"leaseUid":"',
  '"unreadable"',
  '{"reason":"PushRefused","killed":true,"message":"',
  "https://ann:secret@host/",
  "authorization: basic ",
  "\\u001b[2J",
];
export const authorList = [
  "\u0000",
  `${"0123456789".repeat(4)}\u0000`,
  "ada@example.dev\u0000",
  "@",
  "<",
  " ",
  "\u202e",
  "x".repeat(300),
];

export const fileList = [
  "\u0000",
  `${"0123456789".repeat(4)} 1\u0000`,
  "symlink\u0000",
  "a/b\u0000",
  "../",
  "/",
  "\u00e9",
  "\ufffd",
  "submodule\u0000x\u0000",
];
