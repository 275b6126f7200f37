/** Other words of the shell for commands. */
const shellWords: Readonly<Record<string, string>> = { login: 'reauth', logout: 'unauth' }

/** Commands that a text proposes, as they are typed in the shell: `/mcp reauth x` for `plugboard login x`. */
export function inShell(text: string): string {
  return text.replaceAll(
    /\bplugboard (?!shell\b|chat\b|serve\b)([a-z]+)(?= |$|[.,:;)])/gm,
    (_, verb: string) => `/mcp ${shellWords[verb] ?? verb}`,
  )
}
