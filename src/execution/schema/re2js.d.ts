/** Only what is used of it. */
declare module 're2js' {
  export class RE2JS {
    static compile(pattern: string): RE2JS
    /** From the syntax of JavaScript. */
    static translateRegExp(pattern: string): string
    matcher(text: string): { find(): boolean }
    programSize(): number
  }
}
