/** Commands that only a chat has. `/mcp export` and the like reach commands of the same name. */
export const ownCommandNames = [
  'switch',
  'agent',
  'model',
  'cost',
  'undo',
  'export',
  'help',
  'leave',
] as const
export type OwnCommandName = (typeof ownCommandNames)[number]

/** What a typed line means. */
export type ChatLine =
  | { readonly kind: 'nothing' }
  /** For the model. */
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'own'; readonly name: OwnCommandName; readonly rest: string }
  /** A prompt of a server: its messages go to the model. */
  | { readonly kind: 'server-prompt'; readonly name: string; readonly rest: string }
  /** A line of the shell, as the shell reads it. */
  | { readonly kind: 'shell'; readonly line: string }

const leaving = ['leave', 'quit', 'exit']

/**
 * A line whose first character is a slash is a command; every other line goes to the model. A blank before the slash sends
 * it to the model.
 */
export function readChatLine(line: string): ChatLine {
  if (line.trim() === '') return { kind: 'nothing' }
  if (!line.startsWith('/')) return { kind: 'prompt', text: line.trim() }
  const [, word = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? []
  const name = leaving.includes(word) ? 'leave' : word === '' || word === '?' ? 'help' : word
  const own = ownCommandNames.find((each) => each === name)
  const about = rest.trim().replace(/^\//, '')
  const isOfChat = about === '' || (ownCommandNames as readonly string[]).includes(about)
  if (own === 'help' && !isOfChat) return { kind: 'shell', line: `help ${about}` }
  if (own === 'help') return { kind: 'own', name: own, rest: about }
  if (own !== undefined) return { kind: 'own', name: own, rest: rest.trim() }
  if (word === 'mcp') return { kind: 'shell', line }
  if (/^[^/(]+:/.test(word)) return { kind: 'server-prompt', name: `/${word}`, rest }
  return { kind: 'shell', line: line.slice(1) }
}
