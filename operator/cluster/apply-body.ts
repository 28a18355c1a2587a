/** Characters that JSON may carry as they are, and that YAML forbids or takes for the end of a line. */
const notInYaml = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * The JSON text of an apply. The API server reads it as YAML, whatever it is: there an unescaped control character
 * is an error, and an unescaped line separator in a text silently becomes a space.
 */
export function toApplyBody(value: object): string {
  return JSON.stringify(value).replaceAll(
    notInYaml,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
