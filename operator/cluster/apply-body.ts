/** Characters that JSON allows unescaped, and that YAML forbids or treats as line breaks. */
const notInYaml = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * The JSON text of an apply. The API server always parses it as YAML, where an unescaped control character is an error,
 * and an unescaped line separator in a text silently becomes a space.
 */
export function toApplyBody(value: object): string {
  return JSON.stringify(value).replaceAll(
    notInYaml,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
