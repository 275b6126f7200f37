import type { Approve, Grant } from '../../index.ts'
import { escapeLine, escapeText } from './escape.ts'
import type { Answer, Prompts } from './terminal-prompts.ts'

interface Terminal {
  readonly prompts: Prompts
  readonly show: (text: string) => void
  /** How a yes is called that counts for the whole conversation; absent where there is none. */
  readonly conversation?: string
}

/** Asks a person about one call, with everything that it would send (T10), and how far a yes reaches. */
export function askApproval(
  { tool, args, reason }: Parameters<Approve>[0],
  { prompts, show, conversation }: Terminal,
): Promise<Answer<Grant | 'no'>> {
  show(escapeLine(reason))
  show(escapeText(`${tool.ref} ${JSON.stringify(args, undefined, 2)}`))
  return prompts.select<Grant | 'no'>({
    message: `Call ${tool.ref}?`,
    choices: [
      { value: 'no', label: 'no' },
      { value: 'once', label: 'yes, this once' },
      ...(conversation === undefined ? [] : [{ value: 'conversation', label: conversation } as const]),
      { value: 'always', label: 'yes, always', hint: 'until the tool or its entry changes' },
    ],
    initial: 'no',
  })
}
