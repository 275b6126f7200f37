import { escapeText } from './escape.ts'

/** Prefixes every line of a server's text, so that it cannot imitate a line of the program. */
export function indentText(text: string): string {
  return escapeText(text)
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n')
}
