/**
 * Makes the generated classes of cdk8s-plus-27's `imports/k8s.js` be evaluated at their first use: there are over a
 * hundred, a program uses a few, and every context of a program evaluates the file. A class that does not have the
 * expected form stays as it is.
 *
 * @param code The file: classes of API objects, each followed by its export, its jsii name and its `GVK`.
 */
export function makeClassesLazy(code: string): string {
  const pattern =
    /^class (\w+) extends cdk8s_1\.ApiObject \{\n[\s\S]*?^\}\nexports\.\1 = \1;\n(_\w+) = JSII_RTTI_SYMBOL_1;\n\1\[\2\] = \{.*\};\n(?:\/\*\*[\s\S]*?\*\/\n)?\1\.GVK = \{\n[\s\S]*?^\};\n/gm;
  return code.replaceAll(
    pattern,
    (text, name: string) =>
      `Object.defineProperty(exports, "${name}", { enumerable: true, configurable: true, get() {
${text.replace(`exports.${name} = ${name};\n`, "")}
Object.defineProperty(exports, "${name}", { value: ${name}, enumerable: true, configurable: true, writable: true });
return ${name};
} });
`,
  );
}
