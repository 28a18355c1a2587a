import type { ErrorCode } from "yaml";

/** What the library's errors say, in words of ours: its own texts quote the file, which may be a Secret. */
export const errorTexts: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias has an anchor or a tag",
  BAD_ALIAS: "an alias names an anchor that is not there",
  BAD_COLLECTION_TYPE: "a tag does not fit the list or map that it stands before",
  BAD_DIRECTIVE: "a % directive is not known",
  BAD_DQ_ESCAPE: "an escape in double quotes is not known; a backslash itself is written \\\\",
  BAD_INDENT: "the indentation does not fit what stands above",
  BAD_PROP_ORDER: "an anchor or a tag stands in the wrong place",
  BAD_SCALAR_START: "a value begins with a character that must be quoted",
  BLOCK_AS_IMPLICIT_KEY:
    "a value in a map is not on the line of its key, or a key has two colons; quote the text",
  BLOCK_IN_FLOW: "a list or map of blocks stands inside of brackets",
  DUPLICATE_KEY: "a key is there twice",
  IMPOSSIBLE: "the text is not YAML",
  KEY_OVER_1024_CHARS: "a key has more than 1024 characters",
  MISSING_CHAR: "a quote, colon, comma or bracket is missing",
  MULTILINE_IMPLICIT_KEY: "a key goes on over several lines; a colon is missing, or the text must be quoted",
  MULTIPLE_ANCHORS: "a value has several anchors",
  MULTIPLE_DOCS: "there is more after the end of the document",
  MULTIPLE_TAGS: "a value has several tags",
  NON_STRING_KEY: "a key is no text",
  RESOURCE_EXHAUSTION: "is nested too deeply",
  TAB_AS_INDENT: "a tab is used to indent; YAML takes only spaces",
  TAG_RESOLVE_FAILED: "a tag does not fit its value",
  UNEXPECTED_TOKEN: "something stands where YAML does not expect it",
};
